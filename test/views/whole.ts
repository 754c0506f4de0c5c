/** Calls that give a whole text: they are refused as long as the caller can't have seen all of the present text. */
import type { Chance } from "../codex/random.js";
import type { Present } from "./carry.js";
import { type Lines, newLine, textOf } from "./lines.js";
import type { Panel } from "./table.js";
import { isCarriedByDiff, type View, type World } from "./world.js";

/** A call that gives a whole text. */
export interface WholeCall {
  readonly lines: Lines;
  readonly patch: string;
}

let rewritten = 0;

/** A text that its author makes of the one that it has before its eyes. */
export function drawWhole(chance: Chance, path: string, { lines }: View): WholeCall {
  const at = chance.below(lines.length);
  const next = lines.toSpliced(at, chance.between(0, 1), newLine(`rewritten(${++rewritten});`));
  const added = next.map(({ text }) => `+${text}`);
  return { lines: next, patch: ["*** Begin Patch", `*** Add File: ${path}`, ...added, "*** End Patch", ""].join("\n") };
}

/** Reports whether the call may replace the text, and whether it may be refused as `dirty`. */
export function allowedWhole(
  world: World,
  panels: readonly Panel[],
): { readonly text: boolean; readonly dirty: boolean } {
  const { lines } = world.present;
  const saved = world.saved.at(-1);
  // Without unsaved text, there is nothing that only the editor has.
  if (saved === undefined || textOf(saved.lines) === textOf(lines)) return { text: true, dirty: false };
  if (textOf(lines).trim() === "") return { text: true, dirty: false };
  const isUnsure = panels.some(({ views }) => views.some((view) => view.isVague || isCarriedByDiff(view, world)));
  if (isUnsure) return { text: true, dirty: true };
  const answers = panels.map(({ views }) => hasSeenAll(views, world.present));
  return { text: answers.includes(true), dirty: answers.includes(false) };
}

/** Reports whether each line, and each gap between two lines, is in one of the views as it is now. */
function hasSeenAll(views: readonly View[], present: Present): boolean {
  const { lines } = present;
  const isLineSeen = (i: number): boolean => views.some((view) => placeIn(view, present, i)?.isShown === true);
  const isGapSeen = (i: number): boolean =>
    views.some((view) => {
      const above = i === 0 ? { at: -1, isShown: false } : placeIn(view, present, i - 1);
      const below = i === lines.length ? { at: view.lines.length, isShown: false } : placeIn(view, present, i);
      if (above === undefined || below === undefined || below.at !== above.at + 1) return false;
      return above.isShown || below.isShown;
    });
  const all = Array.from({ length: lines.length + 1 }, (_, i) => i);
  return all.every((i) => isGapSeen(i) && (i === lines.length || isLineSeen(i)));
}

/** The place of a present line in a view, and whether the view shows it; `undefined` if the view has another text there. */
function placeIn(view: View, { lines, moved }: Present, i: number): { at: number; isShown: boolean } | undefined {
  const { id, text } = lines[i]!;
  const at = view.lines.findIndex((line) => line.id === id && line.text === text);
  if (at === -1 || (moved.get(id) ?? -1) > view.time) return undefined;
  return { at, isShown: view.shown === "all" || view.shown.has(id) };
}
