/** The table of adversarial shapes, each of which can be generated at any size. */

/** Texts by path, and a call that applies to them. */
export interface HostileBatch {
  readonly texts: Readonly<Record<string, string>>;
  readonly call: object;
}

/** A row of the table. */
export interface HostileShape {
  /** The reason why this shape could be slow. */
  readonly why: string;
  /** `start`: the first size to try; `most`: the largest one. Even twice the largest is within the server's limits. */
  readonly start: number;
  readonly most: number;
  readonly outcome: "done" | "refused";
  readonly make: (n: number) => HostileBatch;
}

const path = "a.txt";

const edit = (text: string, oldText: string, newText: string, more: object = {}): HostileBatch => ({
  texts: { [path]: text },
  call: { path, edits: [{ oldText, newText, ...more }] },
});

const edits = (text: string, each: readonly object[], options: object = {}): HostileBatch => ({
  texts: { [path]: text },
  call: { path, edits: each, options },
});

const patch = (text: string, hunks: readonly string[]): HostileBatch => ({
  texts: { [path]: text },
  call: { patch: ["*** Begin Patch", `*** Update File: ${path}`, ...hunks, "*** End Patch", ""].join("\n") },
});

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
const lines = (n: number, line: (i: number) => string): string =>
  range(n)
    .map((i) => `${line(i)}\n`)
    .join("");
const equal = "x = 1;\n";
const half = (n: number): number => Math.ceil(n / 2);

/** Half of the maximum number of edits in a call, because the larger size has twice as many. */
const mostEdits = 5_000;
/** Maximum length of a text or an old text in UTF-16 code units; even twice this is well within the limits. */
const mostUnits = 8_000_000;

