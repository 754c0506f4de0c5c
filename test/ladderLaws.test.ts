/** The ladder of rungs, compared with a brute-force model that tries every range on every rung. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { locate } from "../server/match/locate.js";
import { TextIndex } from "../server/match/textIndex.js";
import { lawRuns } from "./support/extent.js";
import { modelLocate } from "./support/ladderModel.js";

/** LADDER_RUNS=1000000 sets the number of texts; LADDER_SEED=1 sets fast-check's seed. */
const { LADDER_RUNS = lawRuns(10000), LADDER_SEED } = process.env;
const options = { numRuns: Number(LADDER_RUNS), ...(LADDER_SEED === undefined ? {} : { seed: Number(LADDER_SEED) }) };

describe("the ladder", () => {
  /** Groups of pieces of text; most of the differences within a group are ignored by some rung. */
  const alike = [
    ["a", "a", "b"],
    ["", " ", "  ", "\t", "\u00a0"],
    ["\n", "\r\n", "\r"],
    ["\n", "\n", " \n", "\t\n", "\n  ", "\n    ", "\n\t", "\n "],
    ['"', "“"],
    ["...", "…", "–", "-", "😀"],
    ["a", "ａ", "(", "（"],
    ["a b", "a  b", "a\tb"],
  ] as const;
  const piece = fc.constantFrom(...alike).chain((list) => fc.constantFrom<string>(...list));
  const other = fc.tuple(fc.nat(9), fc.nat(9));

  /** Part of the text with some pieces replaced by similar ones, sometimes with the line numbers of a file view. */
  const searched = fc
    .record({
      pieces: fc.array(piece, { minLength: 1, maxLength: 14 }),
      from: fc.nat(13),
      length: fc.integer({ min: 1, max: 8 }),
      others: fc.array(other, { minLength: 14, maxLength: 14 }),
      front: fc.constantFrom("", "", "", " ", "\t", "    ", "\n", " \n"),
      back: fc.constantFrom("", "", "", "", "\n", "\n\n"),
      view: fc.constantFrom(undefined, undefined, undefined, "\t", "→", ": ", " | ", "| "),
      firstNumber: fc.constantFrom(1, 2, 404),
      lenient: fc.constantFrom(true, true, true, false),
      loneCrEndsLine: fc.boolean(),
    })
    .map(({ pieces, from, length, others, front, back, view, firstNumber, ...rest }) => {
      const part = pieces.slice(from % pieces.length, (from % pieces.length) + length).map((text, i) => {
        const [choice, chance] = others[i] ?? [0, 0];
        const list = alike.find((one) => (one as readonly string[]).includes(text));
        return chance < 7 ? text : (list?.[choice % list.length] ?? text);
      });
      const lines = (front + part.join("") + back).split("\n");
      const numbered = lines.map((line, i) => (line === "" && i > 0 ? "" : `${firstNumber + i}${view}${line}`));
      return { ...rest, text: pieces.join(""), oldText: (view === undefined ? lines : numbered).join("\n") };
    })
    .filter(({ oldText }) => oldText !== "");

  /** Texts on which the server once disagreed with the model. */
  const examples: [{ text: string; oldText: string; lenient: boolean; loneCrEndsLine: boolean }][] = [
    [{ text: 'a"\n  “', oldText: "    “\n  ", lenient: true, loneCrEndsLine: false }],
  ];

  it("stops at the first rung that finds the old text, and finds the same matches there as trying everything", () => {
    fc.assert(
      fc.property(searched, ({ text, oldText, lenient, loneCrEndsLine }) => {
        const found = locate(new TextIndex(text, { loneCrEndsLine }), oldText, { lenient });
        const expected = modelLocate(text, oldText, { lenient });
        const places = found.kind === "one" || found.kind === "many" ? found.places : [];
        const rung = found.kind === "one" || found.kind === "many" ? found.rung : undefined;
        expect([rung, places.map(({ from }) => from)]).toEqual([expected?.rung, expected?.starts ?? []]);
        expect(found.kind).toBe(["none", "one"][places.length] ?? "many");
      }),
      { ...options, examples },
    );
  });
});
