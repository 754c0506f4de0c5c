/** The state of a tree after a batch: all old, all new, or wrong. */
import type { Tree, TrialPlan } from "./plans.js";

/** The valid trees of a plan. */
export type Sides = readonly ("old" | "new")[];

/**
 * Describes the defect if the files match none of the trees in `sides`; otherwise `undefined`. The batch's temporary
 * files may remain.
 */
export function unlike(tree: Tree, plan: TrialPlan, sides: Sides): string | undefined {
  const files = new Map([...tree].filter(([path]) => !isHelper(path)));
  if (sides.some((side) => isSame(files, plan[side]))) return undefined;
  return `not ${sides.join(" or ")}: ${show(files)} instead of ${sides.map((side) => show(plan[side])).join(" or ")}`;
}

/** A batch's leftovers in the folder or in the state directory; `undefined` if there are none. */
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
