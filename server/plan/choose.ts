/** Among the places where an old text stands: those that the edit means, or the failure that says why none. */
import { type Located, locate, withoutOverlap } from "../match/locate.js";
import type { Place } from "../match/place.js";
import type { RungName } from "../match/rungs.js";
import { limits } from "../text/limits.js";
import { type Draft, isWritten, spanInBase } from "./draft.js";
import { type At, clip, editFailures, type Failure, type QuotedPlace, type Telling } from "./failure.js";
import type { EditOperation } from "./operation.js";

/** The places that one edit takes. */
export type Chosen =
  | { readonly ok: true; readonly rung: RungName; readonly places: readonly Place[] }
  | { readonly ok: false; readonly failure: Failure };

/** What was located, where something was. */
export type Hits = Extract<Located, { kind: "one" | "many" }>;

/**
 * Where an edit's old text stands in a draft. A document's byte order mark is not in its text: an old text that was copied
 * with it is also found without it, at the very start.
 */
export function locateEdit(draft: Draft, edit: EditOperation, options: { readonly lenient: boolean }): Located {
  const located = locate(draft.index, edit.oldText, options);
  const mark = "\uFEFF";
  if (draft.document.bom && edit.newText.startsWith(mark) && "places" in located) {
    // The mark that the document has is not written once more.
    const [first, ...rest] = located.places;
    const isStart = first.from === 0 && first.reshape === undefined && !edit.oldText.startsWith(mark);
    return isStart ? { ...located, places: [{ ...first, reshape: { kind: "unmark" } }, ...rest] } : located;
  }
  if (located.kind !== "none" || !draft.document.bom || !edit.oldText.startsWith(mark)) return located;
  const plain = edit.oldText.slice(1);
  const found = plain === "" ? located : locate(draft.index, plain, options);
  if (found.kind !== "one" && found.kind !== "many") return located;
  const first = found.places.find(({ from, reshape }) => from === 0 && reshape === undefined);
  if (first === undefined) return located;
  return { kind: "one", rung: found.rung, places: [{ ...first, reshape: { kind: "unmark" } }] };
}

/** Decides by `replaceAll`, `occurrence` and `line`; without them there must be one place. */
export function choose(draft: Draft, edit: EditOperation, hits: Hits): Chosen {
  const at: At = { index: edit.index, path: draft.document.path };
  const { places, rung } = hits;
  const failed = (failure: Failure): Chosen => ({ ok: false, failure });
  if (edit.replaceAll) {
    const all = withoutOverlap(places);
    if (edit.expectedCount !== undefined && edit.expectedCount !== all.length) {
      return failed(editFailures.expectedCount(at, edit.expectedCount, all.length, quotedPlaces(draft, all)));
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
  if (only !== undefined && nearest.length === 1) return { ok: true, rung, places: [only] };
  const near = { nearLine: edit.line, telling: tellingOf(draft, nearest) };
  return failed(editFailures.ambiguousMatch(at, nearest.length, rung, quotedPlaces(draft, nearest), near));
}

/** The failure of an edit whose place nothing decides. */
export function ambiguous(draft: Draft, edit: EditOperation, hits: Hits): Failure {
  const at: At = { index: edit.index, path: draft.document.path };
  const near = { nearLine: edit.line, telling: tellingOf(draft, hits.places) };
  return editFailures.ambiguousMatch(at, hits.places.length, hits.rung, quotedPlaces(draft, hits.places), near);
}

/** 1-based line, in the text before the batch, at which a place of the draft's text starts. */
function lineInBase(draft: Draft, place: Place): number {
  return draft.base.lines.lineAt(spanInBase(draft, place).from) + 1;
}

function nearestTo(draft: Draft, places: readonly Place[], line: number): Place[] {
  const distances = places.map((place) => Math.abs(lineInBase(draft, place) - line));
  const least = distances.reduce((a, b) => Math.min(a, b));
  return places.filter((_, i) => distances[i] === least);
}

/** The shortest addition that tells the first of several places from all others: its whole line, or a line beside it. */
export function tellingOf(draft: Draft, places: readonly Place[]): Telling | undefined {
  const { lines, text } = draft.index;
  const [first, ...others] = places.slice(0, limits.comparedPlaces);
  if (first === undefined || places.length > limits.comparedPlaces) return undefined;
  const isAlone = (lineOf: (place: Place) => number): boolean => {
    const own = lines.content(lineOf(first));
    return own.trim() !== "" && others.every((place) => lines.content(lineOf(place)) !== own);
  };
  const start = ({ from }: Place): number => lines.lineAt(from);
  const end = ({ from, to }: Place): number => lines.lineAt(Math.max(from, to - 1));
  const isPart = first.from > lines.start(start(first)) || first.to < lines.contentEnd(end(first));
  if (isPart && start(first) === end(first) && isAlone(start)) return { kind: "ownLine" };
  const beside: Telling[] = [];
  const add = (kind: "above" | "below", line: number): void => {
    const from = lines.start(line);
    beside.push({ kind, line: lineInBase(draft, { from, to: from }), text: lines.content(line) });
  };
  if (start(first) > 0 && isAlone((place) => start(place) - 1)) add("above", start(first) - 1);
  if (lines.end(end(first)) < text.length && isAlone((place) => end(place) + 1)) add("below", end(first) + 1);
  const length = (telling: Telling): number => ("text" in telling ? telling.text.trim().length : 0);
  return beside.sort((a, b) => length(a) - length(b))[0];
}

/** The first places with their lines, as a failure shows them. */
export function quotedPlaces(draft: Draft, places: readonly Place[]): QuotedPlace[] {
  const { lines } = draft.index;
  return places.slice(0, limits.matchesShown).map((place) => {
    const line = lines.lineAt(place.from);
    const own = lineInBase(draft, place);
    // Behind earlier edits of the batch, the line in front may be none of the text before it.
    const above = line > 0 && own > 1 ? lines.content(line - 1) : undefined;
    const isOwn = above !== undefined && above === draft.base.lines.content(own - 2);
    return {
      line: own,
      column: place.from - lines.start(line) + 1,
      text: clip(lines.content(line), limits.quotedLine),
      isWritten: isWritten(draft, place.from),
      above: isOwn ? clip(above, limits.quotedLine) : undefined,
    };
  });
}

/** Whether the text that comes out stays within the limit: told before anything is written. */
function fits(draft: Draft, edit: EditOperation, places: readonly Place[]): boolean {
  const growth = places.length * Math.max(0, edit.newText.length - edit.oldText.length);
  return places.length < limits.placesPerEdit && draft.index.text.length + growth <= limits.documentLength;
}
