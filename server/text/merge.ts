/**
 * Merges an edit of an earlier text with what was typed since, as diff3 does: both sides' changes are kept where they touch
 * different lines or, in one line, different words.
 */
import { type Change, ChangeSet, shrink } from "./changeSet.js";
import { hasSame, insertedAt, meets } from "./hunks.js";
import type { LineChanges, LineHunk } from "./lineChanges.js";
import type { LineIndex } from "./lines.js";
import { mergeLine, wordsOf } from "./words.js";

/** Returns an edit as changes to the present text, of which none are left if it was made already; `undefined`: a conflict. */
export function merge(typed: LineChanges, edit: LineChanges, now: LineIndex): ChangeSet | undefined {
  if (edit.hunks.some((hunk) => isElsewhere(typed, hunk))) return undefined;
  const isDone = (hunk: LineHunk): boolean => typed.near(hunk.reach).some((own) => isSame(own, hunk));
  const left = edit.hunks.filter((hunk) => !isDone(hunk));
  if (left.length < edit.hunks.length && edit.hunks.some((hunk) => isDone(hunk) && isMoved(edit, hunk)))
    return undefined;
  const splices: Splice[] = [];
  for (const hunk of left) {
    if (isAlikeTouched(typed, hunk) || isBetweenGone(typed, edit, hunk)) return undefined;
    if (typed.near(hunk.reach).some((own) => touches(typed, own, hunk))) return undefined;
    const splice = spliceOf(typed, edit, hunk, now);
    if (splice === undefined) return undefined;
    splices.push(splice);
  }
  return changesOf(splices, now, edit.turnsLastEnd && !typed.turnsLastEnd);
}

/** Reports whether both sides make the same change, wherever it slides to. */
export function isSame(own: LineHunk, hunk: LineHunk): boolean {
  if (own.reach.from !== hunk.reach.from || own.reach.to !== hunk.reach.to) {
    if (own.from !== hunk.from || own.to !== hunk.to) return false;
  } else if (own.to - own.from !== hunk.to - hunk.from || own.insert.length !== hunk.insert.length) return false;
  const { length } = own.insert;
  return hunk.insert.length === length && insertedAt(own, hunk.from).every((line, i) => line === hunk.insert[i]);
}

/** Reports whether an edit puts a line elsewhere that somebody has removed. */
const isMoved = (edit: LineChanges, { from, to, insert }: LineHunk): boolean =>
  insert.length === 0 && edit.base.contents(from, to).some((line) => line.trim() !== "" && edit.adds(line));

/** Reports whether somebody typed on a kept line that is equal to one that an edit removes. */
const isAlikeTouched = (typed: LineChanges, { alike = [] }: LineHunk): boolean =>
  alike.some((line) => typed.at(line) !== undefined);

/** Reports whether the two sides touch the same lines or gaps; a line that both have changed may still be merged. */
function touches(typed: LineChanges, own: LineHunk, hunk: LineHunk): boolean {
  if (own.isLine && hunk.isLine) return own.from === hunk.from && typed.isGone(own.from);
  const areInsertions = own.from === own.to && hunk.from === hunk.to;
  if (!areInsertions || (own.boundTo ?? hunk.boundTo) === undefined)
    return meets(own, hunk) || isTypedThere(typed.base, own, hunk);
  // What was typed beside replaced lines stays on its side of them.
  const isSide = own.boundTo === hunk.boundTo || hunk.boundTo === undefined;
  return own.from === hunk.from && (isSide || hasSame(own.insert, hunk.insert));
}

/** Reports whether a line that an edit writes was typed on a line beside it, or at the edge of one that was inserted there. */
function isTypedThere(base: LineIndex, own: LineHunk, { from, to, insert }: LineHunk): boolean {
  const at = own.from === own.to ? own.reach : own;
  if (to < at.from || at.to < from) return false;
  const written = insert.map((line) => line.trim()).filter((line) => line !== "");
  if (own.isLine) {
    const old = base.content(own.from);
    const typed = own.changes ?? shrink(old, { from: 0, to: old.length, insert: own.insert[0]! });
    return from === to && typed.some((one) => written.includes(one.insert.trim()));
  }
  const isPart = (line: string, part: string): boolean =>
    /\p{L}/u.test(part) && (line.startsWith(part) || line.endsWith(part));
  return own.insert.some((line) => written.some((one) => isPart(line.trim(), one)));
}

