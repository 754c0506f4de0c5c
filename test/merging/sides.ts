/** Merges an edit of a text with what was typed since, for tests: texts in, text or "conflict" out. */
import { compareTexts } from "../../server/match/compareTexts.js";
import { ChangeSet, shrink } from "../../server/text/changeSet.js";
import { LineChanges } from "../../server/text/lineChanges.js";
import { LineIndex } from "../../server/text/lines.js";
import { merge } from "../../server/text/merge.js";

export const rule = { loneCrEndsLine: false };

/** One change: an old text, which must occur once, and the new text. Their equal ends are not touched. */
export type Step = readonly [old: string, next: string];

/** One side of a merge: the text after it, found by comparing; or the changes one by one, which are known exactly. */
export type Said = string | readonly Step[];

/** One side of a merge. */
export interface Side {
  readonly text: string;
  readonly set: ChangeSet;
  readonly lines: LineChanges;
}

/** Returns a side whose changes are known. */
export function sideOf(
  base: string,
  set: ChangeSet,
  kind: ConstructorParameters<typeof LineChanges>[2] = "typed",
): Side {
  return { text: set.apply(base), set, lines: new LineChanges(LineIndex.of(base, rule), set, kind) };
}

/** Returns a side of which only the text is known. */
export const comparedSide = (base: string, text: string): Side => sideOf(base, compareTexts(base, text), "compared");

/** Returns an agent's edit that makes a text. */
export const editSide = (base: string, text: string): Side => sideOf(base, compareTexts(base, text), "edit");

/** Returns the changes that replace texts one after another. */
export function stepsOf(base: string, steps: readonly Step[]): ChangeSet {
  let set = ChangeSet.none(base.length);
  for (const [old, next] of steps) {
    const text = set.apply(base);
    const at = text.indexOf(old);
    if (at === -1 || text.includes(old, at + 1)) throw new Error(`${JSON.stringify(old)} must occur once in ${text}`);
    set = set.compose(ChangeSet.of(text.length, shrink(text, { from: at, to: at + old.length, insert: next })));
  }
  return set;
}

/** Returns what was typed, as a table row says it. */
export const typedSide = (base: string, said: Said): Side =>
  typeof said === "string" ? comparedSide(base, said) : sideOf(base, stepsOf(base, said));

/** Returns the changes that an edit makes to the text in which somebody has typed since; `undefined`: a conflict. */
export const mergeSides = (typed: Side, edit: Side): ChangeSet | undefined =>
  merge(typed.lines, edit.lines, LineIndex.of(typed.text, rule));

/** Returns the merged text; `undefined`: a conflict. */
export const mergedText = (typed: Side, edit: Side): string | undefined => mergeSides(typed, edit)?.apply(typed.text);
