/**
 * Laws of the merge of a file that another program has written with the editor's unsaved text. `MERGE_FILE_RUNS` sets the
 * number of cases.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { type FileTexts, mergeFile } from "../server/plan/mergeFile.js";
import { mergedByGit } from "./support/mergedByGit.js";

const numRuns = Number(process.env.MERGE_FILE_RUNS ?? 2_000);
const rule = { loneCrEndsLine: false };
const folder = mkdtempSync(join(tmpdir(), "multi-edit-merge-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Merges the texts; `undefined` for a conflict. */
function merged(texts: FileTexts): string | undefined {
  const result = mergeFile(texts, rule);
  return result.kind === "merged" ? result.change.apply(texts.editor) : undefined;
}

/** Lines of code with twins, as in real files: brackets, empty lines and repeated words. */
const line = fc.oneof(
  fc.constantFrom("}", "", "  return;", "{", "  a = 1;"),
  fc.integer({ min: 0, max: 30 }).map((n) => `line ${n};`),
);
const textOf = (lines: readonly string[]): string => lines.map((one) => `${one}\n`).join("");

/** One side's changes: each removes lines at a place and puts others there, or adds text to the end of one. */
const deed = fc.record({
  at: fc.nat(30),
  removed: fc.nat(2),
  added: fc.array(line, { maxLength: 2 }),
  isWithin: fc.boolean(),
});

/** Applies deeds from the end to the start. Each leaves its mark in what it adds, so that it is found in the result. */
function after(
  lines: readonly string[],
  deeds: readonly { at: number; removed: number; added: string[]; isWithin: boolean }[],
  who: string,
) {
  const next = [...lines];
  const marks: string[] = [];
  const sorted = deeds.map((one) => ({ ...one, at: one.at % (lines.length + 1) })).sort((a, b) => b.at - a.at);
  let end = Number.POSITIVE_INFINITY;
  for (const [i, { at, removed, added, isWithin }] of sorted.entries()) {
    const mark = `${who}${i}x`;
    if (isWithin && at < Math.min(end, next.length)) {
      next[at] = `${next[at]} ${mark}`;
      marks.push(mark);
      end = at;
    } else if (at + removed <= Math.min(end, lines.length)) {
      next.splice(at, removed, ...added.map((one, j) => `${one} ${mark}${j}`));
      marks.push(...added.map((_, j) => `${mark}${j}`));
      end = at;
    }
  }
  return { text: textOf(next), marks };
}

const scene = fc
  .record({
    lines: fc.array(line, { minLength: 1, maxLength: 25 }),
    typed: fc.array(deed, { maxLength: 4 }),
    written: fc.array(deed, { maxLength: 4 }),
  })
  .map(({ lines, typed, written }) => ({
    base: textOf(lines),
    editor: after(lines, typed, "t"),
    disk: after(lines, written, "d"),
  }));

const countOf = (text: string, part: string): number => text.split(part).length - 1;

describe("a file merged with unsaved text", () => {
  it("is the file on disk, if nothing was typed", () => {
    fc.assert(
      fc.property(scene, ({ base, disk }) => {
        expect(merged({ base, editor: base, disk: disk.text })).toBe(disk.text);
      }),
      { numRuns },
    );
  });

  it("is the editor's text, if nothing was written", () => {
    fc.assert(
      fc.property(scene, ({ base, editor }) => {
        expect(merged({ base, editor: editor.text, disk: base })).toBe(editor.text);
      }),
      { numRuns },
    );
  });

  it("has all that both sides added, once", () => {
    let [all, kept] = [0, 0];
    fc.assert(
      fc.property(scene, ({ base, editor, disk }) => {
        all++;
        const text = merged({ base, editor: editor.text, disk: disk.text });
        if (text === undefined) return;
        kept++;
        for (const mark of [...editor.marks, ...disk.marks]) expect([mark, countOf(text, mark)]).toEqual([mark, 1]);
      }),
      { numRuns },
    );
    expect(kept / all).toBeGreaterThan(0.6);
  });

  it("is what git makes of it, where git merges and both texts differ by whole lines", () => {
    let [compared, same] = [0, 0];
    fc.assert(
      fc.property(scene, ({ base, editor, disk }) => {
        const git = mergedByGit({ base, ours: editor.text, theirs: disk.text }, folder);
        const ours = merged({ base, editor: editor.text, disk: disk.text });
        if (git === undefined || ours === undefined) return;
        compared++;
        if (git === ours) same++;
      }),
      { numRuns: Math.min(numRuns, 300) },
    );
    expect(compared).toBeGreaterThan(50);
    expect(same / compared).toBeGreaterThan(0.97);
  });

  it("names the lines that both sides changed, in the editor's text", () => {
    const base = "one\ntwo\nthree\nfour\n";
    const editor = "new\none\n2\nthree\nfour\n";
    const disk = "one\nII\nthree\n4\n";
    expect(mergeFile({ base, editor, disk }, rule)).toEqual({ kind: "conflict", lines: [{ from: 2, to: 3 }] });
  });
});
