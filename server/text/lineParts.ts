/** Divides replaced lines into those that became others, those that were removed, and those that were added. */
import type { Change, ChangeSet } from "./changeSet.js";
import { trimEnd, trimStart } from "./chars.js";
import type { LineIndex } from "./lines.js";
import { replacedIn } from "./lines.js";
import { sharedWords } from "./words.js";

/**
 * The source of changes. `typed`: made one by one, so that parts of a line keep their identity; `compared`: found by comparing
 * texts, perhaps otherwise than they were made; `edit`: an agent's.
 */
export type ChangeKind = "typed" | "compared" | "edit";

/** A line of which characters are left, and a line that has some of them. */
export interface Kept {
  readonly pair: LinePair;
  /** `true` if the line's other characters were changed within the line. */
  readonly isWithin: boolean;
}

/** Returns the lines of which characters are left, with the lines that have these. */
export function keptIn(before: LineIndex, after: LineIndex, { changes, length }: ChangeSet): readonly Kept[] {
  const kept: Kept[] = [];
  const isOfOneLine = ({ from, to, insert }: Change): boolean =>
    before.lineAt(from) === before.lineAt(to) && !/[\r\n]/.test(insert);
  const isWithin = (line: number): boolean => {
    const [start, end] = [before.start(line), before.contentEnd(line)];
    const [first, last] = [trimStart(before.text, start, end), trimEnd(before.text, start, end)];
    return changes.every((one) => one.to <= first || one.from >= last || isOfOneLine(one));
  };
  let [at, shift] = [0, 0];
  for (const { from, to, insert } of [...changes, { from: length, to: length, insert: "" }]) {
    for (let line = before.lineAt(at); at < from; line++) {
      const end = Math.min(from, before.end(line));
      const textEnd = Math.min(end, before.contentEnd(line));
      const [first, last] = [trimStart(before.text, at, textEnd), trimEnd(before.text, at, textEnd)];
      if (first < last) kept.push({ pair: [line, after.lineAt(first + shift)], isWithin: isWithin(line) });
      at = end;
    }
    at = to;
    shift += insert.length - (to - from);
  }
  return kept;
}

/**
 * Returns the parts of replaced lines. `kept`: `undefined` if nobody knows what is left, so that lines pair in order if they
 * are as many. A line whose characters are in several lines, or beside those of another, was split or joined.
 */
export function partsOf(
  old: readonly string[],
  next: readonly string[],
  kept: readonly Kept[] | undefined,
  kind: ChangeKind,
): readonly LinePart[] {
  const isTorn = ({ pair: [line, lineB] }: Kept): boolean =>
    kept?.some(({ pair: [other, otherB] }) => (other === line) !== (otherB === lineB)) === true;
  const whole = (kept ?? []).filter((one) => one.isWithin && !isTorn(one));
  const anchors = whole.map(({ pair }) => pair).filter(([line], i, all) => all[i - 1]?.[0] !== line);
  const parts: LinePart[] = [];
  let [at, atB] = [0, 0];
  for (const [line, lineB] of [...anchors, [old.length, next.length] as const]) {
    const [from, fromB] = [at, atB];
    const all = { from: 0, to: line - from, fromB: 0, toB: lineB - fromB };
    const runs = replacedIn(old.slice(from, line), next.slice(fromB, lineB));
    // An editor that compares texts may tell of lines that were inserted as parts of such that are alike.
    const isThere = ({ pair: [own] }: Kept): boolean => {
      const added = runs.reduce((sum, run) => (from + run.from <= own ? sum + run.toB - run.fromB : sum), 0);
      return kept?.some(({ pair: [other, otherB] }) => other === own && otherB === fromB + own - from + added) === true;
    };
    const inside = kept?.filter(({ pair: [own] }) => from <= own && own < line) ?? [];
    // Nobody knows an empty line again between lines that were added.
    const isEmpty = runs.length > 1 && old.slice(from, line).every((text) => text.trim() === "");
    const isAgain = !isEmpty && runs.every((one) => one.from === one.to) && inside.every(isThere);
    for (const one of kept === undefined || isAgain ? runs : [all]) {
      const own = { from: from + one.from, to: from + one.to, fromB: fromB + one.fromB, toB: fromB + one.toB };
      parts.push(...(kept === undefined ? paired(old, next, { ...own, kind }) : [own]));
    }
    if (line < old.length && old[line] !== next[lineB])
      parts.push({ from: line, to: line + 1, fromB: lineB, toB: lineB + 1, line: 0 });
    [at, atB] = [line + 1, lineB + 1];
  }
  return parts;
}

