/** Laws for SEARCH/REPLACE blocks: they do what replacing whole lines, one block after another, does. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lawRuns } from "./support/extent.js";
import { planPatch } from "./support/patching.js";

/** The markers and names with which models write blocks. */
const styles = {
  aider: { start: "<<<<<<< SEARCH", end: ">>>>>>> REPLACE" },
  sloppy: { start: "<<<<< SEARCH", end: ">>>>>>>>> REPLACE" },
  roo: { start: "<<<<<<< SEARCH", end: ">>>>>>> REPLACE" },
  cline: { start: "------- SEARCH", end: "+++++++ REPLACE" },
} as const;
type Style = keyof typeof styles;

const words = fc.constantFrom("one", "two", "  two", "three;", "}", "", "x = 1;", "max = 1;", "<<<<<<< HEAD", "======");
const lines = (most: number): fc.Arbitrary<string[]> => fc.array(words, { maxLength: most });

const wishes = fc.array(
  fc.record({
    path: fc.constantFrom("a.ts", "b/c.ts"),
    at: fc.nat(9),
    count: fc.integer({ min: 1, max: 3 }),
    added: lines(3),
    // The number of lines above and below the place that are sent as new ones, as if they had been inserted before.
    again: fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 })),
    isAgain: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
);

/** A block, as a model writes it. `line`: Roo's hint. */
function blockOf(
  style: Style,
  path: string,
  search: readonly string[],
  added: readonly string[],
  line: number,
): string {
  const { start, end } = styles[style];
  const hint = style === "roo" ? [`:start_line:${line}`, "-------"] : [];
  return ["", path, "```", start, ...hint, ...search, "=======", ...added, end, "```"].join("\n");
}

/** The 0-based lines at which a run of lines starts. */
const startsOf = (all: readonly string[], run: readonly string[]): number[] =>
  all.flatMap((_, at) => (run.every((one, i) => all[at + i] === one) ? [at] : []));

/** Returns what is left of a list of lines without those of another list. */
function without(all: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return all.filter((one) => !left.includes(one) || left.splice(left.indexOf(one), 1).length === 0);
}

/** Reports whether a block only inserts lines. */
function inserts(search: readonly string[], added: readonly string[]): boolean {
  let kept = 0;
  for (const one of added) if (one === search[kept]) kept++;
  return kept === search.length;
}

/**
 * Reports whether a block inserts lines, two of which have text, and the lines at its place are part of all that it would
 * leave there already.
 */
function isThere(all: readonly string[], at: number, search: readonly string[], added: readonly string[]): boolean {
  const inserted = without(added, search).filter((one) => /\w/.test(one));
  if (!inserts(search, added) || inserted.length < 2) return false;
  return startsOf(added, search).some((skipped) => startsOf(all, added).includes(at - skipped));
}

describe("SEARCH/REPLACE blocks", () => {
  it("replace whole lines that occur once, one block after another", () => {
    const style = fc.constantFrom<Style>("aider", "sloppy", "roo", "cline");
    let refused = 0;
    fc.assert(
      fc.property(style, lines(10), lines(10), wishes, (how, first, second, wanted) => {
        const texts = new Map([
          ["a.ts", ["top", ...first]],
          ["b/c.ts", ["top", ...second]],
        ]);
        const before = new Map([...texts].map(([path, all]) => [path, all.map((one) => `${one}\n`).join("")]));
        const blocks: string[] = [];
        const there: number[] = [];
        const sentTo = new Set<string>();
        for (const { path, at, count, again, isAgain, ...wish } of wanted) {
          const all = texts.get(path)!;
          const search = all.slice(at, at + count);
          const added = isAgain ? all.slice(Math.max(0, at - again[0]), at + search.length + again[1]) : wish.added;
          // A line of five to nine of these characters divides a block, so it can't be in one.
          if ([...search, ...added].includes("======")) continue;
          if (search.every((one) => one.trim() === "") || String(search) === String(added)) continue;
          if (startsOf(all, search).length !== 1) continue;
          // After another block of the file, these lines may be what that block has written.
          if (sentTo.has(path) && inserts(search, added)) return;
          if (isThere(all, at, search, added)) there.push(blocks.length);
          sentTo.add(path);
          blocks.push(blockOf(how, path, search, added, at + 1));
          all.splice(at, search.length, ...added);
        }
        fc.pre(blocks.length > 0 && new Set(blocks).size === blocks.length);
        const run = planPatch(before, blocks.join("\n"));
        // Lines that a block inserts are not inserted twice.
        const [doneAt] = there;
        if (doneAt !== undefined) {
          refused++;
          const { index, code } = run.failures[0]!;
          expect({ index, code }, blocks.join("\n")).toEqual({ index: doneAt, code: "alreadyApplied" });
          return;
        }
        expect(
          run.failures.map(({ message }) => message),
          blocks.join("\n"),
        ).toEqual([]);
        const after = [...texts].map(([path, all]) => [path, all.map((one) => `${one}\n`).join("")]);
        expect([...run.files].sort(), blocks.join("\n")).toEqual(after.sort());
      }),
      { numRuns: lawRuns(1_000) },
    );
    expect(refused).toBeGreaterThan(0);
  });

  it("are refused if their lines occur several times, unless Roo's number names one", () => {
    fc.assert(
      fc.property(lines(10), fc.nat(9), fc.integer({ min: 1, max: 2 }), (all, at, count) => {
        const search = all.slice(at, at + count);
        const starts = startsOf(all, search);
        fc.pre(starts.length > 1 && search.some((one) => one.trim() !== "") && !search.includes("======"));
        const before = new Map([["a.ts", all.map((one) => `${one}\n`).join("")]]);
        const plain = planPatch(before, blockOf("aider", "a.ts", search, ["new"], 1));
        expect(plain.failures.map(({ code }) => code)).toEqual(["ambiguousMatch"]);
        const named = planPatch(before, blockOf("roo", "a.ts", search, ["new"], at + 1));
        const after = all.toSpliced(at, search.length, "new").map((one) => `${one}\n`);
        expect(named.files.get("a.ts")).toBe(after.join(""));
      }),
      { numRuns: lawRuns(300) },
    );
  });

  it("are read in linear time, whatever is above them", () => {
    const length = 200_000;
    const hostile = ["a.", "a", "`", "*", "# ", "(", "/.a", "a/", "~", " ", "File: "].flatMap((part) => {
      const run = part.repeat(length / part.length);
      return [`${run}-`, `x.${run}-`, `\`\`\`python ${run}-`, `<<<<<<< SEARCH ${run} x`];
    });
    for (const line of hostile) {
      const start = performance.now();
      planPatch(new Map([["a.ts", "x\n"]]), `${line}\n${blockOf("aider", "a.ts", ["x"], ["y"], 1)}`);
      planPatch(
        new Map([["a.ts", "x\n"]]),
        `a.ts\n${line}\nword word\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n`,
      );
      expect(performance.now() - start, line.slice(0, 30)).toBeLessThan(2000);
    }
  });
});
