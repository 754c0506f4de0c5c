/**
 * Plans a call for an earlier text with only those edits that may be placed otherwise there. All others have the place
 * that they have in the present text, so the result is that of planning the whole call.
 */
import { type Change, ChangeSet } from "../../text/changeSet.js";
import type { EditOperation } from "../operation.js";
import type { EditOutcome, FilePlan } from "../outcome.js";
import type { View } from "./view.js";

/** A span of the present text, in UTF-16 code units, and its lines (1-based, inclusive). */
interface PresentPlace {
  readonly from: number;
  readonly to: number;
  readonly startLine: number;
  readonly endLine: number;
}

/** An edit whose old text was found exactly, and only once. */
interface SureEdit {
  readonly edit: EditOperation;
  readonly outcome: EditOutcome;
  readonly place: PresentPlace;
}

/** A call for one file, divided into edits that have their present places and others. */
interface Division {
  readonly sure: readonly SureEdit[];
  readonly doubted: readonly EditOperation[];
  /** The length of the longest old text. */
  readonly reach: number;
}

/** Plans edits against the earlier text, or against a part of it. */
type PlanEdits = (edits: readonly EditOperation[], text: string) => Generator<void, FilePlan | undefined>;

/**
 * Returns a call's plan for an earlier text, without the edits that have their present places there; `agrees`: all have.
 * `undefined`: all edits must be planned. A text that decides alone gets these edits, too, because it silences others.
 * `earlier`: the text; `plan`: the call's plan for the present text.
 */
export function* planDoubted(
  plan: FilePlan,
  { back, isLatest, isCompared }: View,
  earlier: string,
  planEdits: PlanEdits,
): Generator<void, FilePlan | "agrees" | undefined> {
  const division = divided(plan, back, earlier);
  if (division === undefined || plan.file === undefined) return undefined;
  const { doubted } = division;
  const isWhole = isLatest && !isCompared;
  if (doubted.length === 0 && !isWhole) return "agrees";
  const part = doubted.length === 0 ? nothingIn(plan, earlier) : yield* planIn(earlier, doubted, planEdits);
  if (part?.file === undefined || part.file.document.text !== earlier) return undefined;
  const present = new Map(plan.outcomes.map((outcome) => [outcome.index, outcome]));
  if (!part.outcomes.every((outcome) => isIndependent(outcome, present.get(outcome.index)))) return undefined;
  const moved = division.sure.map((one) => movedBack(one, plan, back));
  if (isNearOne(part, moved, division)) return undefined;
  return isWhole ? withMoved(part, moved, plan) : part;
}

/** Adds edits to a plan that are not near its own. */
function withMoved(part: FilePlan, moved: readonly MovedBack[], plan: FilePlan): FilePlan {
  const { text } = part.file!.document;
  // Edits that are near each other may have the same changes.
  const all = [...part.file!.change.changes, ...moved.flatMap((one) => one.changes())];
  const changes = [...new Map(all.map((one) => [`${one.from} ${one.to}`, one])).values()];
  const change = ChangeSet.of(
    text.length,
    changes.sort((a, b) => a.from - b.from || a.to - b.to),
  );
  const outcomes = [...part.outcomes, ...moved.map((one) => one.outcome())].sort((a, b) => a.index - b.index);
  const edits = outcomes.filter(({ status }) => status === "applied").length;
  const file = { ...part.file!, change, text: change.apply(text), edits };
  return { ...part, operations: plan.operations, outcomes, file };
}

