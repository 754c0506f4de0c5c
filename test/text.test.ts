/** Laws for ChangeSet and LineIndex, each checked against an independent oracle. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Change, ChangeSet } from "../server/text/changeSet.js";
import { LineIndex } from "../server/text/lines.js";
import { expectedLineStarts, texts } from "./support/arbitraries.js";
import { lawRuns } from "./support/extent.js";

/** Disjoint changes to a text of the given length, in any order. */
function changesOf(length: number): fc.Arbitrary<Change[]> {
  const piece = fc.record({
    gap: fc.nat(4),
    size: fc.nat(4),
    insert: fc.string({ unit: fc.constantFrom("a", "b", "\n"), maxLength: 4 }),
  });
  return fc.array(piece, { maxLength: 6 }).map((pieces) => {
    const changes: Change[] = [];
    let at = 0;
    for (const { gap, size, insert } of pieces) {
      const from = Math.min(length, at + gap);
      const to = Math.min(length, from + size);
      changes.push({ from, to, insert });
      at = to;
    }
    return changes;
  });
}

/**
 * The oracle: splices an array of units one change at a time, last change first; insertions at the same offset keep
 * their order.
 */
function spliced(text: string, changes: readonly Change[]): string {
  const units = text.split("");
  for (const { from, to, insert } of [...changes].reverse()) units.splice(from, to - from, ...insert.split(""));
  return units.join("");
}

/** Two sets of changes to one text. */
const forked = texts.chain((a) => fc.record({ a: fc.constant(a), one: changesOf(a.length), two: changesOf(a.length) }));

/**
 * The oracle for rebasing: lists the gaps and units of a text, writes down what each set does to each of them, and reads
 * the text with both. `first`: the set whose insertions come first in a gap.
 */
function merged(text: string, first: ChangeSet, second: ChangeSet): string {
  const gapOf = (set: ChangeSet, at: number): string => set.changes.find(({ from }) => from === at)?.insert ?? "";
  const isGone = (set: ChangeSet, at: number): boolean => set.changes.some(({ from, to }) => from <= at && at < to);
  return [...text.split(""), ""]
    .map((unit, at) => gapOf(first, at) + gapOf(second, at) + (isGone(first, at) || isGone(second, at) ? "" : unit))
    .join("");
}

const chained = texts.chain((a) =>
  changesOf(a.length).chain((one) => {
    const b = spliced(a, one);
    return changesOf(b.length).chain((two) => {
      const c = spliced(b, two);
      return changesOf(c.length).map((three) => ({ a, b, c, one, two, three }));
    });
  }),
);

