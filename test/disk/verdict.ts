/** What a tree is after a batch, whoever wrote it: all old, all new, or wrong. */
import type { Tree, TrialPlan } from "./plans.js";

/** Which of its two trees a plan may have led to. */
export type Sides = readonly ("old" | "new")[];

/** What is wrong, if the files are on none of these sides; what helped the batch is not looked at. `undefined`: nothing is. */
export function unlike(tree: Tree, plan: TrialPlan, sides: Sides): string | undefined {
  const files = new Map([...tree].filter(([path]) => !isHelper(path)));
  if (sides.some((side) => isSame(files, plan[side]))) return undefined;
  return `not ${sides.join(" or ")}: ${show(files)} instead of ${sides.map((side) => show(plan[side])).join(" or ")}`;
}

/** What of a batch is left beside the files or in the state directory, in words; `undefined`: nothing. */
export function leftovers(tree: Tree, state: readonly string[]): string | undefined {
  const left = [...[...tree.keys()].filter(isHelper), ...state];
  return left.length === 0 ? undefined : `left behind: ${left.join(", ")}`;
}

const isHelper = (path: string): boolean => path.includes("/.multi-edit-");

function isSame(one: Tree, other: Tree): boolean {
  return one.size === other.size && [...one].every(([path, text]) => other.has(path) && other.get(path) === text);
}

function show(tree: Tree): string {
  const line = (path: string, text: string | undefined): string =>
    text === undefined ? `${path}/` : `${path} ${JSON.stringify(text.slice(0, 20))} (${text.length})`;
  return [...tree].map(([path, text]) => line(path, text)).join(", ");
}
