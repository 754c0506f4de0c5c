/** Plans a call once more for each earlier text that the caller can have seen, and compares the plans. */

import { LineIndex } from "../../text/lines.js";
import type { Operation } from "../operation.js";
import type { FilePlan, FilePlans } from "../outcome.js";
import type { Document, Snapshot } from "../snapshot.js";
import { agreeing, sureEdits } from "./agreement.js";
import { isShown, type ViewPlan } from "./candidates.js";
import { reconciled } from "./reconcile.js";
import type { View } from "./view.js";

/** Plans operations against a snapshot, without explaining at length why an edit was not found. */
export type PlanAgain<O extends Operation> = (
  operations: readonly O[],
  snapshot: Snapshot,
) => Generator<void, Pick<FilePlans, "plans">>;

/** Returns the plans, with each edit placed by the texts that have a say about it. Yields while it plans. */
export function* planViews<O extends Operation>(
  plans: readonly FilePlan[],
  snapshot: Snapshot,
  planAgain: PlanAgain<O>,
): Generator<void, readonly FilePlan[]> {
  const concerned = plans.flatMap((plan) => {
    const document = documentOf(plan);
    const views = document === undefined ? [] : viewsFor(plan, document);
    // If nothing has changed since, the present text decides alone.
    if (document === undefined || views.every(({ back }) => back.isEmpty)) return [];
    const sure = sureEdits(plan);
    const now = LineIndex.of(document.text, document);
    const all = views.map((view) => {
      const text = view.back.apply(document.text);
      return { view, text, agreeing: agreeing(view.sent === undefined ? sure : [], now, view, text) };
    });
    const isWhole = ({ agreeing: own }: (typeof all)[number]): boolean => own.size === plan.operations.length;
    // A text that decides alone, and agrees, makes the others silent.
    const isSentAgain = views.some(({ sent }) => sent !== undefined);
    const latest = all.find((one) => one.view.isLatest);
    const isAlone = !isSentAgain && latest && !latest.view.isCompared && isWhole(latest) && hasShown(latest);
    return isAlone ? [] : [{ plan, document, views: all.filter((one) => !isWhole(one)), seen: [] as ViewPlan[] }];
  });
  if (concerned.length === 0) return plans;
  const rounds = concerned.reduce((most, { views }) => Math.max(most, views.length), 0);
  for (let round = 0; round < rounds; round++) {
    const own = concerned.flatMap((one) => {
      const next = one.views[round];
      if (next === undefined) return [];
      const known = next.text === one.document.text ? one.plan : undefined;
      if (known !== undefined) one.seen.push({ ...next, agreeing: new Map(), plan: known });
      return known === undefined ? [{ ...one, next }] : [];
    });
    if (own.length === 0) continue;
    const documents = new Map(snapshot.documents);
    for (const { document, next } of own) documents.set(document.uri, asBefore(document, next.text));
    const operations = own.flatMap(({ plan, next }) => operationsIn(plan, next) as readonly O[]);
    const again = yield* planAgain(operations, { ...snapshot, documents });
    for (const { plan, next, seen } of own) {
      const [first] = operationsIn(plan, next);
      const same = again.plans.find((one) => one.operations[0] === first);
      if (same?.file?.document.text === next.text) seen.push({ ...next, plan: same });
    }
    yield;
  }
  const seenBy = new Map(concerned.map(({ plan, seen }) => [plan, seen]));
  return plans.map((plan) => {
    const seen = seenBy.get(plan);
    return seen === undefined || seen.length === 0 ? plan : reconciled(plan, seen);
  });
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
  formerLines: undefined,
});

/** Returns the earlier texts that have a say about a plan: all, but for a plan that takes long. */
function viewsFor({ operations }: FilePlan, { text, views = [] }: Document): readonly View[] {
  const sent = views.some((view) => view.sent !== undefined) ? JSON.stringify(operations) : undefined;
  const own = views.filter((view) => view.sent === undefined || view.sent === sent);
  return text.length * operations.length > mostSearched ? own.slice(0, viewsOfLarge) : own;
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
  const isPartial = first?.kind === "edit" ? first.oldText !== "" : operations.every(({ kind }) => kind === "update");
  return isPartial && !file.document.isBinary ? file.document : undefined;
}
