/** Judges one call: by what its author meant, by the rules for views, and by `git merge-file`. */
import { carryByDiff, isAlike, isGuessed } from "./alike.js";
import type { Call } from "./calls.js";
import { carry, carryInserted, type Effect, joined, type Present, product, withEffects } from "./carry.js";
import { type Lines, textOf } from "./lines.js";
import { mergedByGit } from "./merge.js";
import { effectsHere, type Found, resolve } from "./resolve.js";
import type { Allowed, Panel } from "./table.js";
import { isMeant, type View } from "./world.js";

/** A call and its outcome. */
export interface Judged {
  readonly call: Call;
  /** The text that the caller had before its eyes. */
  readonly view: View;
  /** `true` if the text was replaced as a whole since then. */
  readonly isDiffed: boolean;
  readonly panels: readonly (readonly Panel[])[];
  readonly allowed: Allowed;
  /** The failures' codes; `undefined` if the call landed. */
  readonly codes: readonly string[] | undefined;
  /** The texts before and after the call. */
  readonly before: string;
  readonly text: string;
}

/** The verdict; `isMerged`: git had a say, too. */
export interface Verdict {
  readonly objection: string | undefined;
  /** `true` if the objection is only that the call was refused, or with another code. */
  readonly isRefusal: boolean;
  readonly isMerged: boolean;
}

/** Judges a call to the present text. `folder` is for git's files. */
export function judged(one: Judged, present: Present, folder: string): Verdict {
  const { call, view, isDiffed, panels, allowed, codes, before, text } = one;
  const isCertain = panels.every((some) => some.every(({ views }) => views.some((other) => isSame(other, view))));
  const merged = isCertain ? mergedText(call, view, { present, folder }) : undefined;
  const verdict = (reason: string): Verdict => ({
    objection: `${reason}\nallowed: ${[...allowed.codes].join(", ")}\n${[...allowed.texts].join("---\n")}`,
    isRefusal: codes !== undefined && text === before,
    isMerged: merged !== undefined,
  });
  if (codes !== undefined) {
    if (text !== before) return verdict("a refusal changed the text");
    const other = codes.find((code) => !allowed.codes.has(code));
    if (other !== undefined && !allowed.isOpen) return verdict(`it was refused: ${codes.join(", ")}`);
    if (merged !== undefined) return verdict(`it was refused (${codes.join(", ")}), but git merges it:\n${merged}`);
    return { objection: undefined, isRefusal: false, isMerged: false };
  }
  if (isCertain && text !== before && !isTrue(call, view, { present, text, isDiffed }))
    return verdict(`WRONG: it landed elsewhere than it was meant:\n${text}`);
  if (!allowed.isOpen && !allowed.texts.has(text)) return verdict(`it landed, with this text:\n${text}`);
  if (merged !== undefined && merged !== text) return verdict(`it landed:\n${text}but git merges:\n${merged}`);
  return { objection: undefined, isRefusal: false, isMerged: merged !== undefined };
}

const isSame = (one: View, other: View): boolean =>
  one.time === other.time && textOf(one.lines) === textOf(other.lines);

/** The text that git makes, if all lines are different, none was moved, and nothing conflicts. */
function mergedText(
  call: Call,
  view: View,
  { present, folder }: { readonly present: Present; readonly folder: string },
): string | undefined {
  const isDistinct = (lines: Lines): boolean => new Set(lines.map(({ text }) => text)).size === lines.length;
  if (!isDistinct(view.lines) || !isDistinct(present.lines) || present.moved.size > 0) return undefined;
  const { found, text } = resolve(view.lines, call);
  // What was typed since has the word, too.
  if (call.edits.some(({ isWide }) => isWide)) return undefined;
  if (text === undefined || !found.every((one, i) => one.kind === "one" && isMeant(one, call.edits[i]!)))
    return undefined;
  return mergedByGit({ base: textOf(view.lines), ours: textOf(present.lines), theirs: text }, folder);
}

/** Reports whether a text is the present one with the edits made at the lines that their author meant. */
function isTrue(
  call: Call,
  view: View,
  { present, text, isDiffed }: { readonly present: Present; readonly text: string; readonly isDiffed: boolean },
): boolean {
  const alone = resolve(present.lines, call);
  if (call.edits.some(({ isWide }) => isWide)) return alone.text === text;
  const isMeantHere = (one: Found, i: number): boolean =>
    one.kind === "one" &&
    (isMeant(one, call.edits[i]!) ||
      isAlike(one.lines, call.edits[i]!) ||
      (isDiffed && isGuessed(call.edits[i]!, call.edits[i]!.at, view, present, one.at)));
  if (alone.found.every(isMeantHere) && alone.text === text) return true;
  const ways = call.edits.map((edit, i): readonly Effect[] => {
    const own = alone.found[i]!;
    return [
      joined([]),
      ...carry(edit, edit.at, view, present).effects,
      ...carryInserted(edit, edit.at, view, present).flatMap(({ effects }) => effects),
      ...(isDiffed ? carryByDiff(edit, edit.at, view, present).flatMap(({ effects }) => effects) : []),
      ...(own.kind === "one" && isMeantHere(own, i) ? effectsHere(own, { edit, form: call.form }, present) : []),
    ];
  });
  return product(ways).some((list) => textOf(withEffects(present.lines, list)) === text);
}
