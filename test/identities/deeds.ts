/** What a person does to a text: each deed is a few changes, each of which an editor syncs as it is. */
import type { Chance } from "../codex/random.js";
import { type Chars, type Identities, lineStart, linesOf, type Span, type Splice, settled, spliced } from "./chars.js";
import { heads, newLine, newWord, tails } from "./texts.js";

/** A deed. Each splice applies to the result of the one before it. */
export interface Deed {
  readonly what: string;
  readonly splices: readonly Splice[];
}

/** What a deed can draw on. */
export interface Hand {
  readonly chance: Chance;
  readonly chars: Chars;
  readonly lines: readonly Span[];
  readonly ids: Identities;
  readonly step: number;
  /** `true` if this editor's Enter key makes CRLF. */
  readonly crlf: boolean;
  /** The part of the text in which most happens, from 0 to 1. */
  readonly focus: number;
}

/** Draws the number of a line, most often one near the focus. */
export function nearFocus(chance: Chance, focus: number, count: number): number {
  if (count === 0) return 0;
  if (chance.percent(30)) return chance.below(count);
  const at = Math.round(focus * (count - 1)) + chance.between(-2, 2);
  return Math.max(0, Math.min(count - 1, at));
}

const lineOf = ({ chance, lines, focus }: Hand): number => nearFocus(chance, focus, lines.length);

const typedAt = ({ ids, crlf }: Hand, at: number, insert: string): Splice => ({
  ...{ from: at, to: at, insert },
  ids: ids.fresh(insert, crlf),
});

const cut = (from: number, to: number): Splice => ({ from, to, insert: "", ids: [] });

/** Types within a line; not where another offset would give the same text. */
function typed(hand: Hand, at: number, insert: string): Splice[] {
  const { text } = hand.chars;
  return text[at] === insert[0] || (at > 0 && text[at - 1] === insert.at(-1)) ? [] : [typedAt(hand, at, insert)];
}

const none: readonly Splice[] = [];

/** A run of lines, with the line endings that a person takes along. */
function runOf(hand: Hand, most: number): Span {
  const { chance, lines } = hand;
  const first = lineOf(hand);
  const last = Math.min(lines.length, first + chance.between(1, most)) - 1;
  return { from: lines[first]!.from, to: lines[last]!.to, next: lines[last]!.next };
}

/** A function: a line without indentation, and the indented lines after it. */
function functionAt(hand: Hand): Span {
  const { chars, lines } = hand;
  let first = lineOf(hand);
  const isInner = (at: number): boolean =>
    at < lines.length && /^(\s|$)/.test(chars.text.slice(lines[at]!.from, lines[at]!.to));
  while (first > 0 && isInner(first)) first--;
  let end = first + 1;
  while (isInner(end)) end++;
  return { from: lines[first]!.from, to: lines[end - 1]!.to, next: lines[end - 1]!.next };
}

/** Cuts a span of whole lines and pastes it elsewhere. `times`: 2 makes a copy, too. `isOne`: all in one change. */
function moved(
  hand: Hand,
  { from, next }: Span,
  { times, isOne, to }: { times: number; isOne: boolean; to: number },
): Splice[] {
  const { chars, ids, step } = hand;
  if (to >= from && to <= next) return [];
  const [text, own] = [chars.text.slice(from, next), chars.ids.slice(from, next)];
  if (!text.endsWith("\n") || (to === chars.text.length && !chars.text.endsWith("\n"))) return [];
  for (const id of own) ids.moved.set(id, step);
  const copy = times === 2 ? { text, ids: ids.copies(own, step) } : { text: "", ids: [] };
  const pasted = { insert: text + copy.text, ids: [...own, ...copy.ids] };
  if (!isOne) {
    const at = to > from ? to - (next - from) : to;
    const rest = times === 2 && hand.chance.percent(50);
    const first: Splice = { from: at, to: at, insert: text, ids: own };
    const second: Splice = { from: at + text.length, to: at + text.length, insert: copy.text, ids: copy.ids };
    return [cut(from, next), ...(rest ? [first, second] : [{ from: at, to: at, ...pasted }])];
  }
  const [start, end] = [Math.min(from, to), Math.max(next, to)];
  // Which of the lines was moved is not known, if both are in the change.
  for (const id of chars.ids.slice(start, end)) ids.moved.set(id, step);
  const between: Chars = to > from ? part(chars, next, to) : part(chars, to, from);
  const insert = to > from ? between.text + pasted.insert : pasted.insert + between.text;
  const newIds = to > from ? [...between.ids, ...pasted.ids] : [...pasted.ids, ...between.ids];
  return [settled(chars, { from: start, to: end, insert, ids: newIds })];
}

