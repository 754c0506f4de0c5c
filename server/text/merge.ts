/**
 * Merges an edit of an earlier text with what was typed since, as diff3 does: both sides' changes are kept where they touch
 * different lines or, in one line, different words.
 */
import { type Change, ChangeSet, shrink } from "./changeSet.js";
import { meets } from "./hunks.js";
import type { LineChanges, LineHunk } from "./lineChanges.js";
import type { LineIndex } from "./lines.js";
import { isLetters, mergeLine, sharedWords, wordsOf } from "./words.js";

/** Returns an edit as changes to the present text, of which none are left if it was made already; `undefined`: a conflict. */
export function merge(typed: LineChanges, edit: LineChanges, now: LineIndex): ChangeSet | undefined {
  if (edit.hunks.some((hunk) => isUnsure(typed, hunk))) return undefined;
  const changes: Change[] = [];
  for (const hunk of edit.hunks) {
    const near = typed.near(hunk.reach);
    if (near.some((own) => isSame(own, hunk))) {
      // What both have removed may be elsewhere in the edit.
      if (isUnsure(edit, hunk)) return undefined;
      continue;
    }
    const isBetweenGone = [hunk, ...near].some((one) => isLost(one === hunk ? typed : edit, one));
    if (isBetweenGone || near.some((own) => conflicts(typed.base, own, hunk))) return undefined;
    const own = changesOf(typed, hunk, now);
    if (own === undefined) return undefined;
    changes.push(...own);
  }
  return ended(now, changes, edit.turnsLastEnd && !typed.turnsLastEnd);
}

/** Reports whether nobody can say where the lines are that an edit changes, or those beside which it inserts lines. */
function isUnsure(typed: LineChanges, { from, to }: LineHunk): boolean {
  const { base } = typed;
  const beside = [filledLine(base, from - 1, -1), filledLine(base, to, 1)];
  const lines = Array.from({ length: to - from }, (_, i) => from + i).filter(
    (line) => base.content(line).trim() !== "",
  );
  const all = from === to || typed.isCompared ? [...lines, ...beside] : lines;
  const isKept = from < to && lines.length === to - from && lines.every((line) => typed.at(line) === undefined);
  if (typed.isCompared && !isKept && beside.some((line) => line !== undefined && typed.isRemoved(line))) return true;
  return all.some((line) => line !== undefined && typed.isUnsure(line));
}

/** Returns the next line with text, above (-1) or below; `undefined` if there is none. */
function filledLine(base: LineIndex, first: number, step: -1 | 1): number | undefined {
  for (let line = first; line >= 0 && line < base.filledCount; line += step)
    if (base.content(line).trim() !== "") return line;
  return undefined;
}

/** Reports whether both sides make the same change, wherever it slides to. */
function isSame(own: LineHunk, hunk: LineHunk): boolean {
  if (own.reach.from !== hunk.reach.from || own.reach.to !== hunk.reach.to) {
    if (own.from !== hunk.from || own.to !== hunk.to) return false;
  } else if (own.to - own.from !== hunk.to - hunk.from || own.insert.length !== hunk.insert.length) return false;
  const shift = hunk.from - own.from;
  const { length } = own.insert;
  return (
    hunk.insert.length === length && own.insert.every((_, i) => hunk.insert[i] === own.insert[mod(i + shift, length)])
  );
}

const mod = (i: number, n: number): number => ((i % n) + n) % n;

/** Reports whether lines were inserted between two that the other side removes, or at an end of the text beside one. */
function isLost(other: LineChanges, { from, to }: LineHunk): boolean {
  const gone = [from - 1, from].map((line) => other.isRemoved(line));
  const isOut = [from === 0, from === other.base.filledCount];
  return from === to && gone.includes(true) && gone.every((one, i) => one || isOut[i]);
}

/** Reports whether the two sides touch the same lines or gaps, or write the same; a line that both changed may be merged. */
function conflicts(base: LineIndex, own: LineHunk, hunk: LineHunk): boolean {
  if (own.line !== undefined && hunk.line !== undefined && own.from === hunk.from) {
    const old = base.content(own.from);
    // A line of which no word is left is another one.
    const isGone = isLetters(old) && sharedWords(old, own.insert[own.line]!) === 0;
    return isGone || (own.insert.length > 1 && hunk.insert.length > 1);
  }
  const isBeside = own.insert.length > 1 && hunk.from === hunk.to && (hunk.from === own.from || hunk.from === own.to);
  return (own.line !== undefined && isBeside) || meets(own, hunk) || writeSame(base, own, hunk);
}