/**
 * Reports whether an edit inserts lines between two that were removed, or at an end of the text beside one, or whether lines
 * were typed between two that the edit removes. A line that an edit rewrites is where it was.
 */
function isBetweenGone(typed: LineChanges, edit: LineChanges, { from, to, insert }: LineHunk): boolean {
  const [above, below] = [typed.isGone(from - 1), typed.isGone(from)];
  const hasNone = (above || below) && (above || from === 0) && (below || from === typed.base.filledCount);
  if (from === to && hasNone) return true;
  const isRemoved = (line: number): boolean =>
    edit.isRemoved(line) || (insert.length === 0 && (line < 0 || line >= typed.base.filledCount));
  return [from, to].some(
    (gap) =>
      isRemoved(gap - 1) &&
      isRemoved(gap) &&
      typed.near({ from: gap, to: gap }).some((own) => own.from === gap && own.to === gap),
  );
}

/**
 * Reports whether a line that an edit changes or removes was changed or removed, or one beside which it inserts lines was
 * removed, and the same line was added elsewhere, perhaps joined to another: nobody can say which is the one that was seen.
 */
function isElsewhere(typed: LineChanges, { from, to, insert, isLine }: LineHunk): boolean {
  const { base } = typed;
  const isInsertion = from === to;
  const lines = isInsertion
    ? [filledLine(base, from - 1, -1), filledLine(base, from, 1)]
    : Array.from({ length: to - from }, (_, i) => from + i);
  return lines.some((line) => {
    const own = line === undefined ? undefined : typed.at(line);
    if (line === undefined || own === undefined || (isInsertion && !typed.isGone(line))) return false;
    const content = base.content(line);
    const isDone = isLine && own.isLine && own.insert[0] === insert[0];
    const isRemoval = !isInsertion && insert.length === 0 && !own.isLine;
    if (isDone || (content.trim() === "" && !isRemoval)) return false;
    if (typed.adds(content)) return true;
    if (!isInsertion && !isRemoval) return false;
    const there = isInsertion ? own : undefined;
    return typed.addsLike(content, 0.5, there) || (content.trim() !== "" && typed.writes(content.trim(), there));
  });
}

/** Returns the next line with text, above (-1) or below; `undefined` if there is none. */
function filledLine(base: LineIndex, first: number, step: -1 | 1): number | undefined {
  for (let line = first; line >= 0 && line < base.filledCount; line += step)
    if (base.content(line).trim() !== "") return line;
  return undefined;
}

/** Present lines `[from, to)` that are replaced by others. A line without an ending gets one, if it needs one. */
interface Splice {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
  readonly ends: readonly string[];
  /** `true` if only the content of a line is replaced. */
  readonly isContent?: true;
}

/** Returns a hunk of the edit, which meets nothing that was typed, as a splice of present lines. */
function spliceOf(typed: LineChanges, edit: LineChanges, hunk: LineHunk, now: LineIndex): Splice | undefined {
  const { from, to, insert, ends, isLine } = hunk;
  if (from === to) {
    const at = gapAfter(typed, hunk, now);
    const lines = reindented(typed, edit, hunk, now);
    return lines && { from: at, to: at, lines, ends };
  }
  const [first, last] = [typed.lineAfter(from), typed.lineAfter(to - 1)];
  if (first === undefined || last === undefined) return undefined;
  if (!isLine) return { from: first, to: last + 1, lines: insert, ends };
  const own = typed.at(from);
  const line = own === undefined ? insert[0]! : mergeLine(typed.base.content(from), versionOf(own), versionOf(hunk));
  return line === undefined ? undefined : { from: first, to: first + 1, lines: [line], ends, isContent: true };
}

