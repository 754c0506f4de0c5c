/**
 * The benchmark at small sizes: every case runs, produces the right texts, and has a goal; nothing here measures time.
 */
import { describe, expect, it } from "vitest";
import { benchCases } from "./bench/cases.js";
import { chartOf } from "./bench/chart.js";
import { compare, comparison, merged } from "./bench/compare.js";
import { median, race, uncertainty } from "./bench/race.js";
import { doubts, goalTable, type MeasuredCase, machineNow, missed, strain } from "./bench/report.js";
import { type Goal, verdictOf } from "./bench/result.js";
import { seed } from "./bench/scale.js";
import { sourceText } from "./bench/sourceText.js";

describe("every case of the benchmark", () => {
  it.each(benchCases)("$name: $title", async (one) => {
    const { rows } = await one.measure({ size: 0.003, rounds: 1 });
    expect(rows.flatMap(({ goals }) => goals)).not.toEqual([]);
    for (const { times, goals } of rows) {
      for (const value of [...Object.values(times), ...goals.map((goal) => goal.value)]) {
        expect(Number.isFinite(value)).toBe(true);
      }
    }
  });
});

describe("the texts of the benchmark", () => {
  it("are the same for the same seed, and resemble source code", () => {
    const { lines, functions } = sourceText(20_000, seed);
    expect(sourceText(20_000, seed).lines).toEqual(lines);
    expect(lines).toHaveLength(20_000);
    const units = lines.reduce((sum, line) => sum + line.length + 1, 0) / lines.length;
    expect(units).toBeGreaterThan(38);
    expect(units).toBeLessThan(42);
    // Many lines recur; the first line of a function never does.
    expect(new Set(lines).size).toBeLessThan(0.8 * lines.length);
    const firsts = functions.map(({ start }) => lines[start]);
    expect(new Set(firsts).size).toBe(functions.length);
    expect(lines.filter((line) => firsts.includes(line))).toHaveLength(functions.length);
  });
});

describe("a race", () => {
  it("lets its contenders take turns, and lets the slow ones rest", async () => {
    const turns: string[] = [];
    const contender = (name: string) => ({
      before: () => {
        turns.push(`(${name}`);
      },
      run: () => turns.push(name),
      after: () => {
        turns.push(`${name})`);
      },
    });
    const samples = await race(
      { a: contender("a"), b: { run: async () => turns.push("b") }, c: { run: () => turns.push("c"), most: 1 } },
      { rounds: 2, warmUps: 1, collect: false, clock: "cpu" },
    );
    expect(turns.join(" ")).toBe("(a a a) b (a a a) b c (a a a) b");
    expect([samples.a.length, samples.b.length, samples.c.length]).toEqual([2, 2, 1]);
  });

  it("is summarised by the median and the range of the middle half", () => {
    expect(median([5, 1, 100, 3, 4])).toBe(4);
    expect(median([4, 1, 3, 2])).toBe(2);
    // The interquartile range of the samples extends from 2 to 4.
    expect(uncertainty([1, 2, 3, 4, 5])).toBeCloseTo((0.93 * 2) / Math.sqrt(5) / 3);
    expect(() => median([])).toThrow("no samples");
  });
});

describe("the report", () => {
  const goal: Goal = { measure: "x floor", value: 4, limit: 5, sense: "atMost", unit: "x" };
  const cases = (value: number, noise: number): MeasuredCase[] => [
    {
      name: "a",
      title: "A <case>",
      rows: [
        { name: "quick", times: { ours: 1, floor: 1 }, uncertainty: noise, goals: [{ ...goal, value: 1 }] },
        { name: "slow", times: { ours: value, floor: 1 }, uncertainty: noise, goals: [{ ...goal, value }] },
      ],
      curves: [
        {
          name: "multi-edit",
          points: [
            { size: 1_000, ms: 1 },
            { size: 2_000, ms: 2 },
          ],
        },
      ],
    },
  ];

  it("has a line for each goal, with the row that is furthest from it", () => {
    expect(goalTable(cases(4, 0.05)).split("\n").at(-1)).toMatch(
      /^\| A <case> \| 4\.00 x floor \| at most 5 \| met +\|$/,
    );
    expect(goalTable(cases(6, 0.05))).toContain("| NOT MET");
    expect([missed(cases(4, 0.05)), missed(cases(6, 0.05))]).toEqual([0, 1]);
    expect([strain(goal), strain({ ...goal, sense: "atLeast" })]).toEqual([0.8, 1.25]);
  });

  it("says which rows can't be judged because the machine was too busy", () => {
    expect(verdictOf(goal, { uncertainty: 0.5 })).toBe("too busy to tell");
    expect(doubts(cases(6, 0.05))).toBeUndefined();
    expect(doubts(cases(6, 0.5))).toContain("2 rows");
    expect(missed(cases(6, 0.5))).toBe(0);
  });

  it("says which values are worse than in an earlier run by more than chance", () => {
    const now = (value: number, noise = 0): MeasuredCase[] => cases(value, noise);
    const worse = (value: number, noise?: number): boolean[] =>
      compare(now(4), now(value, noise)).map(({ isWorse }) => isWorse);
    expect(worse(4.3)).toEqual([false, false]);
    expect(worse(4.5)).toEqual([false, true]);
    expect(worse(4.5, 0.2)).toEqual([false, false]);
    expect(worse(3)).toEqual([false, false]);
    const before = { machine: machineNow(), command: "npm run bench", seed, cases: now(4) };
    expect(comparison(before, now(4.5)).split("\n").slice(1)).toEqual([
      "  A <case>, slow: 4.00 -> 4.50 x floor: WORSE",
    ]);
    expect(comparison(before, now(4.1))).toMatch(/: 2 of 2 figures differ by at most 10 %\.$/);
    expect(compare(now(4), [])).toEqual([]);
    const other = now(1).map((one) => ({ ...one, name: "b" }));
    expect(merged(before, { ...before, cases: other }).cases.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(merged(before, { ...before, cases: now(2) }).cases).toEqual(now(2));
  });

  it("is drawn as an SVG in which every length is a number", () => {
    const svg = chartOf({ machine: machineNow(), command: "npm run bench", seed, cases: cases(6, 0.05) });
    expect(svg).toMatch(/^<svg [^>]*>[\s\S]*<\/svg>\n$/);
    expect(svg).toContain("A &lt;case&gt;");
    expect(svg).toContain('class="missed"');
    const busy = chartOf({ machine: machineNow(), command: "npm run bench", seed, cases: cases(6, 0.5) });
    expect(busy).toContain('class="unsure"');
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  });
});
