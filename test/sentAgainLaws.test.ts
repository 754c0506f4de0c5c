/** Laws for edits and hunks that only insert lines, and that are sent again. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lawRuns } from "./support/extent.js";
import { planPatch } from "./support/patching.js";
import { documentAt, planOn, textAfter } from "./support/planning.js";

/** Lines of which many are alike, so that inserted lines often repeat those beside them. */
const words: fc.Arbitrary<string> = fc.constantFrom("alpha beta", "alpha beta", "gamma", "delta epsilon", "}", "");

const trial = fc
  .record({
    lines: fc.array(words, { minLength: 2, maxLength: 10 }),
    inserted: fc.array(words, { minLength: 1, maxLength: 4 }),
    at: fc.nat(),
    above: fc.nat({ max: 3 }),
    below: fc.nat({ max: 3 }),
    isPatch: fc.boolean(),
  })
  .map(({ lines, inserted, at, above, below, isPatch }) => {
    const gap = at % (lines.length + 1);
    const [head, tail] = [lines.slice(Math.max(0, gap - above), gap), lines.slice(gap, gap + below)];
    return { lines, inserted, gap, head, tail, old: [...head, ...tail], isPatch };
  })
  .filter(({ old }) => old.some((line) => /\w/.test(line)) && old.at(-1) !== "" && old[0] !== "");

type Trial = typeof trial extends fc.Arbitrary<infer T> ? T : never;

/** Sends the insertion for a text; returns the codes of the failures, the text afterwards, and the warnings. */
function send({ inserted, head, tail, old, isPatch }: Trial, text: string) {
  if (isPatch) {
    const signed = [
      ...head.map((line) => ` ${line}`),
      ...inserted.map((line) => `+${line}`),
      ...tail.map((line) => ` ${line}`),
    ];
    const patch = ["*** Begin Patch", "*** Update File: f", "@@", ...signed, "*** End Patch"].join("\n");
    const { planned, failures, files } = planPatch(new Map([["f", text]]), patch, { lenient: true });
    return {
      codes: failures.map(({ code }) => code),
      text: files.get("f") ?? text,
      warnings: planned?.ok ? planned.warnings : [],
    };
  }
  const document = documentAt("a", text);
  const planned = planOn(
    [document],
    [{ oldText: old.join("\n"), newText: [...head, ...inserted, ...tail].join("\n") }],
  );
  return {
    codes: planned.ok ? [] : planned.failures.map(({ code }) => code),
    text: textAfter(planned, document),
    warnings: planned.ok ? planned.warnings : [],
  };
}

const toText = (lines: readonly string[]): string => `${lines.join("\n")}\n`;
const isTelling = ({ inserted }: Trial): boolean =>
  inserted.filter((line) => /\w/.test(line)).length > 1 || inserted.some((line) => line.length >= 16);

describe("an edit that only inserts lines", () => {
  it("is not made twice, whichever of its lines repeat others", () => {
    let again = 0;
    fc.assert(
      fc.property(trial, (one) => {
        const { lines, inserted, gap, head, tail, old } = one;
        fc.pre(isTelling(one));
        const after = toText(lines.toSpliced(gap, 0, ...inserted));
        const first = send(one, toText(lines));
        fc.pre(first.codes.length === 0 && first.text === after);
        // The old lines may also begin or end in the text beside what the first one has written.
        const now = lines.toSpliced(gap, 0, ...inserted);
        const start = now.findIndex((_, i) => old.every((line, k) => now[i + k] === line));
        fc.pre(start >= gap - head.length && start + old.length <= gap + inserted.length + tail.length);
        const second = send(one, after);
        if (second.codes.length === 0) expect(second.text).toBe(after);
        if (second.codes.includes("alreadyApplied")) again++;
      }),
      { numRuns: lawRuns(1_000) },
    );
    expect(again).toBeGreaterThan(lawRuns(20));
  });

  it("is made if the lines were not there, and without a warning", () => {
    fc.assert(
      fc.property(trial, (one) => {
        const fresh = { ...one, inserted: one.inserted.map((line) => `new ${line}`) };
        const { codes, warnings } = send(fresh, toText(one.lines));
        expect(codes.filter((code) => code === "alreadyApplied")).toEqual([]);
        expect(warnings.filter((warning) => warning.includes("beside an equal line"))).toEqual([]);
      }),
    );
  });
});