/** Plans edits. If an only one is found exactly once, only the lines there are planned, with those next to them. */
function* planIn(
  earlier: string,
  edits: readonly EditOperation[],
  planEdits: PlanEdits,
): Generator<void, FilePlan | undefined> {
  const [only, another] = edits;
  const oldText = only?.oldText ?? "";
  const at = another === undefined && oldText !== "" ? earlier.indexOf(oldText) : -1;
  if (at === -1 || earlier.includes(oldText, at + 1)) return yield* planEdits(edits, earlier);
  const first = lineStart(earlier, at);
  const from = lineStart(earlier, Math.max(0, first - 1));
  const to = lineAfter(earlier, lineAfter(earlier, at + oldText.length));
  const part = yield* planEdits(edits, earlier.slice(from, to));
  if (part?.file === undefined) return undefined;
  const { document, change } = part.file;
  const lines = lineEndsIn(earlier.slice(0, from));
  const outcomes = part.outcomes.map((outcome) => ({
    ...outcome,
    places: outcome.places.map((one) => ({ startLine: one.startLine + lines, endLine: one.endLine + lines })),
  }));
  const whole = ChangeSet.of(
    earlier.length,
    change.changes.map((one) => ({ ...one, from: one.from + from, to: one.to + from })),
  );
  const file = { ...part.file, document: { ...document, text: earlier }, change: whole, text: whole.apply(earlier) };
  return { ...part, outcomes, file };
}

/** Returns the start of the line that an offset is on. */
const lineStart = (text: string, at: number): number => (at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1);

/** Returns the end of the line that an offset is on. */
const lineAfter = (text: string, at: number): number => {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end + 1;
};

/** Returns a plan that changes nothing. */
function nothingIn(plan: FilePlan, text: string): FilePlan {
  if (plan.file === undefined) return plan;
  const document = { ...plan.file.document, text, views: undefined };
  return { ...plan, outcomes: [], file: { ...plan.file, document, change: ChangeSet.none(text.length), text } };
}

/** Divides a call; `undefined` if that is impossible or not worthwhile. */
function divided({ operations, outcomes, file }: FilePlan, back: ChangeSet, earlier: string): Division | undefined {
  // At a byte order mark, and next to a CR, what lies around a place counts as well.
  if (file === undefined || file.document.bom || file.document.text.includes("\r")) return undefined;
  if (back.changes.length * operations.length > mostComparisons) return undefined;
  if (back.changes.some(({ insert }) => insert.includes("\r"))) return undefined;
  const edits = operations.filter((operation) => operation.kind === "edit");
  const isPlain = ({ replaceAll, occurrence, line }: EditOperation): boolean =>
    !replaceAll && occurrence === undefined && line === undefined;
  if (edits.length < operations.length || !edits.every(isPlain)) return undefined;
  const reach = edits.reduce((most, { oldText }) => Math.max(most, oldText.length), 0);
  const clusters = clustersIn(outcomes, file.document.text, edits, reach);
  const differing = differencesOf(back, earlier, reach);
  const sure = clusters.flatMap((cluster) =>
    cluster.some((one) => differing.some((difference) => concerns(difference, one, reach))) ? [] : cluster,
  );
  const isSure = new Set(sure.map(({ edit }) => edit));
  return sure.length === 0 ? undefined : { sure, doubted: edits.filter((edit) => !isSure.has(edit)), reach };
}

/** The edits of a call whose old texts were found exactly and once, in clusters; kept for the call's other views. */
const clustersOfCalls = new WeakMap<readonly EditOutcome[], readonly SureEdit[][]>();

function clustersIn(
  outcomes: readonly EditOutcome[],
  text: string,
  edits: readonly EditOperation[],
  reach: number,
): readonly SureEdit[][] {
  const known = clustersOfCalls.get(outcomes);
  if (known !== undefined) return known;
  const starts = lineStarts(text);
  const byIndex = new Map(outcomes.map((outcome) => [outcome.index, outcome]));
  const found = edits.flatMap((edit) => sureEdit(edit, byIndex.get(edit.index), starts) ?? []);
  const clusters = clustersOf(found, 2 * reach);
  clustersOfCalls.set(outcomes, clusters);
  return clusters;
}

/** The number of comparisons that may be made for one view. */
const mostComparisons = 20_000;

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return [...starts, text.length];
}

function sureEdit(
  edit: EditOperation,
  outcome: EditOutcome | undefined,
  starts: readonly number[],
): SureEdit | undefined {
  const [place, another] = outcome?.places ?? [];
  if (outcome?.status !== "applied" || outcome.rung !== "exact" || place === undefined || another !== undefined)
    return undefined;
  const [from = 0, to = starts.at(-1) ?? 0] = [starts[place.startLine - 1], starts[place.endLine]];
  return { edit, outcome, place: { ...place, from, to } };
}