describe("ChangeSet", () => {
  it("has the same effect as splicing", () => {
    fc.assert(
      fc.property(chained, ({ a, b, one }) => {
        expect(ChangeSet.of(a.length, one).apply(a)).toBe(b);
      }),
    );
  });

  it("composes: applying the composition is the same as applying both in turn", () => {
    fc.assert(
      fc.property(chained, ({ a, b, c, one, two }) => {
        const both = ChangeSet.of(a.length, one).compose(ChangeSet.of(b.length, two));
        expect(both.apply(a)).toBe(c);
        expect(both.lengthAfter).toBe(c.length);
      }),
      { numRuns: lawRuns(2000) },
    );
  });

  it("composes associatively, up to equal texts and equal change lists", () => {
    fc.assert(
      fc.property(chained, ({ a, b, c, one, two, three }) => {
        const [x, y, z] = [ChangeSet.of(a.length, one), ChangeSet.of(b.length, two), ChangeSet.of(c.length, three)];
        expect(x.compose(y).compose(z)).toEqual(x.compose(y.compose(z)));
      }),
      { numRuns: lawRuns(2000) },
    );
  });

  it("inverts: applying the inverse restores the text", () => {
    fc.assert(
      fc.property(chained, ({ a, b, one }) => {
        const set = ChangeSet.of(a.length, one);
        expect(set.invert(a).apply(b)).toBe(a);
      }),
    );
  });

  it("rebases: each set has its whole effect on what the other makes of the text", () => {
    fc.assert(
      fc.property(forked, ({ a, one, two }) => {
        const [x, y] = [ChangeSet.of(a.length, one), ChangeSet.of(a.length, two)];
        expect(x.map(y, "before").apply(y.apply(a))).toBe(merged(a, x, y));
        expect(x.map(y, "after").apply(y.apply(a))).toBe(merged(a, y, x));
      }),
      { numRuns: lawRuns(2000) },
    );
  });

  it("rebases so that both orders make the same text", () => {
    fc.assert(
      fc.property(forked, ({ a, one, two }) => {
        const [x, y] = [ChangeSet.of(a.length, one), ChangeSet.of(a.length, two)];
        expect(x.compose(y.map(x, "after")).apply(a)).toBe(y.compose(x.map(y, "before")).apply(a));
      }),
      { numRuns: lawRuns(2000) },
    );
  });

  it("rebases over nothing, and nothing over anything, without a change", () => {
    fc.assert(
      fc.property(chained, ({ a, one }) => {
        const [set, none] = [ChangeSet.of(a.length, one), ChangeSet.none(a.length)];
        expect(set.map(none, "before").changes).toEqual(set.changes);
        expect(none.map(set, "before").isEmpty).toBe(true);
      }),
    );
  });

  it("moves with a text that is inserted before everything", () => {
    fc.assert(
      fc.property(chained, fc.constantFrom("", "x", "x\n"), ({ a, one }, head) => {
        const set = ChangeSet.of(a.length, one);
        const shifted = one.map(({ from, to, insert }) => ({ from: from + head.length, to: to + head.length, insert }));
        const prefixed = ChangeSet.of(a.length, [{ from: 0, to: 0, insert: head }]);
        expect(set.map(prefixed, "after").changes).toEqual(ChangeSet.of(a.length + head.length, shifted).changes);
      }),
    );
  });

  it("is canonical: sorted, disjoint, none empty, none touching, in any order of the input", () => {
    fc.assert(
      fc.property(chained, ({ a, one }) => {
        const set = ChangeSet.of(a.length, one);
        set.changes.forEach((change, i) => {
          expect(change.from < change.to || change.insert !== "").toBe(true);
          if (i > 0) expect(change.from).toBeGreaterThan(set.changes[i - 1]!.to);
        });
        const replacements = one.filter((change) => change.from < change.to);
        expect(ChangeSet.of(a.length, [...replacements].reverse())).toEqual(ChangeSet.of(a.length, replacements));
      }),
    );
  });

  it("maps untouched units to themselves", () => {
    fc.assert(
      fc.property(chained, ({ a, b, one }) => {
        const set = ChangeSet.of(a.length, one);
        for (let i = 0; i < a.length; i++) {
          if (set.changes.some(({ from, to }) => i >= from && i < to)) continue;
          expect(b[set.mapPos(i, "after")]).toBe(a[i]);
        }
      }),
    );
  });

  it("maps units back to their origin", () => {
    fc.assert(
      fc.property(chained, ({ a, b, one }) => {
        const set = ChangeSet.of(a.length, one);
        for (let i = 0; i < a.length; i++) {
          if (set.changes.some(({ from, to }) => i >= from && i < to)) continue;
          expect(set.unitBack(set.mapPos(i, "after"))).toEqual({ from: i, to: i + 1 });
        }
        const inverse = set.invert(a);
        for (const [k, { from, to }] of inverse.changes.entries()) {
          const { from: fromA, to: toA } = set.changes[k]!;
          for (let i = from; i < to; i++) expect(set.unitBack(i)).toEqual({ from: fromA, to: toA });
        }
        expect(set.unitBack(b.length).to).toBe(a.length);
      }),
    );
  });

  it("refuses overlaps and ranges outside the text", () => {
    const twice = [
      { from: 0, to: 2, insert: "" },
      { from: 1, to: 3, insert: "" },
    ];
    expect(() => ChangeSet.of(3, twice)).toThrow(RangeError);
    expect(() => ChangeSet.of(1, [{ from: 0, to: 2, insert: "" }])).toThrow(RangeError);
    expect(() => ChangeSet.none(3).apply("ab")).toThrow(RangeError);
    expect(() => ChangeSet.none(3).compose(ChangeSet.none(2))).toThrow(RangeError);
    expect(() => ChangeSet.none(3).map(ChangeSet.none(2), "before")).toThrow(RangeError);
  });
});

describe("LineIndex", () => {
  const rules = fc.record({ loneCrEndsLine: fc.boolean() });

  it("finds the starts that a plain scan finds", () => {
    fc.assert(
      fc.property(texts, rules, (text, rule) => {
        const lines = LineIndex.of(text, rule);
        const starts = expectedLineStarts(text, rule.loneCrEndsLine);
        expect(Array.from({ length: lines.lineCount }, (_, i) => lines.start(i))).toEqual(starts);
        starts.forEach((_, line) => {
          expect(lines.content(line) + lines.terminator(line)).toBe(text.slice(starts[line], starts[line + 1]));
          expect(["", "\n", "\r\n", "\r"]).toContain(lines.terminator(line));
        });
      }),
    );
  });

  it("is the same after edits as after a new scan", () => {
    fc.assert(
      fc.property(texts, texts, fc.nat(), fc.nat(), rules, (text, insert, x, y, rule) => {
        const [p, q] = [x % (text.length + 1), y % (text.length + 1)];
        const [from, to] = [Math.min(p, q), Math.max(p, q)];
        const after = text.slice(0, from) + insert + text.slice(to);
        expect(LineIndex.of(text, rule).edited(from, to, insert, after)).toEqual(LineIndex.of(after, rule));
      }),
      { numRuns: lawRuns(2000) },
    );
  });

  it("finds the line of an offset", () => {
    fc.assert(
      fc.property(texts, rules, (text, rule) => {
        const lines = LineIndex.of(text, rule);
        const starts = expectedLineStarts(text, rule.loneCrEndsLine);
        for (let i = 0; i <= text.length; i++) expect(lines.lineAt(i)).toBe(starts.filter((s) => s <= i).length - 1);
      }),
    );
  });
});
