/** A law for edits that are not planned again for an earlier text: the result is that of planning all of them. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { EditOperation } from "../server/plan/operation.js";
import { planBatch } from "../server/plan/plan.js";
import { planDoubted } from "../server/plan/views/doubt.js";
import type { View } from "../server/plan/views/view.js";
import { ChangeSet } from "../server/text/changeSet.js";
import { toEnd } from "../server/text/lines.js";
import { documentAt, planOn, type SentEdit, snapshotOf } from "./support/planning.js";

const lineCount = 60;

/** A line of the base text: most are there once, and some several times. */
const line = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constantFrom("", "}", "  same();", "  x = 1;") },
);
const words = fc.constantFrom("typed", "  same();", "same()", "x = 2;", "", "  line 7;", "}", "\tline 9;");
/** A line that the user types before another one, or instead of it or at its end. */
const typing = fc.record({
  at: fc.nat(lineCount - 1),
  kind: fc.constantFrom("before" as const, "instead" as const, "end" as const, "gone" as const),
  text: words,
});
const sent = fc.record({
  from: fc.nat(lineCount - 1),
  count: fc.integer({ min: 1, max: 4 }),
  /** Units that are cut off at both ends. */
  cut: fc.nat(3),
  text: fc.array(words, { maxLength: 3 }),
  keeps: fc.boolean(),
});
const scene = fc.record({
  lines: fc.array(line, { minLength: lineCount, maxLength: lineCount }),
  typed: fc.array(fc.array(typing, { maxLength: 3 }), { minLength: 1, maxLength: 3 }),
  sent: fc.array(sent, { minLength: 1, maxLength: 8 }),
  reads: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
  order: fc.constantFrom("sequential" as const, "original" as const),
});

/** Turns a text into the one after the user has typed. */
function typedIn(text: string, all: readonly { at: number; kind: string; text: string }[]): ChangeSet {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const byLine = new Map(all.map((one) => [one.at % (starts.length - 1), one]));
  const changes = [...byLine].sort(([a], [b]) => a - b);
  return ChangeSet.of(
    text.length,
    changes.map(([at, { kind, text: typed }]) => {
      const [from, to] = [starts[at]!, starts[at + 1]!];
      if (kind === "before") return { from, to: from, insert: `${typed}\n` };
      if (kind === "end") return { from: to - 1, to: to - 1, insert: ` // ${typed}` };
      return { from, to, insert: kind === "gone" ? "" : `${typed}\n` };
    }),
  );
}

function laid({ lines, typed, sent: all, reads }: typeof scene extends fc.Arbitrary<infer T> ? T : never) {
  let text = `${lines.map((one, i) => one ?? `  line ${i};`).join("\n")}\n`;
  const base = text.split("\n");
  let views: View[] = [];
  for (const [i, some] of typed.entries()) {
    const base = reads[i] ? ("read" as const) : ("saved" as const);
    views.unshift({ base, back: ChangeSet.none(text.length), isCompared: false, shown: undefined, isLatest: false });
    const change = typedIn(text, some);
    const back = change.invert(text);
    text = change.apply(text);
    views = views.map((view) => ({ ...view, back: back.compose(view.back) }));
  }
  views = views.map((view, i) => ({ ...view, isLatest: i === 0 && view.base === "read" }));
  const edits = all.map(({ from, count, cut, text: added, keeps }): SentEdit => {
    const own = base.slice(from, from + count);
    const oldText = own.join("\n").slice(cut, -cut || undefined) || "  line 1;";
    return { oldText, newText: [...(keeps ? [oldText] : []), ...added].join("\n") };
  });
  return { text, views, edits };
}

it("gives the same answer as planning the whole call for each earlier text", () => {
  const seen = { same: 0, carried: 0, refused: 0 };
  fc.assert(
    fc.property(scene, (one) => {
      const { text, views, edits } = laid(one);
      const options = { atomic: "none", order: one.order } as const;
      const part = planOn([documentAt("a", text, { views })], edits, options);
      // For a file with a byte order mark, all edits are planned.
      const whole = planOn([documentAt("a", text, { views, bom: true })], edits, options);
      const told = ({ outcomes }: typeof part) => outcomes.map((outcome) => ({ ...outcome }));
      expect(told(part)).toEqual(told(whole));
      const textOf = (plan: typeof part) => (plan.ok ? [plan.files.map((file) => file.text), plan.warnings] : []);
      expect(textOf(part)).toEqual(textOf(whole));
      for (const { base, failure } of part.outcomes) {
        if (base !== undefined) seen.carried++;
        else if (failure?.code === "contentModified") seen.refused++;
        else seen.same++;
      }
    }),
    { numRuns: Number(process.env.DOUBT_RUNS ?? 500) },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(20);
});

it("plans only edits near a difference, and one that was found once only with the lines there", () => {
  const text = `${Array.from({ length: lineCount }, (_, i) => `line ${i};`).join("\n")}\n`;
  const change = typedIn(text, [{ at: 31, kind: "before", text: "typed" }]);
  const back = change.invert(text);
  const now = change.apply(text);
  const edits = [3, 30, 55].map(
    (at, index): EditOperation => ({
      ...{ kind: "edit", path: "a", replaceAll: false, index },
      ...{ oldText: `line ${at};\nline ${at + 1};`, newText: `line ${at};\nnew;` },
    }),
  );
  const planned = toEnd(
    planBatch(edits, snapshotOf([documentAt("a", now)]), {
      ...{ atomic: "none", order: "sequential", lenient: true, overwrite: false },
    }),
  );
  const file = planned.ok ? planned.files[0] : undefined;
  const view: View = { base: "saved", back, isCompared: false, shown: undefined, isLatest: false };
  const asked: (readonly [readonly number[], string])[] = [];
  toEnd(
    planDoubted(
      { operations: edits, outcomes: planned.outcomes, warnings: [], file },
      view,
      text,
      function* (some, at) {
        asked.push([some.map(({ index }) => index), at]);
        return undefined;
      },
    ),
  );
  expect(asked).toEqual([[[1], "line 29;\nline 30;\nline 31;\nline 32;\n"]]);
});
