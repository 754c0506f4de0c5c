/** Laws for the plan and its diff, with the jsdiff package's `applyPatch` and plain string replacement as oracles. */
import { applyPatch } from "diff";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffOf } from "../server/plan/diff.js";
import type { BatchOptions } from "../server/plan/operation.js";
import type { FileChange } from "../server/plan/outcome.js";
import { ChangeSet } from "../server/text/changeSet.js";
import { texts } from "./support/arbitraries.js";
import { lawRuns } from "./support/extent.js";
import { documentAt, planOn, type SentEdit } from "./support/planning.js";

const lf = fc
  .array(fc.constantFrom("a\n", "b\n", "c\n", "x", "\n", "y\r\n"), { maxLength: 30 })
  .map((parts) => parts.join(""));

describe("a diff", () => {
  it("produces the planned text if jsdiff applies it", () => {
    fc.assert(
      fc.property(
        lf,
        lf,
        fc.array(fc.tuple(fc.nat(8), fc.nat(5), fc.constantFrom("", "z", "z\n", "\n", "q\nr")), { maxLength: 6 }),
        (text, _other, cuts) => {
          const changes: { from: number; to: number; insert: string }[] = [];
          let at = 0;
          for (const [gap, size, insert] of cuts) {
            const from = Math.min(text.length, at + gap);
            const to = Math.min(text.length, from + size);
            changes.push({ from, to, insert });
            at = to;
          }
          const change = ChangeSet.of(text.length, changes);
          const after = change.apply(text);
          const document = documentAt("a", text);
          const more = { kind: "update", overwritten: false, edits: 1, operations: [] } as const;
          const file: FileChange = { document, change, text: after, ...more };
          const diff = diffOf(file);
          if (after === text) return;
          expect(applyPatch(text, diff.text, { autoConvertLineEndings: false })).toBe(after);
          expect(diff.added - diff.removed).toBe(lineCount(after) - lineCount(text));
        },
      ),
      { numRuns: lawRuns(2000) },
    );
  });
});

const lineCount = (text: string): number => text.split("\n").length - (text.endsWith("\n") || text === "" ? 1 : 0);

function plan(text: string, edits: readonly SentEdit[], options: Partial<BatchOptions> = {}) {
  return planOn([documentAt("a", text)], edits, options);
}

describe("very many matches", () => {
  it("fail as a whole if there are too many, even if they overlap", () => {
    const planned = plan("a".repeat(600_000), [{ oldText: "aa", newText: "b", replaceAll: true }]);
    expect(planned).toMatchObject({ ok: false, failures: [{ code: "tooLarge", index: 0 }] });
  });

  it("are not changed twice by the same pair, and do not overflow the stack", () => {
    const twice = { oldText: "a", newText: "b", replaceAll: true };
    const planned = plan("a".repeat(130_000), [twice, twice]);
    expect(planned.outcomes.map(({ status }) => status)).toEqual(["applied", "skipped"]);
  });
});

describe("a plan", () => {
  it("of one exact edit has the same result as replacing its only match", () => {
    fc.assert(
      fc.property(texts, fc.nat(), fc.nat(), fc.constantFrom("NEW", "N1\nN2", ""), (text, x, y, newText) => {
        const [p, q] = [x % (text.length + 1), y % (text.length + 1)];
        const oldText = text.slice(Math.min(p, q), Math.max(p, q));
        fc.pre(oldText !== "" && oldText.isWellFormed() && text.indexOf(oldText) === text.lastIndexOf(oldText));
        fc.pre(!oldText.startsWith("\n") && !oldText.endsWith("\r") && !/\r|\n/.test(newText));
        // Several kinds of line ending count as one.
        const [all, sought] = [text, oldText].map((one) => one.replace(/\r\n?/g, "\n")) as [string, string];
        fc.pre(all.indexOf(sought) === all.lastIndexOf(sought));
        // Whole lines keep their last line ending, unless they are deleted, or an empty line follows.
        const isFollowed = !/^[\r\n]/.test(text.slice(text.indexOf(oldText) + oldText.length));
        const isWhole =
          isFollowed && /(?:^|[\r\n])$/.test(text.slice(0, text.indexOf(oldText))) && oldText.trim() !== "";
        const end = isWhole && newText !== "" ? (/(?:\r\n|\n)$/.exec(oldText)?.[0] ?? "") : "";
        const planned = plan(text, [{ oldText, newText }]);
        const plainEnds = (one: string): string => one.replace(/\r\n?/g, "\n");
        const after = planned.ok ? (planned.files[0]?.text ?? "") : "";
        // If the replaced lines end in different ways, the new line ends like the first of them.
        expect(plainEnds(after)).toBe(plainEnds(text.replace(oldText, () => newText + end)));
      }),
      { numRuns: lawRuns(1000) },
    );
  });

  it("of sequential edits applies them one after the other; failures change nothing, and nothing throws", () => {
    const piece = fc.constantFrom("a", "b", "ab", "x = 1;", "\n", "😀", "“", '"', "  a", "a ", "\ta", "…", "...");
    const edit = fc.record({
      oldText: fc.array(piece, { maxLength: 3 }).map((p) => p.join("")),
      newText: fc.array(piece, { maxLength: 3 }).map((p) => p.join("")),
      replaceAll: fc.boolean(),
    });
    const options = fc.record({
      order: fc.constantFrom("sequential", "original"),
      atomic: fc.constantFrom("all", "file", "none"),
      lenient: fc.boolean(),
    });
    fc.assert(
      fc.property(texts, fc.array(edit, { minLength: 1, maxLength: 5 }), options, (text, edits, how) => {
        const planned = plan(text, edits, how);
        expect(planned.outcomes.map(({ index }) => index)).toEqual(edits.map((_, i) => i));
        if (!planned.ok) {
          expect(planned.failures.length).toBeGreaterThan(0);
          return;
        }
        for (const file of planned.files) {
          expect(file.change.apply(text)).toBe(file.text);
          expect(file.text.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: lawRuns(3000) },
    );
  });
});