const versionOf = ({ insert, changes }: LineHunk) => ({ text: insert[0] ?? "", changes });

/** Returns the present line before which an inserted line belongs. What was typed beside it stays on its side. */
function gapAfter(typed: LineChanges, { from, boundTo }: LineHunk, now: LineIndex): number {
  const [above, below] = [typed.lineAfter(from - 1), typed.lineAfter(from)];
  if (from > 0 && above !== undefined && boundTo !== "next") return above + 1;
  if (from < typed.base.filledCount && below !== undefined) return below;
  return from === 0 ? 0 : above === undefined ? now.filledCount : above + 1;
}

/**
 * Returns the lines that a hunk inserts, indented as far as what was typed has indented both of their neighbours;
 * `undefined` if it has indented them differently.
 */
function reindented(
  typed: LineChanges,
  edit: LineChanges,
  { from, insert }: LineHunk,
  now: LineIndex,
): readonly string[] | undefined {
  const { base } = typed;
  const indentOf = (text: string): string => /^\s*/.exec(text)![0];
  const shiftOf = (first: number, step: -1 | 1): readonly [string, string] => {
    const line = filledLine(base, first, step);
    const after = line === undefined ? undefined : typed.lineAfter(line);
    if (line === undefined || after === undefined || now.content(after).trim() === "") return ["", ""];
    const [before, present] = [base.content(line), now.content(after)];
    if (wordsOf(before.trim())[0] !== wordsOf(present.trim())[0]) return ["", ""];
    const [old, next] = [indentOf(before), indentOf(present)];
    const own = edit.at(line);
    // The edit has indented the line, too.
    if (own?.isLine && indentOf(own.insert[0]!) !== old) return ["", ""];
    return next.startsWith(old)
      ? ["", next.slice(old.length)]
      : [old.startsWith(next) ? old.slice(next.length) : old, ""];
  };
  const [above, below] = [shiftOf(from - 1, -1), shiftOf(from, 1)];
  if (above[0] !== below[0] || above[1] !== below[1]) return undefined;
  const [less, more] = above;
  if (!insert.every((text) => text.trim() === "" || text.startsWith(less))) return undefined;
  return insert.map((text) => (text.trim() === "" ? text : more + text.slice(less.length)));
}

/**
 * Returns splices as changes to the present text. Until they are made, its last line has an ending like all others.
 * `turnsLastEnd`: the edit removes or adds the final line ending.
 */
function changesOf(splices: readonly Splice[], now: LineIndex, turnsLastEnd: boolean): ChangeSet {
  const { text, filledCount, lineCount } = now;
  const lineEnding = now.terminator(0) || "\n";
  const isEnded = filledCount < lineCount;
  const ended = ChangeSet.of(text.length, [{ from: text.length, to: text.length, insert: isEnded ? "" : lineEnding }]);
  const start = (line: number): number => (line < filledCount ? now.start(line) : ended.lengthAfter);
  const changes = splices.map(({ from, to, lines, ends, isContent }): Change => {
    if (isContent) return { from: now.start(from), to: now.contentEnd(from), insert: lines[0]! };
    const endOf = (i: number): string => ends[i] || now.terminator(Math.max(0, to - 1)) || lineEnding;
    return { from: start(from), to: start(to), insert: lines.map((line, i) => line + endOf(i)).join("") };
  });
  const set = ended.compose(ChangeSet.of(ended.lengthAfter, changes));
  const after = set.apply(text);
  const keepsEnd = (isEnded && text !== "") !== turnsLastEnd;
  const end = keepsEnd ? "" : (/(\r\n|\n|\r)$/.exec(after)?.[0] ?? "");
  const last = { from: after.length - end.length, to: after.length, insert: "" };
  const all = set.compose(ChangeSet.of(after.length, [last])).changes;
  return ChangeSet.of(
    text.length,
    all.flatMap((change) => shrink(text, change)),
  );
}
