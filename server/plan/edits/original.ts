/** Plans one file's edits with `order: "original"`: all match the same text, and none changes what another matches. */
import { type Located, locating, withoutOverlap } from "../../match/locate.js";
import type { Place } from "../../match/place.js";
import { rewrite } from "../../match/rewrite.js";
import { type Draft, edited, linesOf } from "../draft.js";
import { type BatchHistory, explainAbsence, explainShift, isBrief } from "../explain/explainEdit.js";
import type { At, Failure } from "../failure.js";
import type { BatchOptions, EditOperation } from "../operation.js";
import { type EditOutcome, warned } from "../outcome.js";
import { ambiguous, type Chosen, choose, type Hits, locateEdit, meantBy } from "./choose.js";
import { Insertions, repeatedIn } from "./insertions.js";
import { type ClaimedPlace, OverlapDetector } from "./overlaps.js";
import { editFailures, editWarnings } from "./sentences.js";
import { type Drafted, refusal } from "./sequential.js";

/** Plans the edits of one file; yields after each edit, so that the caller can serve other requests. */
export function* planOriginal(
  draft: Draft,
  edits: readonly EditOperation[],
  options: BatchOptions,
): Generator<void, Drafted> {
  const groups = new Map<string, SameOldText>();
  yield* draft.index.expecting(edits.map(({ oldText }) => oldText));
  for (const edit of edits) sameOldTextOf(groups, edit).edits.push(edit);
  const accepted = new OverlapDetector();
  const insertions = new Insertions();
  const outcomes: EditOutcome[] = [];
  const history = { applied: [], failed: [] as EditOperation[], beside: edits } satisfies BatchHistory;
  for (const edit of edits) {
    const group = sameOldTextOf(groups, edit);
    const outcome = yield* planEdit({ draft, edit, group, accepted, insertions, history, options });
    if (outcome.status === "failed") history.failed.push(edit);
    outcomes.push(outcome);
    yield;
  }
  return { draft: edited(draft, accepted.changes()).draft, outcomes };
}

/** The edits that share an old text, the places of that text, and the places that edits have taken. */
interface SameOldText {
  readonly edits: EditOperation[];
  located: Located | undefined;
  /** Maps each taken place to the edit that took it. */
  readonly taken: Map<Place, EditOperation>;
}

function sameOldTextOf(groups: Map<string, SameOldText>, edit: EditOperation): SameOldText {
  const known = groups.get(edit.oldText);
  if (known !== undefined) return known;
  const group: SameOldText = { edits: [], located: undefined, taken: new Map() };
  groups.set(edit.oldText, group);
  return group;
}

interface EditContext {
  readonly draft: Draft;
  readonly edit: EditOperation;
  readonly group: SameOldText;
  readonly accepted: OverlapDetector;
  readonly insertions: Insertions;
  readonly history: BatchHistory;
  readonly options: BatchOptions;
}

function* planEdit({
  draft,
  edit,
  group,
  accepted,
  insertions,
  history,
  options,
}: EditContext): Generator<void, EditOutcome> {
  const { path } = draft.document;
  const at: At = { index: edit.index, path };
  const fail = (failure: Failure): EditOutcome => ({ index: edit.index, path, status: "failed", places: [], failure });
  const refused = refusal(draft, edit, options);
  if (refused !== undefined) return fail(refused);
  if (group.located === undefined) yield* locating(draft.index, edit.oldText, options);
  group.located ??= locateEdit(draft, edit, options);
  const located = meantBy(draft, edit, group.located);
  if (located.kind === "tooMany") return fail(editFailures.searchTooLarge(at));
  if (located.kind === "none") return fail(yield* explainAbsence(draft, edit, history, options));
  const chosen = takePlaces(draft, edit, group, located);
  if (chosen === "redundant") return { index: edit.index, path, status: "skipped", places: [] };
  if (!chosen.ok) return fail(chosen.failure);
  const claims: ClaimedPlace[] = [];
  for (const place of chosen.places) {
    const changes = rewrite(draft.index, place, edit);
    if (changes === undefined) return fail(explainShift(draft, edit, place, isBrief(history, options)));
    claims.push({ index: edit.index, place, changes });
  }
  const places = draft.created ? [] : chosen.places.map((place) => linesOf(draft, place));
  const inserted = claims.flatMap(({ changes }) => changes);
  if (!draft.created && insertions.hasAll(inserted, { at: draft, now: undefined })) {
    for (const place of chosen.places) group.taken.set(place, edit);
    return { index: edit.index, path, status: "skipped", rung: chosen.rung, places };
  }
  const clashing = claims.find((one) => accepted.conflictOf(one) !== undefined);
  const other = clashing && accepted.conflictOf(clashing);
  if (clashing !== undefined && other !== undefined)
    return fail(editFailures.overlap(at, other.index, draft.index.lines.lineAt(clashing.place.from) + 1));
  const [claim] = claims;
  const repeated = claim === undefined || edit.replaceAll ? undefined : repeatedIn(draft, claim, accepted);
  if (repeated?.isCertain) return fail(editFailures.alreadyInserted(at, repeated));
  for (const place of chosen.places) group.taken.set(place, edit);
  for (const claim of claims) accepted.add(claim);
  insertions.note(draft, inserted);
  const changes = claims.some((claim) => claim.changes.length > 0);
  const { ok: _, ...found } = chosen;
  const outcome = { index: edit.index, path, status: changes ? "applied" : "skipped", ...found, places } as const;
  return warned(outcome, repeated && editWarnings.repeated(at, repeated));
}

/** Returns the places that an edit takes; `redundant` if edits with the same texts have already taken all of them. */
function takePlaces(draft: Draft, edit: EditOperation, group: SameOldText, hits: Hits): Chosen | "redundant" {
  const samePair = (place: Place): boolean => group.taken.get(place)?.newText === edit.newText;
  const places = edit.replaceAll ? withoutOverlap(hits.places) : hits.places;
  if (places.every(samePair)) return "redundant";
  if (edit.replaceAll || edit.occurrence !== undefined || edit.line !== undefined) {
    const chosen = choose(draft, edit, hits);
    if (!chosen.ok) return chosen;
    const left = chosen.places.filter((place) => !samePair(place));
    return left.length === 0 ? "redundant" : { ...chosen, places: left };
  }
  const plain = group.edits.filter(
    (other) => !other.replaceAll && other.occurrence === undefined && other.line === undefined,
  );
  if (places.length > 1 && plain.length < places.length) return { ok: false, failure: ambiguous(draft, edit, hits) };
  const free = places.find((place) => !group.taken.has(place));
  if (free !== undefined) return { ok: true, rung: hits.rung, places: [free] };
  if (places.some(samePair)) return "redundant";
  const at: At = { index: edit.index, path: draft.document.path };
  const by = group.taken.get(places[0] as Place)?.index ?? 0;
  return {
    ok: false,
    failure: editFailures.consumed(at, by, draft.index.lines.lineAt((places[0] as Place).from) + 1, "original"),
  };
}
