/**
 * Mistakes in one edit of a call, both in old and new texts and in hunks. The author's change is known, so a case is
 * right if it lands as the author made it; most of these mistakes must be refused, because nothing says so for certain.
 */
import type { Chance } from "../../codex/random.js";
import type { Breaker } from "./breakages.js";
import { type CaseMaker, isCertain, landing, type Planned } from "./landingCase.js";
import { asIs } from "./makers.js";
import { drawEdits, type EditLine, isBlankLine, isOnlyBlanks, oldLines, placesOf, type RealEdit } from "./realEdit.js";
import { type Door, type Sent, toSent } from "./sent.js";
import type { Version } from "./sources.js";

/** What a mistake is made with. */
export interface MistakeGround {
  readonly chance: Chance;
  readonly version: Version;
  readonly door: Door;
}

/** Makes a mistake in an edit; returns `undefined` if the edit leaves no room for it. */
export type Mistake = (edit: RealEdit, ground: MistakeGround) => Sent | undefined;

/** Changes the lines of an edit; returns `undefined` if they leave no room for the mistake. */
type LineMistake = (edit: RealEdit, ground: MistakeGround) => readonly EditLine[] | undefined;

/**
 * Several edits, one with a mistake. With `isAbsent`, the lines that the mistaken edit sends must not occur in the
 * file; otherwise, they must not occur more than once. Both ignore whitespace. With `isAlone`, the mistaken edit has no
 * context.
 */
export function mistaken(
  mistake: Mistake,
  { isAbsent = false, isAlone = false }: { readonly isAbsent?: boolean; readonly isAlone?: boolean } = {},
): CaseMaker {
  return (ground) => {
    const { chance, version, door } = ground;
    const drawn = drawEdits(chance, version, chance.between(1, 3));
    const faulty = chance.below(Math.max(1, drawn.length));
    const edits = drawn.map((edit, i) => (isAlone && i === faulty ? withoutContext(edit) : edit));
    const target = edits[faulty];
    const sent = target && !isOnlyBlanks(target) ? mistake(target, ground) : undefined;
    if (target === undefined || sent === undefined || (door === "patch" && sent.hunk === undefined)) return undefined;
    const words = sent.oldText.split("\n");
    const isWordless = !/[\p{L}\p{N}]/u.test(sent.oldText);
    if (isWordless || placesOf(words, version.lines) > (isAbsent ? 0 : 1)) return undefined;
    const planned = edits.map((edit, i): Planned => {
      return i === faulty ? { sent, edit, sought: oldLines(edit) } : asIs(ground, edit);
    });
    return isCertain(version, planned) ? { ...landing(ground, planned), faulty } : undefined;
  };
}

function withoutContext({ start, lines }: RealEdit): RealEdit {
  const from = lines.findIndex(({ kind }) => kind !== "keep");
  return { start: start + from, lines: lines.filter(({ kind }) => kind !== "keep") };
}

/** A mistake in the lines of an edit; kept lines are the same in the old and the new text. */
export const inLines =
  (change: LineMistake): Mistake =>
  (edit, ground) => {
    const lines = change(edit, ground);
    return lines && toSent({ lines }, { ended: ground.chance.percent(40) });
  };

/** A mistake that a breaker makes, in a place where refusing is right, and so is landing as the author made the edit. */
export const inLine =
  (breaker: Breaker): Mistake =>
  (edit, { chance, version }) =>
    breaker(chance, edit, version)?.sent;

/** Leaves out the first or the last line of context. */
export const outerContextLeftOut: LineMistake = ({ lines }, { chance }) => {
  const left = chance.percent(50) ? lines.slice(1) : lines.slice(0, -1);
  return left.some(({ kind }) => kind === "keep") && left.some(({ kind }) => kind !== "keep") ? left : undefined;
};

/** Leaves out a line of context that is neither the first nor the last one and not empty. */
export const innerContextLeftOut: LineMistake = ({ lines }, { chance }) => {
  const inner = indicesOf(lines, ({ kind, text }, i) => kind === "keep" && !isBlankLine(text) && isInner(lines, i));
  return inner.length === 0 ? undefined : lines.toSpliced(chance.pick(inner), 1);
};

/** Leaves out an old line that the author removed, although other lines around it are sent. */
export const removedLineLeftOut: LineMistake = ({ lines }, { chance }) => {
  const removed = indicesOf(lines, ({ kind, text }) => kind === "remove" && !isBlankLine(text));
  return removed.length < 2 ? undefined : lines.toSpliced(chance.pick(removed), 1);
};

/** Exchanges two neighbouring lines of context. */
export const contextExchanged: LineMistake = ({ lines }, { chance }) => {
  const pairs = indicesOf(lines, ({ kind, text }, i) => {
    const next = lines[i + 1];
    return kind === "keep" && next?.kind === "keep" && !isBlankLine(text + next.text) && text !== next.text;
  });
  if (pairs.length === 0) return undefined;
  const at = chance.pick(pairs);
  return lines.toSpliced(at, 2, lines[at + 1] as EditLine, lines[at] as EditLine);
};

/** Doubles an empty line of context. */
export const emptyLineDoubled: LineMistake = ({ lines }, { chance }) => {
  const empty = indicesOf(lines, ({ kind, text }) => kind === "keep" && text === "");
  if (empty.length === 0) return undefined;
  const at = chance.pick(empty);
  return lines.toSpliced(at, 0, lines[at] as EditLine);
};

