/** Merges two changes of one line, word by word. */
import { type Change, ChangeSet } from "./changeSet.js";
import { hasSame, meets, slid, type UnitHunk } from "./hunks.js";
import { type Replaced, replacedIn, sharedEnds } from "./lines.js";

/** A number with a point and what follows it, a run of letters, digits and underscores, a run of whitespace, or any other character. */
const word = /\d+(?:\.\d+)+[\p{L}\p{M}\p{N}_]*|[\p{L}\p{M}\p{N}_]+|\s+|[\s\S]/gu;

/** The start of a comment, in most languages. */
const comment = /^\s*(?:\/\/|\/\*|#|--\s|<!--)/;

/** Returns the words of a line. */
export const wordsOf = (line: string): readonly string[] => line.match(word) ?? [];

/** One side's version of a line. `changes`: the changes that made it, if exactly they are known. */
export interface LineVersion {
  readonly text: string;
  readonly changes?: readonly Change[] | undefined;
}

/**
 * Returns a line with the changes of both sides; `undefined` if they conflict. Both may replace words, and insert some at
 * the edges of those that the other replaces, but they can't change the same word or insert at the same point.
 */
export function mergeLine(base: string, typed: LineVersion, edit: LineVersion): string | undefined {
  const words = wordsOf(base);
  const [own, others] = [hunksOf(words, base, typed), hunksOf(words, base, edit)];
  const added = others.filter((hunk) => !isDoneBy(hunk, own));
  /** Reports whether a comment was typed at the end of the line: it stays there. */
  const isEnd = (one: UnitHunk): boolean => one.from === words.length && comment.test(one.insert.join(""));
  /** Reports whether one hunk replaces a space beside which the other one inserts: it may have been inserted there, too. */
  const isAtSpace = (one: UnitHunk, other: UnitHunk): boolean =>
    (one.from > 0 || other.insert.join("").trim() === "") &&
    one.from < one.to &&
    other.from === other.to &&
    (other.from === one.from || other.from === one.to) &&
    words.slice(one.from, one.to).join("").trim() === "";
  const isConflict = (one: UnitHunk, hunk: UnitHunk): boolean =>
    (meets(one, hunk) && (!isEnd(one) || isEnd(hunk) || hasSame(one.insert, hunk.insert))) ||
    isAtSpace(one, hunk) ||
    isAtSpace(hunk, one);
  if (added.some((hunk) => own.some((one) => isConflict(one, hunk)))) return undefined;
  // What was typed on a line has no place in another one, but for a comment at its end.
  const isOther = edit.changes === undefined && isAnother(base, edit.text);
  if (isOther && own.some((one) => !isEnd(one) && !isDoneBy(one, others))) return undefined;
  // Between the words that an edit replaces, it may keep some, and insert there.
  const points = edit.changes === undefined ? pointsOf(words, wordsOf(edit.text)) : [];
  const isThere = (one: UnitHunk): boolean => one.from === one.to && points.includes(one.from) && !isEnd(one);
  if (own.some((one) => isThere(one) && !isDoneBy(one, others))) return undefined;
  // Text inserted just before or after replaced words stays before or after what replaces them.
  const all = [...own, ...added].sort((a, b) => a.from - b.from || a.to - b.to || +isEnd(a) - +isEnd(b));
  let [text, at] = ["", 0];
  for (const { from, to, insert } of all) {
    text += words.slice(at, from).join("") + insert.join("");
    at = to;
  }
  return text + words.slice(at).join("");
}

/** Reports whether a line has at most a third of the words of the one that it replaces, which has several. */
function isAnother(before: string, after: string): boolean {
  const [a, b] = [filled(before), filled(after)];
  return a.length > 1 && 3 * commonIn(a, b) <= Math.min(a.length, b.length);
}

/** Returns the gaps at which a line was added to: between two words, or at an edge of a word that was made longer. */
function pointsOf(words: readonly string[], next: readonly string[]): readonly number[] {
  return replacedIn(words, next).flatMap(({ from, to, fromB, toB }) => {
    if (from === to) return [from];
    const [old, made] = [words.slice(from, to).join(""), next.slice(fromB, toB).join("")];
    return [...(made.endsWith(old) ? [from] : []), ...(made.startsWith(old) ? [to] : [])];
  });
}

const isDoneBy = (one: UnitHunk, others: readonly UnitHunk[]): boolean => others.some((other) => isSame(one, other));

const isSame = (one: UnitHunk, other: UnitHunk): boolean =>
  one.from === other.from && one.to === other.to && one.insert.join("") === other.insert.join("");

function hunksOf(words: readonly string[], base: string, { text, changes }: LineVersion): readonly UnitHunk[] {
  if (changes !== undefined) return wholeWords(words, base, changes).map((one) => slid(words, one));
  const next = wordsOf(text);
  const runs: Replaced[] = [];
  for (const run of replacedIn(words, next)) {
    const last = runs.at(-1);
    // Between replaced words, only letters and digits are known to have stayed.
    const isOne = last !== undefined && !words.slice(last.to, run.from).some((one) => /[\p{L}\p{N}]/u.test(one));
    if (isOne) runs[runs.length - 1] = { ...last, to: run.to, toB: run.toB };
    else runs.push(run);
  }
  return runs.map(({ from, to, fromB, toB }) => slid(words, { from, to, insert: next.slice(fromB, toB) }));
}

/** Reports whether a word has letters. */
export const isLetters = (one: string): boolean => /\p{L}/u.test(one);

/** Extends the changes of a line to whole words: text that is typed at a word becomes a part of it. */
function wholeWords(words: readonly string[], base: string, changes: readonly Change[]): Omit<UnitHunk, "reach">[] {
  const starts = [0];
  for (const one of words) starts.push(starts.at(-1)! + one.length);
  const set = ChangeSet.of(base.length, changes);
  const after = set.apply(base);
  const ends = new Set<number>([0]);
  let end = 0;
  for (const one of wordsOf(after)) {
    end += one.length;
    ends.add(end);
  }
  /** Reports whether an offset is within a word after the changes, other than whitespace. */
  const isJoined = (offset: number): boolean =>
    !ends.has(offset) && after.slice(offset - 1, offset + 1).trim().length === 2;
  const spans: { from: number; to: number; readonly changes: Change[] }[] = [];
  for (const change of set.changes) {
    let first = starts.findLastIndex((start) => start <= change.from);
    let last = starts.findIndex((start) => start >= change.to);
    const [fromB, toB] = [set.mapPos(change.from, "before"), set.mapPos(change.to, "after")];
    if (starts[first] === change.from && first > 0 && fromB < after.length && isJoined(fromB)) first--;
    if (starts[last] === change.to && last < words.length && toB > 0 && isJoined(toB)) last++;
    const previous = spans.at(-1);
    if (previous === undefined || first >= previous.to) spans.push({ from: first, to: last, changes: [change] });
    else {
      previous.to = Math.max(previous.to, last);
      previous.changes.push(change);
    }
  }
  return spans.flatMap(({ from, to, changes: all }) => {
    const [start, next] = [starts[from]!, starts[to]!];
    const own = ChangeSet.of(
      next - start,
      all.map((one) => ({ ...one, from: one.from - start, to: one.to - start })),
    );
    const insert = wordsOf(own.apply(base.slice(start, next)));
    if (insert.length === 0) return [{ from, to, insert }];
    const shared = sharedEnds(words.slice(from, to), insert);
    // An equal word that was typed as a whole is another one.
    const head = isTyped(own, 0, insert[0]!.length) ? 0 : shared.head;
    const tail = isTyped(own, own.lengthAfter - insert.at(-1)!.length, own.lengthAfter) ? 0 : shared.tail;
    const hunk = { from: from + head, to: to - tail, insert: insert.slice(head, insert.length - tail) };
    return hunk.from === hunk.to && hunk.insert.length === 0 ? [] : [hunk];
  });
}

/** Reports whether a span of the text after changes was written by one of them. */
function isTyped({ changes }: ChangeSet, from: number, to: number): boolean {
  let shift = 0;
  return changes.some((one) => {
    const start = one.from + shift;
    shift += one.insert.length - (one.to - one.from);
    return start <= from && to <= start + one.insert.length;
  });
}

/** Returns the share of the words of two lines that both have, from 0 to 1; 0 if none of these has letters. */
export function sharedWords(one: string, other: string): number {
  const [a, b] = [filled(one), filled(other)];
  return commonIn(a, b.filter(isLetters)) === 0 ? 0 : (2 * commonIn(a, b)) / (a.length + b.length);
}

/** Returns the share of a changed line's words that are left of it, from 0 to 1; `undefined` if it had or has none. */
export function leftWords(before: string, after: string): number | undefined {
  const [a, b] = [filled(before), filled(after)];
  const [own, others] = a.some(isLetters) && b.some(isLetters) ? [a.filter(isLetters), b.filter(isLetters)] : [a, b];
  return a.length === 0 || b.length === 0 ? undefined : commonIn(own, others) / Math.min(own.length, others.length);
}

/** Returns a line's words without whitespace. */
const filled = (line: string): readonly string[] => wordsOf(line).filter((one) => one.trim() !== "");

function commonIn(one: readonly string[], other: readonly string[]): number {
  const left = new Map<string, number>();
  for (const text of one) left.set(text, (left.get(text) ?? 0) + 1);
  let common = 0;
  for (const text of other) {
    const count = left.get(text) ?? 0;
    if (count > 0) common++;
    left.set(text, count - 1);
  }
  return common;
}