const part = ({ text, ids }: Chars, from: number, to: number): Chars => ({
  text: text.slice(from, to),
  ids: ids.slice(from, to),
});

/** The start of a line, or the end of the text. */
function gapOf(hand: Hand): number {
  const at = lineOf(hand) + hand.chance.below(2);
  return hand.lines[at]?.from ?? hand.chars.text.length;
}

/** Copies lines, and types on one of the copies. */
function duplicated(hand: Hand): Splice[] {
  const { chance, chars, ids, step } = hand;
  const { from, next } = runOf(hand, 2);
  const own = part(chars, from, next);
  if (!own.text.endsWith("\n")) return [];
  const at = chance.percent(50) ? from : next;
  const paste: Splice = { from: at, to: at, insert: own.text, ids: ids.copies(own.ids, step) };
  const line = linesOf(own.text)[0]!;
  const start = chance.percent(50) ? from : next;
  const edit = chance.pick([
    () => [typedAt(hand, start + line.to, chance.pick(tails))],
    () => replacedWord(hand, own.text.slice(line.from, line.to), start),
    () => [],
  ]);
  return [paste, ...edit()];
}

/** Replaces a word of a line that starts at an offset. */
function replacedWord(hand: Hand, line: string, start: number): Splice[] {
  const words = [...line.matchAll(/[\w.]+/g)];
  if (words.length === 0) return [];
  const word = hand.chance.pick(words);
  const insert = newWord(hand.chance, `t${hand.step}`);
  if (insert === word[0]) return [];
  const from = start + word.index;
  return [{ from, to: from + word[0].length, insert, ids: hand.ids.fresh(insert, false) }];
}

/** Indents lines further, or less, one change for each line. */
function reindented(hand: Hand): Splice[] {
  const { chance, chars, lines } = hand;
  const first = lineOf(hand);
  const span = lines.slice(first, first + chance.between(1, 4)).toReversed();
  const isMore = chance.percent(60);
  return span.flatMap(({ from, to }): Splice[] => {
    if (from === to) return [];
    if (isMore) return [typedAt(hand, from, "    ")];
    return chars.text.startsWith("    ", from) ? [cut(from, from + 4)] : [];
  });
}

/** New lines, typed at the end of the line above or at the start of the line below. */
function typedLines(hand: Hand): Splice[] {
  const { chance, lines, step } = hand;
  const line = lines[lineOf(hand)];
  const typed = Array.from({ length: chance.between(1, 2) }, (_, i) => newLine(chance, `t${step}${"ab"[i]}`)).join(
    "\n",
  );
  if (line === undefined) return [typedAt(hand, 0, `${typed}\n`)];
  const isBelow = line.to > line.from && chance.percent(50);
  return [isBelow ? typedAt(hand, line.to, `\n${typed}`) : typedAt(hand, line.from, `${typed}\n`)];
}

