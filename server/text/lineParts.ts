/** Divides replaced lines into those that became others, those that were removed, and those that were added. */
import type { Change, ChangeSet } from "./changeSet.js";
import { trimEnd, trimStart } from "./chars.js";
import type { LineIndex } from "./lines.js";
import { replacedIn } from "./lines.js";
import { isLetters, sharedWords } from "./words.js";

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
 * Returns the parts of replaced lines. `kept`: `undefined` if nobody knows what is left, so that lines pair by their words.
 * A line whose characters are in several lines, or beside those of another, was split or joined.
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
    const left = (kept ?? []).filter(({ pair }) => from <= pair[0] && pair[0] < line);
    // A line of which characters are left is not an equal one that has none of them.
    const areThere = left.every(({ pair }) =>
      left.some((one) => one.pair[0] === pair[0] && next[one.pair[1]] === old[pair[0]]),
    );
    const areEmpty = old.slice(from, line).every((text) => text.trim() === "");
    // An editor that compares texts may tell of lines that were inserted or removed as parts of such that are alike.
    const isAgain =
      (runs.every((one) => one.from === one.to) && areThere && !(areEmpty && runs.length > 1)) ||
      (left.some(isTorn) && runs.every((one) => one.fromB === one.toB));
    for (const one of kept === undefined || isAgain ? runs : [all]) {
      const own = { from: from + one.from, to: from + one.to, fromB: fromB + one.fromB, toB: fromB + one.toB };
      parts.push(...(kept === undefined ? pairedIn(old, next, { ...own, kind }) : [{ ...own, isLine: false }]));
    }
    if (line < old.length && old[line] !== next[lineB])
      parts.push({ from: line, to: line + 1, fromB: lineB, toB: lineB + 1, isLine: true, isSame: true });
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
  /** `true` if one line became another, so that both sides' changes of it can be merged. */
  readonly isLine: boolean;
  /** `true` if characters of this line are known to have stayed. */
  readonly isSame?: true | undefined;
  /** For added lines that, together with the line before or after them, replaced lines: this neighbour. */
  readonly boundTo?: "previous" | "next" | undefined;
}

/** As `paired`. Of many lines, first those pair that differ only in whitespace; what is still too much stays one part. */
function pairedIn(
  old: readonly string[],
  next: readonly string[],
  whole: Omit<LinePart, "isLine"> & { readonly kind: ChangeKind },
): readonly LinePart[] {
  const { from, to, fromB, toB } = whole;
  if ((to - from) * (toB - fromB) <= mostPairs) return paired(old, next, whole);
  const [a, b] = [old.slice(from, to), next.slice(fromB, toB)].map((lines) =>
    lines.map((one) => one.replace(/\s+/g, "")),
  );
  const runs = replacedIn(a!, b!);
  const parts: LinePart[] = [];
  let [at, atB] = [from, fromB];
  for (const run of [...runs, { from: to - from, to: to - from, fromB: toB - fromB, toB: toB - fromB }]) {
    for (; at < from + run.from; at++, atB++)
      if (old[at] !== next[atB]) parts.push({ from: at, to: at + 1, fromB: atB, toB: atB + 1, isLine: true });
    [at, atB] = [from + run.to, fromB + run.toB];
    const own = { from: from + run.from, to: at, fromB: fromB + run.fromB, toB: atB };
    const isMuch = (own.to - own.from) * (own.toB - own.fromB) > mostPairs;
    if (own.from < own.to || own.fromB < own.toB)
      parts.push(...(isMuch ? [{ ...own, isLine: false }] : paired(old, next, { ...own, kind: whole.kind })));
  }
  return parts;
}

