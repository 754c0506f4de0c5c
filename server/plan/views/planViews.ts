/** Plans a call once more for each earlier text that the caller can have seen, and compares the plans. */

import { ChangeSet } from "../../text/changeSet.js";
import { LineIndex } from "../../text/lines.js";
import { linesNamed, type Operation } from "../operation.js";
import { type EditOutcome, type FilePlan, type FilePlans, failedOutcome } from "../outcome.js";
import type { Document, Snapshot } from "../snapshot.js";
import { agreeing, isBeside, sureEdits } from "./agreement.js";
import type { ViewPlan } from "./candidates.js";
import { reconciled } from "./reconcile.js";
import { textRead } from "./seenLines.js";
import { presentLines, viewFailures, viewWarnings } from "./sentences.js";
import { isShown, type View } from "./view.js";

/** Plans operations against a snapshot, without explaining at length why an edit was not found. */
export type PlanAgain<O extends Operation> = (
  operations: readonly O[],
  snapshot: Snapshot,
) => Generator<void, Pick<FilePlans, "plans">>;

/** Returns the plans, with each edit placed by the texts that have a say about it. Yields while it plans. */
export function* planViews<O extends Operation>(
  planned: readonly FilePlan[],
  snapshot: Snapshot,
  planAgain: PlanAgain<O>,
): Generator<void, readonly FilePlan[]> {
  const all = planned.map((plan): Concerned => {
    const isAgain = isSentAgain(plan);
    return { plan: isAgain ? sentAgain(plan) : plan, views: isAgain ? [] : textsFor(plan), seen: [] };
  });
  for (let left = all.filter(mustPlan); left.length > 0; left = left.filter(mustPlan)) {
    yield* planNext(left, snapshot, planAgain);
    yield;
  }
  return all.map(({ plan, seen }) => withFailures(seen.length === 0 ? plan : reconciled(plan, seen)));
}

/** A planned file, with the earlier texts for which it must still be planned and those for which it is. Newest first. */
interface Concerned {
  readonly plan: FilePlan;
  readonly views: EarlierView[];
  readonly seen: ViewPlan[];
}

/** An earlier text for which a file is not planned yet. */
type EarlierView = Omit<ViewPlan, "plan">;

/** Returns the earlier texts for which a file must be planned; none if the present text decides alone. */
function textsFor(plan: FilePlan): EarlierView[] {
  const document = documentOf(plan);
  const views = document === undefined ? [] : viewsFor(plan, document);
  // If nothing has changed since, the present text decides alone.
  if (document === undefined || views.every(({ back }) => back.isEmpty)) return [];
  const sure = sureEdits(plan);
  const now = LineIndex.of(document.text, document);
  const all = views.map((view): EarlierView => {
    const text = view.back.apply(document.text);
    return { view, text, agreeing: agreeing(sure, now, view, text) };
  });
  const isWhole = ({ agreeing: own }: EarlierView): boolean => own.size === plan.operations.length;
  // A text that decides alone, and agrees, makes the others silent.
  const latest = all.find((one) => one.view.isLatest);
  const isAlone = latest && !latest.view.isCompared && isWhole(latest) && hasShown(latest);
  return isAlone || all.every(isWhole) ? [] : all;
}

/** Reports whether a file must be planned for an earlier text. Those whose plans follow from the present one are noted as seen. */
function mustPlan({ plan, views, seen }: Concerned): boolean {
  for (let [next] = views; next !== undefined; [next] = views) {
    if (next.text === plan.file?.document.text) seen.push({ ...next, agreeing: new Map(), plan });
    else if (operationsIn(plan, next).length > 0) return true;
    else seen.push({ ...next, plan: { ...plan, outcomes: [], file: undefined } });
    views.shift();
  }
  return false;
}

/** Plans files for their next earlier texts. */
function* planNext<O extends Operation>(
  concerned: readonly Concerned[],
  snapshot: Snapshot,
  planAgain: PlanAgain<O>,
): Generator<void, void> {
  const documents = new Map(snapshot.documents);
  const operations: O[] = [];
  for (const { plan, views } of concerned) {
    const { document } = plan.file!;
    documents.set(document.uri, asBefore(document, views[0]!.text));
    operations.push(...(operationsIn(plan, views[0]!) as readonly O[]));
  }
  const { plans } = yield* planAgain(operations, { ...snapshot, documents });
  for (const { plan, views, seen } of concerned) {
    const next = views[0]!;
    const [first] = operationsIn(plan, next);
    const same = plans.find((one) => one.operations[0] === first);
    if (same !== undefined && isBeside(next.agreeing, same)) {
      views[0] = { ...next, agreeing: new Map() };
      continue;
    }
    views.shift();
    if (same?.file?.document.text === next.text) seen.push({ ...next, plan: same });
  }
}