/** A line and the one that it became. */
type LinePair = readonly [number, number];

/** A part of replaced lines. */
export interface LinePart {
  readonly from: number;
  readonly to: number;
  readonly fromB: number;
  readonly toB: number;
  /**
   * Among the new lines, the index of the one that the only old line became, so that both sides' changes of it can be merged;
   * `undefined` if there is none.
   */
  readonly line?: number;
}

/** Divides replaced lines into lines that became others, with what was added beside the first and the last one, and the rest. */
function paired(
  old: readonly string[],
  next: readonly string[],
  { kind, from, to, fromB, toB }: LinePart & { readonly kind: ChangeKind },
): readonly LinePart[] {
  const parts: LinePart[] = [];
  let [at, atB] = [from, fromB];
  const [rows, rowsB] = [old.slice(from, to), next.slice(fromB, toB)];
  const pairs = pairsOf(rows, rowsB);
  if (isTornIn(rows, rowsB, pairs)) return [{ from, to, fromB, toB }];
  const pair = (line: number, lineB: number): void => {
    const [start, end] = [line === from ? fromB : lineB, line === to - 1 ? toB : lineB + 1];
    parts.push({ from: line, to: line + 1, fromB: start, toB: end, line: lineB - start });
    [at, atB] = [line + 1, end];
  };
  for (const [i, j] of [...pairs, [to - from, toB - fromB] as const]) {
    const [line, lineB] = [from + i, fromB + j];
    // Of an edit, as many lines pair in order.
    if (kind === "edit" && line - at === lineB - atB) while (at < line) pair(at, atB);
    if (at < line || (atB < lineB && (line > from || from === to)))
      parts.push({ from: at, to: line, fromB: atB, toB: lineB });
    if (line < to) pair(line, lineB);
  }
  return parts;
}

/** Beyond this number of pairs of lines, no lines are compared. */
const mostPairs = 4_000;

/** Pairs the lines that have more of their words in common than each has with any other line, and more than half. */
function pairsOf(old: readonly string[], next: readonly string[]): readonly LinePair[] {
  if (old.length * next.length > mostPairs) return [];
  const shares = old.map((line) => next.map((one) => sharedWords(line, one)));
  const isBest = (share: number, i: number, j: number): boolean =>
    share > 0.5 &&
    shares[i]!.every((other, k) => k === j || other < share) &&
    shares.every((row, k) => k === i || row[j]! < share);
  const pairs = shares.flatMap((row, i) =>
    row.flatMap((share, j): LinePair[] => (isBest(share, i, j) ? [[i, j]] : [])),
  );
  return pairs.filter(([i, j]) => pairs.every(([k, l]) => (k - i) * (l - j) >= 0));
}

/** Reports whether another line was a part of a line that became another one, or has become a part of it. */
function isTornIn(old: readonly string[], next: readonly string[], pairs: readonly LinePair[]): boolean {
  const [rest, restB] = [old, next].map((lines, side) =>
    lines.filter((_, i) => !pairs.some((pair) => pair[side] === i)),
  );
  const hasPart = (line: string, other: string, parts: readonly string[]): boolean =>
    parts.some((one) => one.trim() !== "" && line.split(one.trim()).length > other.split(one.trim()).length);
  return pairs.some(([i, j]) => hasPart(old[i]!, next[j]!, restB!) || hasPart(next[j]!, old[i]!, rest!));
}
