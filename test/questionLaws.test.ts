/** Laws about the hunks of a plan that a question to the user shows, and about what is left if the user refuses some. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { confirmHunks, hunksOfPlan, withoutRefused } from "../server/lsp/apply/partial.js";
import { diffOf } from "../server/plan/diff.js";
import { asUpdate, type FileChange, freeingFirst } from "../server/plan/outcome.js";
import { ChangeSet } from "../server/text/changeSet.js";
import { lawRuns } from "./support/extent.js";
import { documentAt, planOn } from "./support/planning.js";

/** An edit of whole lines that are all different: `removed` lines from `line` on, 0-based, give way to `added` ones. */
interface LineEdit {
  readonly line: number;
  readonly removed: number;
  readonly added: number;
}

const nameOf = (line: number): string => `line ${line} of the text\n`;

/** Edits of different lines, in ascending order, perhaps right below each other. */
const lineEdits = fc
  .array(fc.record({ gap: fc.nat(8), removed: fc.integer({ min: 1, max: 3 }), added: fc.nat(3) }), {
    minLength: 1,
    maxLength: 5,
  })
  .map((list) => {
    let at = 0;
    return list.map(({ gap, removed, added }): LineEdit => {
      const line = at + gap;
      at = line + removed;
      return { line, removed, added };
    });
  });

/** A plan of these edits; each new line occurs only once. */
function planOf(edits: readonly LineEdit[]) {
  const text = Array.from({ length: 80 }, (_, line) => nameOf(line)).join("");
  const sent = edits.map(({ line, removed, added }, i) => ({
    oldText: Array.from({ length: removed }, (_, j) => nameOf(line + j)).join(""),
    newText: Array.from({ length: added }, (_, j) => `${i} ${j} is new\n`).join(""),
  }));
  const planned = planOn([documentAt("a", text)], sent);
  if (!planned.ok || planned.files[0] === undefined) throw new Error("the plan fails");
  const file = asUpdate(planned.files[0]);
  return { text, file, plan: { ...planned, files: [file], tasks: [{ kind: "text" as const, planned: file }] } };
}

it("a hunk's rows in the diff are its lines", () => {
  fc.assert(
    fc.property(lineEdits, fc.boolean(), (edits, isBeside) => {
      const { file } = planOf(edits);
      const created: FileChange = {
        ...{ kind: "create", document: documentAt("b", ""), overwritten: false, edits: 1, operations: [] },
        ...{ change: ChangeSet.of(0, [{ from: 0, to: 0, insert: "b\n" }]), text: "b\n" },
      };
      const files = isBeside ? [created, file, { ...created, document: documentAt("c", "") }] : [file];
      const rows = freeingFirst(files)
        .ordered.map((one) => diffOf(one).text)
        .join("")
        .split("\n");
      const hunks = confirmHunks(files);
      expect(hunks.map(({ id }) => id)).toEqual(hunks.map((_, i) => String(i)));
      expect(hunks.filter(({ kind }) => kind === "create")).toHaveLength(isBeside ? 2 : 0);
      for (const { kind, oldText, newText, diffLines } of hunks) {
        const own = rows.slice(diffLines[0] - 1, diffLines[1]);
        // Between two deletions, a hunk may have a line that stays.
        const without = (sign: string): string =>
          own.flatMap((row) => (row.startsWith(sign) ? [] : `${row.slice(1)}\n`)).join("");
        if (kind === "text") {
          expect([without("+"), without("-")]).toEqual([oldText, newText]);
          expect([own[0]?.[0], own.at(-1)?.[0]]).not.toContain(" ");
        } else expect([own[0], own.at(-1)]).toEqual([expect.stringMatching(/^diff --git a\/[bc] b\/[bc]$/), "+b"]);
      }
    }),
    { numRuns: lawRuns(800) },
  );
});

it("what the user refuses stays as it was, and everything else is done", () => {
  fc.assert(
    fc.property(lineEdits, fc.infiniteStream(fc.boolean()), (edits, choice) => {
      const { text, file, plan } = planOf(edits);
      const hunks = hunksOfPlan([file]).map((hunk) => ({ ...hunk, isRefused: choice.next().value === true }));
      const linesOf = (of: string): number => of.split("\n").length - 1;
      const refused = hunks.filter(({ isRefused }) => isRefused);
      const { plan: left, places } = withoutRefused(plan, new Set(refused.map(({ key }) => key)));
      const lines = text.split(/(?<=\n)/);
      for (const { isRefused, shown } of hunks.toReversed())
        if (!isRefused) lines.splice(shown.startLine - 1, linesOf(shown.oldText), shown.newText);
      const isNothing = refused.length === hunks.length;
      expect(left.files.map((one) => one.text)).toEqual(isNothing ? [] : [lines.join("")]);
      expect(left.tasks.map(({ planned }) => planned)).toEqual(left.files);
      // It is not what the caller has sent.
      expect(left.files.map(({ isPartial }) => isPartial)).toEqual(
        isNothing ? [] : [refused.length > 0 ? true : undefined],
      );
      expect(places).toEqual(
        refused.map(({ shown: { startLine, oldText } }) => ({
          ...{ path: "a", startLine, endLine: startLine + Math.max(0, linesOf(oldText) - 1) },
        })),
      );
      const isRefusedAt = ({ line }: LineEdit): boolean =>
        refused.some(
          ({ shown: { startLine, oldText } }) => startLine - 1 <= line && line < startLine - 1 + linesOf(oldText),
        );
      expect(left.outcomes.map(({ status }) => status)).toEqual(
        edits.map((edit) => (isRefusedAt(edit) ? "notAttempted" : "applied")),
      );
    }),
    { numRuns: lawRuns(800) },
  );
});

it("equal hunks have different keys, which are the same in the next plan of the call", () => {
  const text = "a\n1\n2\na\n3\n4\na\n";
  const change = ChangeSet.of(
    text.length,
    [0, 6, 12].map((from) => ({ from, to: from + 1, insert: "b" })),
  );
  const own = { document: documentAt("a", text), change, text: change.apply(text), edits: 3, operations: [] };
  const keys = hunksOfPlan([asUpdate(own)]).map(({ key }) => key);
  expect(new Set(keys).size).toBe(3);
  expect(hunksOfPlan([asUpdate({ ...own })]).map(({ key }) => key)).toEqual(keys);
  // The file has another line above.
  const more = `0\n${text}`;
  const moved = ChangeSet.of(
    more.length,
    change.changes.map(({ from, to, insert }) => ({ from: from + 2, to: to + 2, insert })),
  );
  const next = { ...own, document: documentAt("a", more), change: moved, text: moved.apply(more) };
  expect(hunksOfPlan([asUpdate(next)]).map(({ key }) => key)).toEqual(keys);
});