/** Reports whether a line that an edit writes was typed where it touches the edit, perhaps as a part of a line. */
function writeSame(base: LineIndex, own: LineHunk, { from, to, insert }: LineHunk): boolean {
  if (to < own.from || own.to < from) return false;
  const old = Array.from({ length: own.to - own.from }, (_, i) => base.content(own.from + i));
  const isTyped = (text: string): boolean =>
    text !== "" && own.insert.some((line) => line.includes(text)) && !old.some((line) => line.includes(text));
  return insert.some((line) => isTyped(line.trim()));
}

/** Returns a hunk of the edit, which meets nothing that was typed, as changes to the present text, whose last line has an ending. */
function changesOf(typed: LineChanges, hunk: LineHunk, now: LineIndex): readonly Change[] | undefined {
  const { from, to, insert, ends, line } = hunk;
  const isInsertion = from === to;
  const first = isInsertion ? gapAfter(typed, from, now) : typed.lineAfter(from);
  const last = isInsertion ? first : typed.lineAfter(to - 1);
  const lines = isInsertion ? reindented(typed, hunk, now) : insert;
  if (first === undefined || last === undefined || lines === undefined) return undefined;
  const startOf = (at: number): number =>
    at < now.filledCount ? now.start(at) : now.text.length + lastEnd(now).length;
  const added = (start: number, end: number): string =>
    lines.slice(start, end).reduce((text, one, i) => text + one + (ends[start + i] || endAt(now, last)), "");
  const next = startOf(isInsertion ? last : last + 1);
  if (line === undefined) return [{ from: startOf(first), to: next, insert: added(0, insert.length) }];
  const own = typed.at(from);
  const merged = own ? mergeLine(typed.base.content(from), versionOf(own), versionOf(hunk)) : insert[line];
  if (merged === undefined) return undefined;
  return [
    { from: now.start(first), to: now.contentEnd(first), insert: added(0, line) + merged },
    { from: next, to: next, insert: added(line + 1, insert.length) },
  ];
}

const versionOf = ({ insert, line = 0, changes }: LineHunk) => ({ text: insert[line] ?? "", changes });

/** Returns the present line before which an inserted line belongs. */
function gapAfter(typed: LineChanges, from: number, now: LineIndex): number {
  const [above, below] = [typed.lineAfter(from - 1), typed.lineAfter(from)];
  if (from > 0 && above !== undefined) return above + 1;
  if (from < typed.base.filledCount && below !== undefined) return below;
  return from === 0 ? 0 : now.filledCount;
}

/**
 * Returns the lines that a hunk inserts, indented as far as what was typed has indented both of their neighbours;
 * `undefined` if it has indented them differently.
 */
function reindented(typed: LineChanges, { from, insert }: LineHunk, now: LineIndex): readonly string[] | undefined {
  const { base } = typed;
  const indentOf = (text: string): string => /^\s*/.exec(text)![0];
  const shiftOf = (first: number, step: -1 | 1): readonly [string, string] => {
    const line = filledLine(base, first, step);
    const after = line === undefined ? undefined : typed.lineAfter(line);
    if (line === undefined || after === undefined || now.content(after).trim() === "") return ["", ""];
    const [before, present] = [base.content(line), now.content(after)];
    if (wordsOf(before.trim())[0] !== wordsOf(present.trim())[0]) return ["", ""];
    const [old, next] = [indentOf(before), indentOf(present)];
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

/** Returns the ending of a present line; of one that has none, the one that the text has. */
const endAt = (now: LineIndex, line: number): string => now.terminator(line) || now.terminator(0) || "\n";

/** Returns the line ending that the last line lacks. */
function lastEnd(now: LineIndex): string {
  const last = now.filledCount - 1;
  return last < 0 || now.terminator(last) !== "" ? "" : endAt(now, last);
}

/** Returns changes to a text whose last line has an ending as changes to the text as it is. `turns`: they add or remove it. */
function ended(now: LineIndex, changes: readonly Change[], turns: boolean): ChangeSet {
  const { text } = now;
  const end = text.length;
  const insert = lastEnd(now);
  const made = ChangeSet.of(end, [{ from: end, to: end, insert }]).compose(ChangeSet.of(end + insert.length, changes));
  const isEnded = (insert === "" && text !== "") !== turns;
  const after = isEnded ? "" : made.apply(text);
  const last = /(\r\n|[\r\n])?$/.exec(after)![0];
  const cut = { from: after.length - last.length, to: after.length, insert: "" };
  const whole = isEnded ? made : made.compose(ChangeSet.of(after.length, [cut]));
  return ChangeSet.of(
    end,
    whole.changes.flatMap((change) => shrink(text, change)),
  );
}