/** Writes one line of context that is, or is not, a comment in other words. */
export const contextReworded =
  (which: "comment" | "code"): LineMistake =>
  ({ lines }, { chance, version }) => {
    const isComment = (text: string): boolean => /^\s*(?:\/\/|\/?\*|#|<!--|--)/.test(text);
    const some = indicesOf(lines, ({ kind, text }) => kind === "keep" && isComment(text) === (which === "comment"));
    return withReworded(lines, some, { count: 1, chance, version });
  };

/** Adds or removes the comma at the end of one line of context. */
export const commaChanged: LineMistake = ({ lines }, { chance }) => {
  const some = indicesOf(lines, ({ kind, text }) => kind === "keep" && /[\w"'`)\]}],?$/.test(text));
  if (some.length === 0) return undefined;
  const at = chance.pick(some);
  const text = lines[at]?.text ?? "";
  return lines.with(at, { kind: "keep", text: text.endsWith(",") ? text.slice(0, -1) : `${text},` });
};

/** Writes one of the lines that the edit removes in other words. */
export const removedReworded: LineMistake = ({ lines }, { chance, version }) => {
  const removed = indicesOf(lines, ({ kind }) => kind === "remove");
  return withReworded(lines, removed, { count: 1, chance, version });
};

/** Writes several of the old lines in other words, one of them a line that the edit removes. */
export const severalReworded: LineMistake = (edit, { chance, version }) => {
  const removed = indicesOf(edit.lines, ({ kind }) => kind === "remove");
  const kept = indicesOf(edit.lines, ({ kind }) => kind === "keep");
  if (removed.length === 0 || oldLines(edit).length < 4) return undefined;
  const first = withReworded(edit.lines, removed, { count: chance.between(1, 2), chance, version });
  return first && withReworded(first, kept, { count: chance.between(1, 2), chance, version });
};

/** Writes the one line that the edit replaces in other words. */
export const singleLineReworded: LineMistake = (edit, { chance, version }) => {
  if (oldLines(edit).length !== 1 || edit.lines.length < 2) return undefined;
  const at = edit.lines.findIndex(({ kind }) => kind === "remove");
  return withReworded(edit.lines, [at], { count: 1, chance, version });
};

/** Replaces a line of the context by a line that is no line of the file. */
export const contextElided: LineMistake = ({ lines }, { chance, version }) => {
  const inner = indicesOf(lines, ({ kind }, i) => kind === "keep" && isInner(lines, i));
  const mark = chance.pick(["...", "// ...", "# ..."]);
  if (inner.length === 0 || version.lines.some((line) => line.trim() === mark)) return undefined;
  return lines.with(chance.pick(inner), { kind: "keep", text: mark });
};

/** Doubles the spaces within all lines. */
export const innerSpacesDoubled: LineMistake = ({ lines }) => {
  const doubled = lines.map(({ kind, text }) => ({ kind, text: text.replace(/(?<=\S) (?=\S)/g, "  ") }));
  const isChanged = doubled.some(({ kind, text }, i) => kind !== "add" && text !== lines[i]?.text);
  // The new lines are as the author wrote them.
  return isChanged ? doubled.map((line, i) => (line.kind === "add" ? (lines[i] as EditLine) : line)) : undefined;
};

/** Writes one line of context, but not the first line, with two more spaces of indentation. */
export const oneLineIndented: LineMistake = ({ lines }, { chance }) => {
  const some = indicesOf(lines, ({ kind, text }, i) => kind === "keep" && !isBlankLine(text) && i > 0);
  if (some.length === 0) return undefined;
  const at = chance.pick(some);
  return lines.with(at, { kind: "keep", text: `  ${lines[at]?.text ?? ""}` });
};

const isInner = (lines: readonly EditLine[], i: number): boolean => {
  const old = indicesOf(lines, ({ kind }) => kind !== "add");
  return i !== old[0] && i !== old.at(-1);
};

function indicesOf(lines: readonly EditLine[], test: (line: EditLine, i: number) => boolean): number[] {
  return lines.flatMap((line, i) => (test(line, i) ? [i] : []));
}

interface Rewording {
  /** The number of lines to reword. */
  readonly count: number;
  readonly chance: Chance;
  readonly version: Version;
}

/** Rewords some of the lines at the indices; returns `undefined` if there are too few that have words. */
function withReworded(
  lines: readonly EditLine[],
  indices: readonly number[],
  { count, chance, version }: Rewording,
): readonly EditLine[] | undefined {
  const left = indices.filter((i) => (lines[i]?.text.match(words)?.length ?? 0) > 1);
  let made = lines;
  for (let n = 0; n < count; n++) {
    const [at] = left.splice(chance.below(Math.max(1, left.length)), 1);
    if (at === undefined) return undefined;
    const { kind, text } = lines[at] as EditLine;
    const other = reworded(text, chance, version);
    if (other === undefined || other === text) return undefined;
    made = made.with(at, { kind, text: other });
  }
  return made;
}

const words = /[\p{L}_$][\p{L}\p{N}_$]*/gu;

/** The line with one word replaced by another, left out, or added. */
function reworded(line: string, chance: Chance, version: Version): string | undefined {
  const found = [...line.matchAll(words)];
  const others = chance.pick(version.lines).match(words);
  if (found.length === 0 || others === null) return undefined;
  const { 0: word, index } = chance.pick(found);
  const end = index + word.length;
  const form = chance.weighted({ replaced: 3, leftOut: 1, added: 1 });
  if (form === "leftOut") return line.slice(0, index) + line.slice(end).trimStart();
  const other = chance.pick(others);
  return form === "added"
    ? `${line.slice(0, end)} ${other}${line.slice(end)}`
    : line.slice(0, index) + other + line.slice(end);
}
