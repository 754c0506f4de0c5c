/**
 * The merge of a line that both sides have changed, judged by a model that knows which character stayed. In its lines, each
 * character but a space is there only once. `MERGE_WORD_RUNS` sets the number of lines.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { type Change, ChangeSet } from "../server/text/changeSet.js";
import { mergeLine, wordsOf } from "../server/text/words.js";
import { wrongIn } from "./merging/visible.js";

const chosen = process.env.MERGE_WORD_RUNS;
const numRuns = Number(chosen ?? 4_000);

it.each([
  ["a run of letters and digits", "größe2 x_1", ["größe2", " ", "x_1"]],
  ["a number with points", "1.5+1.2.3", ["1.5", "+", "1.2.3"]],
  ["a point after a number", "1. x.1", ["1", ".", " ", "x", ".", "1"]],
  ["a run of whitespace", "a \t b", ["a", " \t ", "b"]],
  ["any other character", "->😀", ["-", ">", "😀"]],
  ["a letter with a combining mark", "e\u0301a", ["e\u0301a"]],
  ["nothing", "", []],
])("a word is %s", (_, line, words) => {
  expect(wordsOf(line)).toEqual(words);
});

/** The start of the letters and symbols of the line, of what was typed, and of the edit. */
const blocks = { base: [0x4e00, 0x2200], typed: [0xac00, 0x2500], edit: [0xa000, 0x2900] } as const;

/** Returns a text of letters, symbols and spaces, by their kinds; each letter and symbol is a new one. */
function written(kinds: readonly number[], [letters, symbols]: readonly [number, number], from = 0): string {
  return kinds
    .map((kind, i) => (kind === 0 ? " " : String.fromCodePoint((kind === 1 ? symbols : letters) + from + i)))
    .join("");
}

const chars = (most: number) => fc.array(fc.constantFrom(0, 1, 2, 2, 2), { maxLength: most });

/** A replacement of characters of the line. */
const part = fc.record({ from: fc.nat(), length: fc.nat(3), insert: chars(3) });

const lines = fc.record({
  base: chars(10),
  typed: fc.array(part, { minLength: 1, maxLength: 2 }),
  edit: fc.array(part, { minLength: 1, maxLength: 2 }),
});

/** Returns the changes of one side; those that touch earlier ones are left out. */
function changesOf(
  base: string,
  parts: readonly (typeof part extends fc.Arbitrary<infer T> ? T : never)[],
  side: "typed" | "edit",
) {
  const all: Change[] = [];
  for (const [i, { from: chosenFrom, length, insert }] of parts.entries()) {
    const from = chosenFrom % (base.length + 1);
    const to = Math.min(base.length, from + length);
    if (all.every((one) => to < one.from || one.to < from))
      all.push({ from, to, insert: written(insert, blocks[side], 10 * i) });
  }
  return ChangeSet.of(base.length, all);
}

/** What one side does to the words and gaps of a line. */
interface Touched {
  /** The words of which a character is gone, or which are now a part of another word. */
  readonly words: ReadonlySet<number>;
  /** The offsets, in the line, at which something was written. */
  readonly gaps: ReadonlySet<number>;
}

function touchedBy(base: string, set: ChangeSet): Touched {
  const after = set.apply(base);
  const tokens = new Set(spansOf(after).map(({ from, to }) => `${from} ${to}`));
  const words = new Set<number>();
  for (const [i, { from, to }] of spansOf(base).entries()) {
    const isCut = set.changes.some((one) => (one.from < to && from < one.to) || (from < one.from && one.from < to));
    const start = set.mapPos(from, "after");
    const isWord = tokens.has(`${start} ${start + to - from}`) || base.slice(from, to).trim() === "";
    if (isCut || !isWord) words.add(i);
  }
  return { words, gaps: new Set(set.changes.flatMap(({ from, to, insert }) => (insert === "" ? [] : [from, to]))) };
}

function spansOf(line: string): readonly { readonly from: number; readonly to: number }[] {
  return [...line.matchAll(/[\p{L}\p{N}_]+|\s+|./gu)].map(({ index, 0: word }) => ({
    from: index,
    to: index + word.length,
  }));
}

/**
 * Returns the gaps at the edges of touched words, and those at which something was written. Spaces beside spaces are at
 * either end of them.
 */
function edgesOf(base: string, { words, gaps }: Touched): ReadonlySet<number> {
  const spans = spansOf(base);
  const edges = [...gaps, ...[...words].flatMap((i) => [spans[i]!.from, spans[i]!.to])];
  const isSpace = ({ from, to }: { from: number; to: number }): boolean => base.slice(from, to).trim() === "";
  const spaces = spans.filter((one) => isSpace(one) && (edges.includes(one.from) || edges.includes(one.to)));
  return new Set([...edges, ...spaces.flatMap(({ from, to }) => [from, to])]);
}

it("loses and moves no character, and refuses only if both sides touch one word, or write at one place", () => {
  const counts = { merged: 0, refused: 0, free: 0, clashing: 0 };
  fc.assert(
    fc.property(lines, ({ base: kinds, ...sides }) => {
      const base = written(kinds, blocks.base);
      const [typed, edit] = [changesOf(base, sides.typed, "typed"), changesOf(base, sides.edit, "edit")];
      const [own, other] = [typed.apply(base), edit.apply(base)];
      const exact = mergeLine(base, { text: own, changes: typed.changes }, { text: other, changes: edit.changes });
      const compared = mergeLine(base, { text: own, changes: typed.changes }, { text: other });
      const [one, two] = [touchedBy(base, typed), touchedBy(base, edit)];
      const told = JSON.stringify({ base, own, other, exact, compared });
      for (const result of [exact, compared])
        if (result !== undefined) expect(wrongIn({ base, typed: own, edited: other, result }), told).toEqual([]);
      if (exact === undefined) counts.refused++;
      else counts.merged++;
      const isFree = [...edgesOf(base, one)].every((gap) => !edgesOf(base, two).has(gap));
      if (isFree) {
        counts.free++;
        expect(exact, told).toBeDefined();
      }
      // A change that both have made is done.
      const isRemovedByBoth = [...base].some((char) => !own.includes(char) && !other.includes(char));
      const isDone = ({ from, to, insert }: Change): boolean =>
        edit.changes.some((change) => insert === change.insert && from <= change.to && change.from <= to);
      const isFilled = (word: number): boolean =>
        base.slice(spansOf(base)[word]!.from, spansOf(base)[word]!.to).trim() !== "";
      if (
        [...one.words].some((word) => two.words.has(word) && isFilled(word)) &&
        !isRemovedByBoth &&
        !typed.changes.some(isDone)
      ) {
        counts.clashing++;
        expect(exact, told).toBeUndefined();
      }
    }),
    { numRuns },
  );
  if (chosen !== undefined) process.stdout.write(`${JSON.stringify(counts)}\n`);
  for (const count of Object.values(counts)) expect(count / numRuns).toBeGreaterThan(0.04);
});
