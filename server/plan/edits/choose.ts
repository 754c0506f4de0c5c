/** Chooses among the places of an edit's old text, or explains why no choice can be made. */
import { type Located, locate, withoutOverlap } from "../../match/locate.js";
import { fitsEnds, fitsUneven, isRespacing } from "../../match/looseLines.js";
import type { Place } from "../../match/place.js";
import type { RungName } from "../../match/rungs.js";
import { isReindenting, isShifted } from "../../match/wholeLines.js";
import { byteOrderMark } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import { type Draft, isWritten, lineInBase } from "../draft.js";
import { disambiguateEdit } from "../explain/disambiguation.js";
import { onlyHere } from "../explain/onlyHere.js";
import type { QuotedPlace } from "../explain/sentences.js";
import { type At, clip, type Failure } from "../failure.js";
import type { EditOperation } from "../operation.js";
import { editFailures, editWarnings } from "./sentences.js";

/** The places that an edit takes, with warnings about the choice, or the failure if none could be chosen. */
export type Chosen =
  | {
      readonly ok: true;
      readonly rung: RungName;
      readonly places: readonly Place[];
      readonly warnings?: readonly string[];
    }
  | { readonly ok: false; readonly failure: Failure };

/** A search result with at least one place. */
export type Hits = Extract<Located, { kind: "one" | "many" }>;

/** Finds the places of an edit's old text in a draft. */
export function locateEdit(draft: Draft, edit: EditOperation, options: { readonly lenient: boolean }): Located {
  return locateMarked(draft, edit, locate(draft.index, edit.oldText, options), options);
}

/** Like `locateEdit` for `located`, but an old text with a byte order mark may match at the very start. */
export function locateMarked(
  draft: Draft,
  edit: EditOperation,
  located: Located,
  options: { readonly lenient: boolean },
): Located {
  if (draft.document.bom && edit.newText.startsWith(byteOrderMark) && "places" in located) {
    // The document's own byte order mark must not be written twice.
    const [first, ...rest] = located.places;
    const isStart = first.from === 0 && first.reshape === undefined && !edit.oldText.startsWith(byteOrderMark);
    return isStart ? { ...located, places: [{ ...first, reshape: { kind: "unmark" } }, ...rest] } : located;
  }
  if (located.kind !== "none" || !draft.document.bom || !edit.oldText.startsWith(byteOrderMark)) return located;
  const plain = edit.oldText.slice(1);
  const found = plain === "" ? located : locate(draft.index, plain, options);
  if (found.kind !== "one" && found.kind !== "many") return located;
  const first = found.places.find(({ from, reshape }) => from === 0 && reshape === undefined);
  if (first === undefined) return located;
  return { kind: "one", rung: found.rung, places: [{ ...first, reshape: { kind: "unmark" } }] };
}

/** Returns `located`, or no places if the edit can't be meant for any: it changes only whitespace that differs. */
export function meantBy({ index }: Draft, edit: EditOperation, located: Located): Located {
  if (!("places" in located) || located.rung === "exact") return located;
  const { rung, places } = located;
  const isElsewhere =
    (places.some(isShifted) && isReindenting(edit)) ||
    (rung === "innerBlanks" && isRespacing(edit)) ||
    (rung === "emptyEnds" && !places.every((place) => fitsEnds(index, edit, place))) ||
    (rung === "unevenIndentation" && (isRespacing(edit) || !places.every((place) => fitsUneven(index, edit, place))));
  return isElsewhere ? { kind: "none" } : located;
}

/** Chooses places by `replaceAll`, `occurrence` and `line`; if none is set, there must be exactly one place. */
export function choose(draft: Draft, edit: EditOperation, hits: Hits): Chosen {
  const at: At = { index: edit.index, path: draft.document.path };
  const { places, rung } = hits;
  const failed = (failure: Failure): Chosen => ({ ok: false, failure });
  if (edit.replaceAll) {
    const all = withoutOverlap(places);
    if (edit.expectedCount !== undefined && edit.expectedCount !== all.length) {
      return failed(editFailures.expectedCount(at, edit.expectedCount, all.length, quotedPlaces(draft, all, all)));
    }
    return fits(draft, edit, all)
      ? { ok: true, rung, places: all }
      : failed(editFailures.tooManyPlaces(at, all.length));
  }
  if (edit.occurrence !== undefined) {
    const place = places[edit.occurrence - 1];
    if (place === undefined) return failed(editFailures.noSuchOccurrence(at, edit.occurrence, places.length));
    return { ok: true, rung, places: [place] };
  }
  if (places.length === 1) return { ok: true, rung, places };
  const nearest = edit.line === undefined ? places : nearestTo(draft, places, edit.line);
  const [only] = nearest;
  if (only !== undefined && nearest.length === 1) {
    const line = lineInBase(draft, only.from);
    const isThere = edit.line === undefined || line === edit.line;
    const warnings = isThere ? [] : [editWarnings.nearest(at, edit.line, { line, found: places.length })];
    return { ok: true, rung, places: [only], warnings };
  }
  return failed(ambiguous(draft, edit, hits, nearest));
}

/** Returns the failure of an edit that matches equally well at every place in `left`, some of its hits. */
export function ambiguous(
  draft: Draft,
  edit: EditOperation,
  hits: Hits,
  left: readonly Place[] = hits.places,
): Failure {
  const at: At = { index: edit.index, path: draft.document.path };
  const { rung, places } = hits;
  const [first = places[0]] = left;
  return editFailures.ambiguousMatch(at, {
    found: left.length,
    rung,
    matches: quotedPlaces(draft, left, places),
    nearLine: edit.line,
    telling: disambiguateEdit(draft, { rung, first, places }),
    isOneLine: left.every(({ from }) => draft.index.lines.lineAt(from) === draft.index.lines.lineAt(first.from)),
  });
}

function nearestTo(draft: Draft, places: readonly Place[], line: number): Place[] {
  const distances = places.map((place) => Math.abs(lineInBase(draft, place.from) - line));
  const least = distances.reduce((a, b) => Math.min(a, b));
  return places.filter((_, i) => distances[i] === least);
}

/** Returns the first few places, with their lines, for display in a failure. `all`: the places to tell them from. */
export function quotedPlaces(draft: Draft, places: readonly Place[], all?: readonly Place[]): QuotedPlace[] {
  const { lines } = draft.index;
  return places.slice(0, limits.matchesShown).map((place, i) => {
    const line = lines.lineAt(place.from);
    const own = lineInBase(draft, place.from);
    // If an earlier edit of the batch wrote the line above, the text before the batch does not have that line there.
    const above = line > 0 && own > 1 ? lines.content(line - 1) : undefined;
    const isOwn = above !== undefined && above === draft.base.lines.content(own - 2);
    return {
      line: own,
      column: place.from - lines.start(line) + 1,
      text: clip(lines.content(line), limits.quotedLine),
      isWritten: isWritten(draft, place.from),
      above: isOwn ? clip(above, limits.quotedLine) : undefined,
      only: all !== undefined && i < limits.matchesTold ? onlyHere(draft, place, all) : undefined,
    };
  });
}

/** Reports, before anything is written, whether the number of places and the length of the result are within limits. */
function fits(draft: Draft, edit: EditOperation, places: readonly Place[]): boolean {
  const growth = places.length * Math.max(0, edit.newText.length - edit.oldText.length);
  return places.length < limits.placesPerEdit && draft.index.text.length + growth <= limits.documentLength;
}
