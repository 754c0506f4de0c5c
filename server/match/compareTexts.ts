/** Finds the changes between two texts whose history is unknown, by comparing their lines. */
import { ChangeSet, shrink } from "../text/changeSet.js";
import { limits } from "../text/limits.js";
import { differingLines } from "../text/lineDiff.js";
import { replacedIn } from "../text/lines.js";

/** Returns changes that turn text A into text B. If the texts are large and differ much, they may be one change. */
export function compareTexts(textA: string, textB: string): ChangeSet {
  const { old, next, starts } = differingLines(textA, textB, { loneCrEndsLine: false });
  const all = { from: 0, to: old.length, fromB: 0, toB: next.length };
  const runs = old.length + next.length > limits.comparedLines ? [all] : replacedIn(old, next);
  const changes = runs.flatMap(({ from, to, fromB, toB }) =>
    shrink(textA, { from: starts[from]!, to: starts[to]!, insert: next.slice(fromB, toB).join("") }),
  );
  return ChangeSet.of(textA.length, changes);
}