/** Divides replaced lines into lines that became others, and the rest. A line that was split or joined stays one part. */
function paired(
  old: readonly string[],
  next: readonly string[],
  { kind, ...whole }: Omit<LinePart, "isLine"> & { readonly kind: ChangeKind },
): readonly LinePart[] {
  const { from, to, fromB, toB } = whole;
  if (from === to || fromB === toB) return [{ ...whole, isLine: false }];
  const pairs = pairsOf(old, next, whole);
  if (isTornIn(old, next, { ...whole, pairs })) return [{ ...whole, isLine: false }];
  const parts: LinePart[] = [];
  let [at, atB] = [from, fromB];
  for (const [line, lineB] of [...pairs, [to, toB] as const]) {
    // A line replaces the only one, and several replace as many if each has a word of its own one. What is added beside a line
    // belongs to it.
    const isOnly = to - from === 1 && toB - fromB === 1;
    const isEven = line - at === lineB - atB && (isOnly || areAlike(old.slice(at, line), next.slice(atB, lineB)));
    const boundTo = at < line ? undefined : at === from ? "next" : line === to ? "previous" : undefined;
    for (let i = 0; isEven && i < line - at; i++)
      parts.push({ from: at + i, to: at + i + 1, fromB: atB + i, toB: atB + i + 1, isLine: true });
    if (!isEven) parts.push({ from: at, to: line, fromB: atB, toB: lineB, isLine: false, boundTo });
    if (line < to) parts.push({ from: line, to: line + 1, fromB: lineB, toB: lineB + 1, isLine: true });
    [at, atB] = [line + 1, lineB + 1];
  }
  return parts;
}

const areAlike = (old: readonly string[], next: readonly string[]): boolean =>
  old.every((line, i) => sharedWords(line, next[i]!) > 0);

/**
 * Reports whether a line that has become another one is joined there with a removed line, or split from an added one.
 * Without letters, the two must be side by side.
 */
function isTornIn(
  old: readonly string[],
  next: readonly string[],
  { from, to, fromB, toB, pairs }: Omit<LinePart, "isLine"> & { readonly pairs: readonly LinePair[] },
): boolean {
  const [a, b] = [old.slice(from, to), next.slice(fromB, toB)].map((lines) =>
    lines.map((line) => line.replace(/\s+/g, "")),
  ) as [string[], string[]];
  const own = pairs.map(([line, lineB]): LinePair => [line - from, lineB - fromB]);
  const isTorn = (rest: string, line: string, other: string): boolean =>
    rest !== "" &&
    (other.includes(line + rest) ||
      other.includes(rest + line) ||
      (isLetters(rest) && other.includes(rest) && !line.includes(rest)));
  return own.some(
    ([line, lineB]) =>
      a.some((rest, i) => own.every((pair) => pair[0] !== i) && isTorn(rest, a[line]!, b[lineB]!)) ||
      b.some((rest, i) => own.every((pair) => pair[1] !== i) && isTorn(rest, b[lineB]!, a[line]!)),
  );
}

/** Lines longer than this number of UTF-16 code units are not compared by their words. */
const mostUnits = 2_000;

/** Beyond this number of pairs of lines, no lines are compared. */
const mostPairs = 2_500;

/** Pairs removed lines with the added ones that have the most of their words, and more than half. */
function pairsOf(
  old: readonly string[],
  next: readonly string[],
  { from, to, fromB, toB }: Omit<LinePart, "isLine">,
): readonly LinePair[] {
  if ((to - from) * (toB - fromB) > mostPairs) return [];
  if ([...old.slice(from, to), ...next.slice(fromB, toB)].some(({ length }) => length > mostUnits)) return [];
  const found: { readonly pair: LinePair; readonly share: number }[] = [];
  for (let line = from; line < to; line++)
    for (let lineB = fromB; lineB < toB; lineB++) {
      const share = sharedWords(old[line]!, next[lineB]!);
      if (share > 0.5) found.push({ pair: [line, lineB], share });
    }
  found.sort((a, b) => b.share - a.share);
  const pairs: LinePair[] = [];
  for (const { pair, share } of found) {
    const isInOrder = ([line, lineB]: LinePair): boolean => (line - pair[0]) * (lineB - pair[1]) > 0;
    const isBest = found.every(
      (one) => one.pair === pair || one.share < share || one.pair.every((n, i) => n !== pair[i]),
    );
    if (isBest && pairs.every(isInOrder)) pairs.push(pair);
  }
  return pairs.sort(([a], [b]) => a - b);
}
