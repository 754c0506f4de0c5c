/** Warnings and failures about hunks that change nothing. */
import type { Hunk, Operation } from "../operation.js";
import { type EditOutcome, type FilePlan, failedOutcome } from "../outcome.js";
import { batchWarnings } from "../sentences.js";
import { isIdle, isSigned } from "./hunks.js";
import { hunkFailures, patchWarnings } from "./sentences.js";

/** Returns a warning for each skipped hunk: an idle one, unless it accompanies a move, or one inserted before. */
export function idleWarnings(operations: readonly Operation[], outcomes: readonly EditOutcome[]): readonly string[] {
  const hunks = hunksOf(
    operations.filter((section) => !(section.kind === "update" && section.move && section.hunks.every(isIdle))),
  );
  return outcomes.flatMap((outcome) => {
    const hunk = outcome.status === "skipped" ? hunks.get(outcome.index) : undefined;
    if (hunk === undefined) return [];
    if (!isIdle(hunk)) return [batchWarnings.nothingToDo(outcome)];
    return [patchWarnings.idle(atHunk(hunk, outcome), { isSigned: isSigned(hunk) })];
  });
}

/** Returns a patch's plans, in which idle hunks become failures if the patch changes nothing at all. */
export function withIdleFailures(plans: readonly FilePlan[]): readonly FilePlan[] {
  const isDone = plans.some(({ outcomes }) => outcomes.some(({ status }) => status === "applied"));
  if (isDone) return plans;
  return plans.map((plan) => {
    const hunks = hunksOf(plan.operations);
    const outcomes = plan.outcomes.map((outcome): EditOutcome => {
      const hunk = outcome.status === "skipped" ? hunks.get(outcome.index) : undefined;
      if (hunk === undefined || !isIdle(hunk)) return outcome;
      const how = { isSigned: isSigned(hunk), absence: undefined, line: outcome.places[0]?.startLine };
      const at = atHunk(hunk, outcome);
      return failedOutcome(at, hunkFailures.noChange(at, how));
    });
    return { ...plan, outcomes };
  });
}

const atHunk = ({ index, patchLine }: Hunk, { path }: EditOutcome) => ({ index, path, patchLine });

/** Returns the hunks of the given sections, keyed by hunk index. */
const hunksOf = (operations: readonly Operation[]): ReadonlyMap<number, Hunk> =>
  new Map(
    operations.flatMap((section) =>
      section.kind === "update" ? section.hunks.map((hunk) => [hunk.index, hunk] as const) : [],
    ),
  );
