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

describe("SEARCH/REPLACE blocks", () => {
  it("replace whole lines that occur once, one block after another", () => {
    const style = fc.constantFrom<Style>("aider", "sloppy", "roo", "cline");
    fc.assert(
      fc.property(style, lines(10), lines(10), wishes, (how, first, second, wanted) => {
        const texts = new Map([
          ["a.ts", ["top", ...first]],
          ["b/c.ts", ["top", ...second]],
        ]);
        const before = new Map([...texts].map(([path, all]) => [path, all.map((one) => `${one}\n`).join("")]));
        const blocks: string[] = [];
        for (const { path, at, count, added } of wanted) {
          const all = texts.get(path)!;
          const search = all.slice(at, at + count);
          // A line of five to nine of these characters divides a block, so it can't be in one.
          if ([...search, ...added].includes("======")) continue;
          if (search.every((one) => one.trim() === "") || String(search) === String(added)) continue;
          if (startsOf(all, search).length !== 1) continue;
          blocks.push(blockOf(how, path, search, added, at + 1));
          all.splice(at, search.length, ...added);
        }
        fc.pre(blocks.length > 0 && new Set(blocks).size === blocks.length);
        const run = planPatch(before, blocks.join("\n"));
        // Lines that a block inserts may have been there by chance; they are not inserted twice.
        fc.pre(run.failures.every(({ code }) => code !== "alreadyApplied"));
        expect(
          run.failures.map(({ message }) => message),
          blocks.join("\n"),
        ).toEqual([]);
        const after = [...texts].map(([path, all]) => [path, all.map((one) => `${one}\n`).join("")]);
        expect([...run.files].sort(), blocks.join("\n")).toEqual(after.sort());
      }),
      { numRuns: lawRuns(500) },
    );
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
