/**
 * `git merge-file` as a judge of the merge: wherever it finds no conflict, the merged text is the same. Where one of the
 * two refuses and the other does not, the story belongs to a row with a name. `MERGE_GIT_RUNS` sets the number of stories,
 * and prints the number in each row.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { comparedSide, editSide, mergedText, sideOf } from "./merging/sides.js";
import { baseOf, type Kind, played, type Story, storiesWithout } from "./merging/story.js";
import { mergedByGit } from "./support/mergedByGit.js";

/** What the two make of a story. */
const rows = {
  same: "both merge",
  refused: "both refuse",
  /** Git takes a line that was moved for one that was removed and another that was typed. */
  moved: "a line was moved: git merges",
  /** Whatever was typed at a line that was split, and an equal split of it, may be refused. */
  torn: "a line was split or joined: git merges",
  /** Git never merges within a line. */
  words: "both sides changed a line: only git refuses",
  /** For git, changes of neighbouring lines touch each other. */
  neighbours: "different lines: only git refuses",
  unnamed: "another difference",
} as const;

type Row = keyof typeof rows;

interface Texts {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/** Returns the row of a story. `merged`: the text that the merge makes; `byGit`: the one that git makes; `kinds`: those of the changes. */
function rowOf(texts: Texts, merged: string | undefined, byGit: string | undefined, kinds: ReadonlySet<Kind>): Row {
  if (merged === byGit) return merged === undefined ? "refused" : "same";
  if (byGit !== undefined && merged !== undefined) return "unnamed";
  if (byGit !== undefined)
    return kinds.has("move") ? "moved" : kinds.has("split") || kinds.has("join") ? "torn" : "unnamed";
  const [ours, theirs] = [texts.ours, texts.theirs].map((text) => text.split("\n"));
  const isChanged = (line: string): boolean => !ours!.includes(line) && !theirs!.includes(line);
  return texts.base.split("\n").some(isChanged) ? "words" : "neighbours";
}

function judge(texts: Texts, merged: string | undefined, kinds: ReadonlySet<Kind>): Row {
  const folder = mkdtempSync(join(tmpdir(), "multi-edit-git-"));
  try {
    return rowOf(texts, merged, mergedByGit(texts, folder), kinds);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

it.each<readonly [Row, base: string, ours: string, theirs: string]>([
  ["same", "a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD\n"],
  ["same", "a\nb\nc\n", "a\nx\nc\n", "a\nx\nc\n"],
  ["refused", "a\nb\nc\n", "a\nx\nc\n", "a\ny\nc\n"],
  ["refused", "a\nb\nc\n", "a\nb\nx\nc\n", "a\nb\ny\nc\n"],
  ["words", "a\nf(b, c)\nd\n", "a\nf(x, c)\nd\n", "a\nf(b, y)\nd\n"],
  ["neighbours", "a\nb\nc\n", "A\nb\nc\n", "a\nB\nc\n"],
  ["neighbours", "a\nb\nc\n", "a\nx\nb\nc\n", "a\nB\nc\n"],
])("%s: %j, %j and %j", (row, base, ours, theirs) => {
  const merged = mergedText(comparedSide(base, ours), editSide(base, theirs));
  expect(judge({ base, ours, theirs }, merged, new Set())).toBe(row);
});

const chosen = process.env.MERGE_GIT_RUNS;
const numRuns = Number(chosen ?? 400);

it("is merged as git merges it, but for the rows with a name", () => {
  const counts = new Map<Row, number>();
  const stories = storiesWithout("turnLastEnd").map((story): Story => ({ ...story, hasLastEnd: true }));
  fc.assert(
    fc.property(stories, (story) => {
      const base = baseOf(story);
      const typed = sideOf(base, played(base, story.typed, "typed"));
      const edit = editSide(base, played(base, story.edit, "edit").apply(base));
      const texts = { base, ours: typed.text, theirs: edit.text };
      const merged = mergedText(typed, edit);
      const kinds = new Set([...story.typed, ...story.edit].map(({ kind }) => kind));
      const row = judge(texts, merged, kinds);
      counts.set(row, (counts.get(row) ?? 0) + 1);
      expect(row, JSON.stringify({ ...texts, merged })).not.toBe("unnamed");
    }),
    { numRuns },
  );
  if (chosen !== undefined) for (const [row, count] of counts) process.stdout.write(`${rows[row]}: ${count}\n`);
  const shareOf = (row: Row): number => (counts.get(row) ?? 0) / numRuns;
  expect(shareOf("same")).toBeGreaterThan(0.1);
  expect(shareOf("words") + shareOf("neighbours")).toBeGreaterThan(0.2);
  expect(shareOf("words")).toBeLessThan(0.4);
  expect(shareOf("neighbours")).toBeLessThan(0.5);
  expect(shareOf("moved") + shareOf("torn")).toBeLessThan(0.03);
}, 120_000);
