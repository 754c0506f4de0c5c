/** Hunks that change nothing, whatever the file has: skipped beside others that do change something, else a failure. */

import type { Hunk, Operation } from "../operation.js";
import type { EditOutcome, FilePlan } from "../outcome.js";
import { oldLines } from "./hunks.js";
import { hunkFailures, patchWarnings } from "./sentences.js";

/** Returns `true` if no line of a hunk goes or comes, or if the same lines do both. */
export function isIdle({ lines }: Hunk): boolean {
  const next = lines.flatMap(({ kind, text }) => (kind === "remove" ? [] : [text]));
  const old = oldLines(lines);
  return old.length === next.length && old.every((text, i) => text === next[i]);
}

/** An idle hunk without its signs, so that it writes nothing either if the file's lines differ from its own in whitespace. */
export function asContext(hunk: Hunk): Hunk {
  return { ...hunk, lines: oldLines(hunk.lines).map((text) => ({ kind: "context", text })) };
}

/** Returns `true` if some line of a hunk goes or comes. */
export function isSigned({ lines }: Hunk): boolean {
  return lines.some(({ kind }) => kind !== "context");
}

/** A warning for each idle hunk that was skipped, unless its section only moves the file: Codex wants a hunk there, too. */
export function idleWarnings(operations: readonly Operation[], outcomes: readonly EditOutcome[]): readonly string[] {
  const hunks = hunksOf(
    operations.filter((section) => !(section.kind === "update" && section.move && section.hunks.every(isIdle))),
  );
  return outcomes.flatMap((outcome) => {
    const hunk = skippedHunk(hunks, outcome);
    return hunk === undefined ? [] : [patchWarnings.idle(atHunk(hunk, outcome), { isSigned: isSigned(hunk) })];
  });
}

/** The plans of a patch. If nothing of it changes anything, its idle hunks have failed. */
export function withIdleFailures(plans: readonly FilePlan[]): readonly FilePlan[] {
  const isDone = plans.some(({ outcomes }) => outcomes.some(({ status }) => status === "applied"));
  if (isDone) return plans;
  return plans.map((plan) => {
    const hunks = hunksOf(plan.operations);
    return { ...plan, outcomes: plan.outcomes.map((outcome) => failed(outcome, skippedHunk(hunks, outcome))) };
  });
}

function failed(outcome: EditOutcome, hunk: Hunk | undefined): EditOutcome {
  if (hunk === undefined) return outcome;
  const { index, path, places } = outcome;
  const failure = hunkFailures.noChange(atHunk(hunk, outcome), {
    isSigned: isSigned(hunk),
    absence: undefined,
    line: places[0]?.startLine,
  });
  return { index, path, status: "failed", places: [], failure };
}

const atHunk = ({ index, patchLine }: Hunk, { path }: EditOutcome) => ({ index, path, patchLine });

/** The hunks of some sections, by their index. */
const hunksOf = (operations: readonly Operation[]): ReadonlyMap<number, Hunk> =>
  new Map(
    operations.flatMap((section) =>
      section.kind === "update" ? section.hunks.map((hunk) => [hunk.index, hunk] as const) : [],
    ),
  );

/** The hunk that an outcome is about, if it was skipped. */
const skippedHunk = (hunks: ReadonlyMap<number, Hunk>, { index, status }: EditOutcome): Hunk | undefined =>
  status === "skipped" ? hunks.get(index) : undefined;