/** Returns a call's operations without the edits that an earlier text places as the present text does. */
const operationsIn = ({ operations }: FilePlan, { agreeing: own }: Pick<ViewPlan, "agreeing">): readonly Operation[] =>
  operations.filter((one) => one.kind !== "edit" || !own.has(one.index));

/** Reports whether a caller was shown all lines of its edits. */
const hasShown = ({ view: { shown }, agreeing: own }: Pick<ViewPlan, "view" | "agreeing">): boolean =>
  shown === undefined || [...own.values()].every((lines) => isShown(shown, lines));

const asBefore = (document: Document, text: string): Document => ({
  ...document,
  text,
  views: undefined,
  made: undefined,
  formerLines: undefined,
});

/** Returns the earlier texts that have a say about a plan: all, but for a plan that takes long. */
function viewsFor({ operations }: FilePlan, document: Document): readonly View[] {
  const { text, views = [] } = document;
  const named = linesNamed(operations);
  if (named.length > 0) {
    const read = textRead(document, named);
    // This text decides alone, also about lines beside those that were read.
    return read === undefined ? [] : [{ ...read, shown: undefined }];
  }
  return text.length * operations.length > mostSearched ? views.slice(0, viewsOfLarge) : views;
}

/** Notes in a file's change that other edits have failed. */
const withFailures = (plan: FilePlan): FilePlan =>
  plan.file !== undefined && plan.outcomes.some(({ status }) => status === "failed")
    ? { ...plan, file: { ...plan.file, isPartial: true } }
    : plan;

/** Reports whether a caller sends its last call again although its result is there, as after a time-out. */
function isSentAgain(plan: FilePlan): boolean {
  const { made } = documentOf(plan) ?? {};
  return made !== undefined && made.operations === JSON.stringify(plan.operations);
}

/** Returns the plan of a call that is sent again: nothing is left to do, or somebody has typed in what the call wrote. */
function sentAgain(plan: FilePlan): FilePlan {
  const { file, outcomes } = plan;
  if (file === undefined) return plan;
  const { document } = file;
  const { spans = [], isTouched } = document.made ?? {};
  const now = LineIndex.of(document.text, document);
  const places = spans.map(({ from, to }) => ({
    startLine: now.lineAt(from) + 1,
    endLine: now.lineAt(Math.max(from, to - 1)) + 1,
  }));
  const [first, last] = [places[0]?.startLine ?? 1, places.at(-1)?.endLine ?? 1];
  const lines = presentLines(now, { from: first - 1, to: last });
  const outcomeOf = (outcome: EditOutcome): EditOutcome => {
    const { index, path } = outcome;
    // Nobody can say any more which edit wrote what.
    if (!isTouched) return { index, path, status: "skipped", places: outcomes.length === 1 ? places : [] };
    return failedOutcome(outcome, viewFailures.touched({ index, path }, lines));
  };
  return {
    ...plan,
    outcomes: outcomes.map(outcomeOf),
    warnings: isTouched ? [] : outcomes.map(viewWarnings.sentAgain),
    file: { ...file, change: ChangeSet.none(document.text.length), text: document.text, edits: 0 },
  };
}

/**
 * Beyond this number of UTF-16 code units in the text times edits, only the newest few earlier texts are used, because
 * planning such a call once more takes long.
 */
const [mostSearched, viewsOfLarge] = [256 * 1024 * 1024, 2];

/** Returns a plan's document if earlier texts can have a say about the plan: it only changes parts of a text. */
function documentOf({ file, operations }: FilePlan): Document | undefined {
  if (file === undefined || (file.kind !== "update" && file.kind !== "rename")) return undefined;
  const [first] = operations;
  const hasOld = first?.kind === "edit" ? first.oldText !== "" : operations.every(({ kind }) => kind === "update");
  const isPartial = hasOld || linesNamed(operations).length > 0;
  return isPartial && !file.document.isBinary ? file.document : undefined;
}