/** Groups edits whose places are near each other, because one of them may depend on another. */
function clustersOf(found: readonly SureEdit[], distance: number): SureEdit[][] {
  const clusters: SureEdit[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const one of found.toSorted((a, b) => a.place.from - b.place.from)) {
    if (one.place.from - distance <= end) clusters.at(-1)?.push(one);
    else clusters.push([one]);
    end = Math.max(end, one.place.to);
  }
  return clusters;
}

/** A difference between the two texts. */
interface DifferentText {
  /** The span of the present text. */
  readonly from: number;
  readonly to: number;
  /** The earlier text at this span, with as much around it as an old text may have. */
  readonly around: string;
}

function differencesOf(back: ChangeSet, earlier: string, reach: number): readonly DifferentText[] {
  let shift = 0;
  return back.changes.map(({ from, to, insert }) => {
    const start = from + shift;
    shift += insert.length - (to - from);
    return { from, to, around: earlier.slice(Math.max(0, start - reach), start + insert.length + reach) };
  });
}

/** Reports whether an edit's place is near a difference, or whether its old text may occur there. */
function concerns({ from, to, around }: DifferentText, { edit, place }: SureEdit, reach: number): boolean {
  return (place.from - 2 * reach <= to && from <= place.to + 2 * reach) || around.includes(edit.oldText);
}

/** Reports whether an edit that was planned without the others certainly has the same outcome beside them. */
function isIndependent({ status, rung, failure, places }: EditOutcome, now: EditOutcome | undefined): boolean {
  const isFound = status === "applied" && places.length === 1;
  // The other edits write the same in both texts.
  if (now?.status === "applied") return now.rung === "exact" && isFound && rung === "exact";
  const isAbsent = now?.failure?.code === "noMatch" || now?.failure?.code === "alreadyApplied";
  return isAbsent && (isFound || failure?.code === "noMatch" || failure?.code === "alreadyApplied");
}

/** An edit's present place, outcome and changes, in the earlier text. */
interface MovedBack {
  readonly edit: EditOperation;
  readonly from: number;
  readonly to: number;
  outcome(): EditOutcome;
  changes(): readonly Change[];
}

function movedBack({ edit, outcome, place }: SureEdit, { file }: FilePlan, back: ChangeSet): MovedBack {
  const above = back.changes.filter(({ from }) => from < place.from);
  const shift = above.reduce((sum, { from, to, insert }) => sum + insert.length - (to - from), 0);
  return {
    edit,
    from: place.from + shift,
    to: place.to + shift,
    outcome() {
      const { text } = file!.document;
      const further = above.reduce(
        (sum, { from, to, insert }) => sum + lineEndsIn(insert) - lineEndsIn(text.slice(from, to)),
        0,
      );
      const { startLine, endLine } = place;
      return { ...outcome, places: [{ startLine: startLine + further, endLine: endLine + further }] };
    },
    changes: () =>
      file!.change.changes
        .filter(({ from, to }) => place.from <= from && to <= place.to)
        .map(({ from, to, insert }) => ({ from: from + shift, to: to + shift, insert })),
  };
}

const lineEndsIn = (text: string): number => text.split("\n").length - 1;

/** Reports whether an edit that was planned is near one that was not, or has written the old text of one. */
function isNearOne({ file }: FilePlan, moved: readonly MovedBack[], { reach }: Division): boolean {
  const { change, text } = file!;
  if (change.changes.length * moved.length > mostComparisons) return true;
  let shift = 0;
  return change.changes.some(({ from, to, insert }) => {
    const start = from + shift;
    shift += insert.length - (to - from);
    const around = text.slice(Math.max(0, start - reach), start + insert.length + reach);
    return moved.some(
      (one) => (one.from - 2 * reach <= to && from <= one.to + 2 * reach) || around.includes(one.edit.oldText),
    );
  });
}
