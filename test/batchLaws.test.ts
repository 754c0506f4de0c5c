/** Laws of large batches: what is found for many edits at once is what is found for each of them alone. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { locate } from "../server/match/locate.js";
import { isStricter } from "../server/match/rungs.js";
import { TextIndex } from "../server/match/textIndex.js";
import { documentAt, planOn, type SentEdit, textAfter } from "./support/planning.js";

/** Lines that resemble each other, with what the rungs fold. */
const line = fc.constantFrom(
  "const value = compute(one, two);",
  "    const value = compute(one, three);  ",
  "\treturn value;",
  "  if (value) { return other; }",
  "say(“hello” – there)",
  "x",
  "",
  "}",
  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
  "wait… for it",
  "12: numbered",
);

const texts = fc
  .tuple(fc.array(fc.tuple(line, fc.nat(400)), { minLength: 120, maxLength: 220 }), fc.constantFrom("\n", "\n", "\r\n"))
  .map(([lines, end]) => lines.map(([text, n]) => (n < 300 ? `${text}${n}` : text)).join(end) + end);

/** How a model writes what it has seen: exactly, or with one of the differences that a rung folds. */
const disturbances: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text,
  (text) => text,
  (text) => text.replaceAll("\r\n", "\n"),
  (text) => text.replace(/[ \t]+$/gm, ""),
  (text) => text.replace(/$/gm, "  "),
  (text) => text.replaceAll("“", '"').replaceAll("”", '"').replaceAll("–", "-").replaceAll("…", "..."),
  (text) => text.replace(/^[ \t]+/gm, ""),
  (text) => text.replace(/^(?=.)/gm, "    "),
  (text) => text.replace("value", "valve"),
];

interface Drawn {
  readonly at: number;
  readonly length: number;
  readonly how: number;
  readonly newText: string;
  readonly isOwn: boolean;
  readonly choice: "none" | "all" | "first" | "second" | "two";
  /** Instead of all that: the last edit that was applied, the other way round. */
  readonly isUndo: boolean;
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  at: fc.nat(),
  length: fc.integer({ min: 1, max: 120 }),
  how: fc.nat(disturbances.length - 1),
  newText: fc
    .array(fc.constantFrom("new", "value", "\n", "}", "“q”", " ", "x1", "aaaaaaaaaaaa"), { maxLength: 5 })
    .map((parts) => parts.join("")),
  isOwn: fc.boolean(),
  choice: fc.constantFrom("none", "none", "none", "none", "none", "all", "first", "second", "two"),
  isUndo: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
});

const choices: Readonly<Record<Drawn["choice"], Partial<SentEdit>>> = {
  none: {},
  all: { replaceAll: true },
  first: { occurrence: 1 },
  second: { occurrence: 2 },
  two: { replaceAll: true, expectedCount: 2 },
};

/** Whether a text that stood in a base text is found by a looser rung now: a batch refuses what a call of its own would do. */
function isConsumed(base: string, now: string, oldText: string): boolean {
  const [before, after] = [base, now].map((text) => {
    const located = locate(new TextIndex(text, { loneCrEndsLine: true }), oldText, { lenient: true });
    return "rung" in located ? located.rung : undefined;
  });
  return before !== undefined && after !== undefined && isStricter(before, after);
}

/** Edits taken from the text as it is at their turn, or as it was before the batch; each applied alone, one call after the other. */
function oneByOne(text: string, drawings: readonly Drawn[]): { edits: SentEdit[]; after: string; seen: unknown[] } {
  let now = text;
  const edits: SentEdit[] = [];
  const seen: unknown[] = [];
  const pairs = new Set<string>();
  let last: { oldText: string; newText: string } | undefined;
  for (const { at, length, how, newText: drawnText, isOwn, choice, isUndo } of drawings) {
    const source = isOwn ? now : text;
    const from = at % Math.max(1, source.length);
    const undone = isUndo ? last : undefined;
    const oldText = undone?.newText ?? disturbances[how]!(source.slice(from, from + length));
    const newText = undone?.oldText ?? drawnText;
    const pair = JSON.stringify([oldText, newText]);
    if (now.length > 40_000 || oldText === "" || oldText === newText || !oldText.isWellFormed() || pairs.has(pair))
      continue;
    if (isConsumed(text, now, oldText)) continue;
    pairs.add(pair);
    const edit = { oldText, newText, ...choices[choice] };
    edits.push(edit);
    const alone = planOn([documentAt("a", now)], [edit]);
    const [outcome] = alone.outcomes;
    seen.push([outcome?.status, outcome?.rung, outcome?.failure?.code]);
    now = textAfter(alone, documentAt("a", now));
    if (outcome?.status === "applied" && outcome.rung === "exact") last = { oldText, newText };
  }
  return { edits, after: now, seen };
}

describe("many edits of one text", () => {
  test("are found as each of them is found alone, in the text of its turn", () => {
    fc.assert(
      fc.property(texts, fc.array(drawn, { minLength: 30, maxLength: 60 }), (text, drawings) => {
        const { edits, after, seen } = oneByOne(text, drawings);
        const planned = planOn([documentAt("a", text)], edits, { atomic: "none" });
        const codes = ["noMatch", "alreadyApplied", "consumed", "unneeded"];
        const plain = (code: string | undefined): string | undefined => (codes.includes(code ?? "") ? "absent" : code);
        expect(planned.outcomes.map(({ status, rung, failure }) => [status, rung, plain(failure?.code)])).toEqual(
          seen.map((one) => {
            const [status, rung, code] = one as [string, string | undefined, string | undefined];
            return [status, rung, plain(code)];
          }),
        );
        expect(textAfter(planned, documentAt("a", text))).toBe(after);
      }),
      // Shrinking would take longer than reading the edits.
      { numRuns: 60, endOnFailure: true },
    );
  });
});
