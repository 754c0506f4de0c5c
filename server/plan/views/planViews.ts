/** Plans a call once more for each earlier text that the caller can have seen, and compares the plans. */
import type { EditOperation, Operation } from "../operation.js";
import type { FilePlan, FilePlans } from "../outcome.js";
import type { Document, Snapshot } from "../snapshot.js";
import { planDoubted } from "./doubt.js";
import type { ViewPlan } from "./findings.js";
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
    return document === undefined || views.every(({ back }) => back.isEmpty)
      ? []
      : [{ plan, document, views, seen: [] as ViewPlan[] }];
  });
  if (concerned.length === 0) return plans;
  const plansOf = (document: Document) =>
    function* planEdits(edits: readonly EditOperation[], text: string): Generator<void, FilePlan | undefined> {
      const documents = new Map(snapshot.documents).set(document.uri, asBefore(document, text));
      const again = yield* planAgain(edits as readonly Operation[] as readonly O[], { ...snapshot, documents });
      return again.plans[0];
    };
  const rounds = concerned.reduce((most, { views }) => Math.max(most, views.length), 0);
  for (let round = 0; round < rounds; round++) {
    const own: ((typeof concerned)[number] & { readonly view: View; readonly text: string })[] = [];
    for (const one of concerned) {
      const view = one.views[round];
      if (view === undefined) continue;
      const text = view.back.apply(one.document.text);
      const known = text === one.document.text ? one.plan : one.seen.find((other) => other.text === text)?.plan;
      const same = known ?? (yield* planDoubted(one.plan, view, text, plansOf(one.document)));
      if (same === "agrees") continue;
      if (same === undefined) own.push({ ...one, view, text });
      else one.seen.push({ view, text, plan: same });
    }
    if (own.length === 0) continue;
    const documents = new Map(snapshot.documents);
    for (const { document, text } of own) documents.set(document.uri, asBefore(document, text));
    const operations = own.flatMap(({ plan }) => plan.operations as readonly O[]);
    const again = yield* planAgain(operations, { ...snapshot, documents });
    for (const { plan, view, text, seen } of own) {
      const same = again.plans.find((one) => one.operations[0] === plan.operations[0]);
      if (same?.file?.document.text === text) seen.push({ view, text, plan: same });
    }
    yield;
  }
  const seenBy = new Map(concerned.map(({ plan, seen }) => [plan, seen]));
  return plans.map((plan) => {
    const seen = seenBy.get(plan);
    return seen === undefined || seen.length === 0 ? plan : reconciled(plan, seen);
  });
}

const asBefore = (document: Document, text: string): Document => ({
  ...document,
  text,
  views: undefined,
  formerLines: undefined,
});

/** Returns the earlier texts that have a say about a plan: all, but for a plan that takes long. */
function viewsFor({ operations }: FilePlan, { text, views = [] }: Document): readonly View[] {
  return text.length * operations.length > mostSearched ? views.slice(0, viewsOfLarge) : views;
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