/** Enter at a line's start, end or within it; with auto-indentation if the line goes on. */
function entered(hand: Hand): Splice[] {
  const { chance, lines } = hand;
  const { from, to } = lines[lineOf(hand)]!;
  const at = chance.pick([from, to, chance.between(from, to)]);
  // Of several empty lines, nobody can say which one is new.
  const [before, after] = [hand.chars.text.slice(0, at), hand.chars.text.slice(at)];
  if (from === to || /(^|\n)\n$/.test(before) || /^\n(\n|$)/.test(after)) return [];
  return [typedAt(hand, at, at > from && at < to && chance.percent(50) ? "\n    " : "\n")];
}

function joined(hand: Hand): Splice[] {
  const { chance, chars, lines } = hand;
  const { to } = lines[lineOf(hand)]!;
  const after = chars.text.slice(to + 1).match(/^ */)![0].length;
  // At an empty line, nobody can say which of the line endings was removed.
  if (to + 1 >= chars.text.length || chars.text[to + 1] === "\n" || lineStart(chars.text, to) === to) return [];
  if (chance.percent(50)) return [cut(to, to + 1)];
  return [cut(to, to + 1 + after), typedAt(hand, to, " ")];
}

function removed(hand: Hand): Splice[] {
  const { chance } = hand;
  const { from, to, next } = runOf(hand, 3);
  return [chance.percent(50) && from > 1 && hand.chars.text[from - 2] !== "\n" ? cut(from - 1, to) : cut(from, next)];
}

/** An offset directly after a word of a line; its end if it has none. */
function afterWord(hand: Hand): number {
  const { chance, chars, lines } = hand;
  const { from, to } = lines[lineOf(hand)]!;
  const words = [...chars.text.slice(from, to).matchAll(/\w+/g)];
  if (words.length === 0) return to;
  const word = chance.pick(words);
  return from + word.index + word[0].length;
}

const contentStart = ({ chance, chars }: Hand, { from, to }: Span): number =>
  chance.percent(50) ? from : from + chars.text.slice(from, to).match(/^ */)![0].length;

const line = (hand: Hand): Span => hand.lines[lineOf(hand)]!;

const move = (hand: Hand, span: Span, isOne = hand.chance.percent(35)): Splice[] => {
  const times = hand.chance.percent(25) ? 2 : 1;
  return moved(hand, span, { times, isOne, to: gapOf(hand) });
};

/** The deeds, each with its weight. */
const table: Readonly<Record<string, readonly [number, (hand: Hand) => readonly Splice[]]>> = {
  "types at the end of a line": [12, (hand) => typed(hand, line(hand).to, hand.chance.pick(tails))],
  "types at the start of a line": [8, (hand) => typed(hand, contentStart(hand, line(hand)), hand.chance.pick(heads))],
  "types after a word": [7, (hand) => typed(hand, afterWord(hand), hand.chance.pick(tails))],
  "types within a line": [
    4,
    (hand) => {
      const { from, to } = line(hand);
      return typed(hand, hand.chance.between(from, to), hand.chance.pick(["z", " y ", "(", "5"]));
    },
  ],
  "types lines": [12, typedLines],
  "types Enter": [5, entered],
  "joins lines": [3, joined],
  "deletes lines": [6, removed],
  "replaces a word": [
    8,
    (hand) => {
      const { from, to } = line(hand);
      return replacedWord(hand, hand.chars.text.slice(from, to), from);
    },
  ],
  "re-indents lines": [4, reindented],
  "moves lines": [6, (hand) => move(hand, runOf(hand, 2))],
  "moves a function": [3, (hand) => move(hand, functionAt(hand), false)],
  "copies lines": [5, duplicated],
};

const weights = Object.fromEntries(Object.entries(table).map(([what, [weight]]) => [what, weight]));

/** Draws a deed; it may be empty if the text does not allow it. */
export function drawDeed(hand: Hand): Deed {
  const what = hand.lines.length === 0 ? "types lines" : hand.chance.weighted(weights);
  return { what, splices: table[what]?.[1](hand) ?? none };
}

/** Applies a deed. */
export const after = (chars: Chars, { splices }: Pick<Deed, "splices">): Chars => splices.reduce(spliced, chars);