/** The shapes by name. */
export const hostileShapes: Readonly<Record<string, HostileShape>> = {
  "one letter, absent": {
    why: "at half of all offsets, the old text differs only at its end",
    start: 50_000,
    most: mostUnits,
    outcome: "refused",
    make: (n) => edit("a".repeat(n), `${"a".repeat(half(n))}b`, "c"),
  },
  "one letter, another in the middle": {
    why: "the text matches both ends of the old text",
    start: 50_000,
    most: mostUnits,
    outcome: "refused",
    make: (n) => edit("a".repeat(n), `${"a".repeat(half(n / 2))}b${"a".repeat(half(n / 2))}`, "c"),
  },
  "one letter, half the text": {
    why: "the old text occurs at half of all offsets",
    start: 20_000,
    most: 160_000,
    outcome: "refused",
    make: (n) => edit("a".repeat(n), "a".repeat(half(n)), "c"),
  },
  "pairs of one letter, all replaced": {
    why: "all matches overlap, and every other one is replaced",
    start: 10_000,
    most: 80_000,
    outcome: "done",
    make: (n) => edit("a".repeat(n), "aa", "b", { replaceAll: true }),
  },
  "equal lines, absent": {
    why: "at half of all lines, the old text differs only in its last line",
    start: 20_000,
    most: 1_000_000,
    outcome: "refused",
    make: (n) => edit(equal.repeat(n), `${equal.repeat(half(n))}y\n`, "c"),
  },
  "equal lines, indented": {
    why: "the old text occurs at half of all lines, with different indentation",
    start: 2_000,
    most: 160_000,
    outcome: "refused",
    make: (n) => edit(equal.repeat(n), ` ${equal}`.repeat(half(n)), "c"),
  },
  "equal lines, numbered as in a view": {
    why: "at half of all lines, the old text without its line numbers differs only in its last line",
    start: 8_000,
    most: 500_000,
    outcome: "refused",
    make: (n) => edit(equal.repeat(n), `${lines(half(n), (i) => `${i + 1}\tx = 1;`)}${half(n) + 1}\ty\n`, "c"),
  },
  "equal lines, all replaced": {
    why: "there are as many changes as lines",
    start: 2_000,
    most: 80_000,
    outcome: "done",
    make: (n) => edit(equal.repeat(n), equal, "y = 2;\n", { replaceAll: true }),
  },
  "the whole text replaced by different lines": {
    why: "the two sides have no line in common",
    start: 20_000,
    most: 500_000,
    outcome: "done",
    make: (n) =>
      edit(
        lines(n, (i) => `a${i}`),
        lines(n, (i) => `a${i}`),
        lines(n, (i) => `b${i}`),
      ),
  },
  "the whole text in a different order": {
    why: "both sides have the same lines, but none in the same position",
    start: 20_000,
    most: 500_000,
    outcome: "done",
    make: (n) =>
      edit(
        lines(n, (i) => `l${i}`),
        lines(n, (i) => `l${i}`),
        lines(n, (i) => `l${(i * 7919) % n}`),
      ),
  },
  "spaces in one line": {
    why: "each space could be the first of the spaces at the end of the line",
    start: 100_000,
    most: mostUnits,
    outcome: "done",
    make: (n) => edit(`a${" ".repeat(n)}b\n`, "a b\n", "c"),
  },
  "curly quotes": {
    why: "every unit of the text must be folded before it can be compared",
    start: 50_000,
    most: mostUnits,
    outcome: "refused",
    make: (n) => edit(`${"\u201c".repeat(n)}b\n`, `${'"'.repeat(half(n))}c`, "c"),
  },
  ellipses: {
    why: "folding makes the text three times as long",
    start: 50_000,
    most: 4_000_000,
    outcome: "refused",
    make: (n) => edit(`${"\u2026".repeat(n)}b\n`, `${".".repeat(half(n))}c`, "c"),
  },
  "one long line, absent": {
    why: "there are no lines that could narrow the search",
    start: 500_000,
    most: 16_000_000,
    outcome: "refused",
    make: (n) => edit("abcdefghij".repeat(n / 10), "abcdefghijk lmno", "c"),
  },
  "one long line of words, absent": {
    why: "the line resembles the old text everywhere",
    start: 500_000,
    most: 16_000_000,
    outcome: "refused",
    make: (n) => edit("word ".repeat(n / 5), "word wort word", "c"),
  },
  "absent edits beside one that is found": {
    why: "the reason for each failure must be searched for",
    start: 1_600,
    most: mostEdits,
    outcome: "done",
    make: (n) =>
      edits(
        lines(10 * n, (i) => `const value_${i} = compute(${i});`),
        [
          { oldText: "value_1 ", newText: "first " },
          ...range(n - 1).map((i) => ({ oldText: `const valu_${i} = compute(${i});\nfoo`, newText: "" })),
        ],
        { atomic: "none" },
      ),
  },
  "a chain on one line": {
    why: "each edit finds only what the edit before it wrote",
    start: 100,
    most: mostEdits,
    outcome: "done",
    make: (n) =>
      edits(
        `version 0;\n${lines(10 * n, (i) => `const value_${i} = compute(${i});`)}`,
        range(n).map((i) => ({ oldText: `version ${i};`, newText: `version ${i + 1};` })),
      ),
  },
  "old texts that start alike": {
    why: "the old texts differ only at their ends",
    start: 800,
    most: mostEdits,
    outcome: "done",
    make: (n) => {
      const long = (i: number): string => `${"const value = compute(alpha, beta) + ".repeat(6)}${i};`;
      return edits(
        lines(2 * n, long),
        range(n).map((i) => ({ oldText: long(2 * i), newText: `done(${i});` })),
      );
    },
  },
  "all edits in one line": {
    why: "each edit is near all the others",
    start: 100,
    most: mostEdits,
    outcome: "done",
    make: (n) =>
      edits(
        `${range(n)
          .map((i) => `w${i};`)
          .join(" ")}\n`,
        range(n).map((i) => ({ oldText: `w${i};`, newText: `word${i};` })),
      ),
  },
  "many edits, one of them twice": {
    why: "whether the repeated edit is redundant depends on the text at that step",
    start: 100,
    most: mostEdits - 1,
    outcome: "done",
    make: (n) =>
      edits(
        lines(10 * n, (i) => `const value_${i} = compute(${i});`),
        [...range(n), 0].map((i) => ({ oldText: `const value_${10 * i} =`, newText: `let value_${10 * i} =` })),
      ),
  },
  "many edits, one different line end": {
    why: "new lines get the line end nearest to them",
    start: 100,
    most: mostEdits,
    outcome: "done",
    make: (n) =>
      edits(
        `first\r\n${lines(10 * n, (i) => `const value_${i} = compute(${i});`)}`,
        range(n).map((i) => ({ oldText: `const value_${10 * i} =`, newText: `let value_${10 * i} =` })),
      ),
  },
  "equal hunks, each under its own anchor": {
    why: "the lines of each hunk occur after every anchor, so each is ambiguous",
    start: 400,
    most: mostEdits,
    outcome: "refused",
    make: (n) =>
      patch(
        range(n)
          .map((i) => `function f${i}() {\n  return 1;\n}\n\n`)
          .join(""),
        range(n).flatMap((i) => [`@@ function f${i}() {`, "-  return 1;", "+  return 2;", " }"]),
      ),
  },
  "hunks in reverse order": {
    why: "each hunk is first searched for after the hunk before it, where it does not occur",
    start: 2_500,
    most: mostEdits,
    outcome: "done",
    make: (n) =>
      patch(
        lines(10 * n, (i) => `const value_${i} = compute(${i});`),
        range(n)
          .reverse()
          .flatMap((i) => ["@@", `-const value_${10 * i} = compute(${10 * i});`, `+let value_${10 * i};`]),
      ),
  },
  "a hunk that nearly matches everywhere": {
    why: "at half of all lines, the hunk differs only in its last line",
    start: 2_000,
    most: 500_000,
    outcome: "refused",
    make: (n) => patch(equal.repeat(n), ["@@", ...range(half(n)).map(() => " x = 1;"), "-y = 1;", "+z = 1;"]),
  },
};
