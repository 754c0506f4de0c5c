/**
 * `git merge-file` as a judge of carried edits, for texts whose lines are all different: wherever it merges what the user
 * and the agent have changed without a conflict, the server makes the same text. The exceptions are named: lines of the
 * place, or next to it, were moved, which git takes for lines that were removed and others that were typed; or the user
 * has made the agent's change and others at the place, so there is nothing left to do, and the server refuses the edit.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { ChangeSet } from "../server/text/changeSet.js";
import { Trail } from "../server/workspace/trail.js";
import { mergedByGit } from "./support/mergedByGit.js";
import { documentAt, planOn } from "./support/planning.js";

/** A line that is different from all others; it keeps its identity when it is moved or typed on. */
interface Line {
  readonly id: number;
  readonly text: string;
}

const stories = fc.record({
  length: fc.integer({ min: 9, max: 14 }),
  /** What the user does, at lines that the numbers choose. */
  deeds: fc.array(
    fc.record({
      kind: fc.constantFrom("type" as const, "remove" as const, "note" as const, "move" as const, "move" as const),
      /** `true` if `at` counts from the start of the edit's place, which is where something can go wrong. */
      isNear: fc.boolean(),
      at: fc.nat(),
      count: fc.integer({ min: 1, max: 3 }),
      to: fc.nat(),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  edit: fc.record({
    at: fc.nat(),
    count: fc.integer({ min: 1, max: 5 }),
    changed: fc.nat(),
    kind: fc.constantFrom("replace" as const, "insert" as const, "remove" as const),
  }),
});

type Story = typeof stories extends fc.Arbitrary<infer T> ? T : never;

const textOf = (lines: readonly Line[]): string => lines.map(({ text }) => `${text}\n`).join("");

/** Plays a story. `pastes`: `others` if the lines that are pasted are not those that were cut. */
function play({ length, deeds, edit }: Story, pastes: "cut" | "others") {
  const first = Array.from({ length }, (_, id): Line => ({ id, text: `step_${id}(alpha, ${id * 7});` }));
  const seen = textOf(first);
  const trail = new Trail(seen);
  trail.read("me", { startLine: 1, endLine: length });
  let now: readonly Line[] = first;
  const moved = new Set<number>();
  const type = (lines: readonly Line[], from: number, to: number, insert: string): void => {
    const set = ChangeSet.of(textOf(now).length, [{ from, to, insert }]);
    now = lines;
    trail.changed(textOf(now), set);
  };
  const start = (line: number): number => textOf(now.slice(0, line)).length;
  const from = edit.at % length;
  for (const [i, { kind, isNear, at, count, to }] of deeds.entries()) {
    const line = (isNear ? from + (at % 5) : at) % (now.length || 1);
    const fresh = { id: 1_000 + i, text: `// typed ${i}` };
    const own = now[line];
    if (kind === "type" || own === undefined) {
      const gap = at % (now.length + 1);
      type(now.toSpliced(gap, 0, fresh), start(gap), start(gap), `${fresh.text}\n`);
    } else if (kind === "note") {
      const noted = { ...own, text: `${own.text} // note ${i}` };
      const end = start(line) + own.text.length;
      type(now.with(line, noted), end, end, ` // note ${i}`);
    } else {
      const cut = now.slice(line, line + count);
      type(now.toSpliced(line, cut.length), start(line), start(line + cut.length), "");
      if (kind === "remove") continue;
      for (const { id } of cut) moved.add(id);
      const pasted = pastes === "cut" ? cut : cut.map(({ id }) => ({ id: 2_000 + id, text: `// other ${i} ${id}` }));
      const gap = to % (now.length + 1);
      type(now.toSpliced(gap, 0, ...pasted), start(gap), start(gap), textOf(pasted));
    }
  }
  const old = first.slice(from, from + edit.count);
  const which = edit.changed % old.length;
  const added = { id: -1, text: "NEW;" };
  const made = {
    replace: old.with(which, added),
    insert: old.toSpliced(which, 0, added),
    remove: old.toSpliced(which, 1),
  }[edit.kind];
  // Without its last line ending, an old text of one line would leave an empty line.
  const sent = { oldText: textOf(old), newText: textOf(made) };
  const planned = planOn([documentAt("a", textOf(now), { views: trail.viewsOf("me") })], [sent]);
  const present = textOf(now);
  return {
    /** The lines of the place and next to it that were moved, by their identities. */
    moved: first.slice(Math.max(0, from - 1), from + old.length + 1).filter(({ id }) => moved.has(id)),
    texts: { base: seen, ours: present, theirs: textOf(first.toSpliced(from, old.length, ...made)) },
    text: planned.ok ? (planned.files[0]?.text ?? present) : undefined,
    codes: planned.ok ? [] : planned.failures.map(({ code }) => code),
  };
}

/** What the server makes of a story, beside what git makes of it. */
type Row = "same" | "conflict" | "moved: landed" | "moved: refused" | "done: refused" | "unnamed";

function rowOf({ texts, text, moved }: ReturnType<typeof play>, merged: string | undefined): Row {
  if (merged === undefined) return "conflict";
  if (merged === text) return "same";
  if (text === undefined && merged === texts.ours) return "done: refused";
  if (moved.length === 0) return "unnamed";
  return text === undefined ? "moved: refused" : "moved: landed";
}

type Deed = Story["deeds"][number];

const deed = (kind: Deed["kind"], at: number, more: Partial<Deed> = {}): Deed => ({
  ...{ kind, isNear: false, at, count: 1, to: 0 },
  ...more,
});

it.each<[string, readonly Deed[], Story["edit"], Row]>([
  ["a note on a kept line", [deed("note", 2)], { at: 2, count: 3, changed: 2, kind: "replace" }, "same"],
  ["a note on the changed line", [deed("note", 4)], { at: 2, count: 3, changed: 2, kind: "replace" }, "conflict"],
  [
    "a kept line and the one above moved down",
    [deed("move", 0, { count: 2, to: 1 })],
    { at: 1, count: 4, changed: 0, kind: "insert" },
    "moved: refused",
  ],
  [
    "lines moved in front of the removed one",
    [deed("move", 3, { count: 2, to: 2 })],
    { at: 1, count: 2, changed: 1, kind: "remove" },
    "moved: landed",
  ],
  [
    "the line removed that the agent removes, and a kept one",
    [deed("remove", 6), deed("remove", 2, { count: 2 })],
    { at: 3, count: 4, changed: 3, kind: "remove" },
    "done: refused",
  ],
])("has the row that it belongs to: %s", (_, deeds, edit, row) => {
  const folder = mkdtempSync(join(tmpdir(), "multi-edit-merge-"));
  const played = play({ length: 9, deeds: [...deeds], edit }, "cut");
  expect(rowOf(played, mergedByGit(played.texts, folder))).toBe(row);
  rmSync(folder, { recursive: true });
});

it("is merged as git merges it, unless lines of its place were moved, or nothing is left to do", () => {
  const folder = mkdtempSync(join(tmpdir(), "multi-edit-merge-"));
  const rows = new Map<Row, number>();
  const judge = (played: ReturnType<typeof play>): Row => rowOf(played, mergedByGit(played.texts, folder));
  try {
    fc.assert(
      fc.property(stories, (story) => {
        const played = play(story, "cut");
        const row = judge(played);
        rows.set(row, (rows.get(row) ?? 0) + 1);
        const what = `${played.texts.base}--- now\n${played.texts.ours}--- made ${played.codes}\n${played.text}`;
        expect(row, what).not.toBe("unnamed");
        // With other lines pasted than were cut, nothing is moved, and there is no exception.
        if (row.startsWith("moved"))
          expect(["same", "conflict", "done: refused"]).toContain(judge(play(story, "others")));
      }),
      { numRuns: Number(process.env.MERGE_RUNS ?? 400) },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  if (process.env.MERGE_RUNS !== undefined) process.stdout.write(`${JSON.stringify([...rows])}\n`);
  expect(rows.get("same")).toBeGreaterThan(100);
  const exceptions = [...rows].reduce((sum, [row, count]) => sum + (row.includes(":") ? count : 0), 0);
  expect(exceptions).toBeLessThan((rows.get("same") ?? 0) / 8);
}, 120_000);
