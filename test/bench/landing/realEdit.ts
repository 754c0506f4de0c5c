/**
 * A change as its author made it, line by line, with enough context to make its location certain, and its effect on a
 * file.
 */
import type { Chance } from "../../codex/random.js";
import type { Version } from "./sources.js";

/** A line of an edit, without its line ending. */
export interface EditLine {
  readonly kind: "keep" | "remove" | "add";
  readonly text: string;
}

/** Kept, removed and added lines; `start` is the 0-based number of the first kept or removed line. */
export interface RealEdit {
  readonly start: number;
  readonly lines: readonly EditLine[];
}

/** The kept and removed lines, which must be in the file. */
export const oldLines = ({ lines }: Pick<RealEdit, "lines">): string[] =>
  lines.flatMap(({ kind, text }) => (kind === "add" ? [] : [text]));

/** The kept and added lines, which replace the old lines. */
export const newLines = ({ lines }: Pick<RealEdit, "lines">): string[] =>
  lines.flatMap(({ kind, text }) => (kind === "remove" ? [] : [text]));

/** The added lines. */
export const addedLines = ({ lines }: Pick<RealEdit, "lines">): string[] =>
  lines.flatMap(({ kind, text }) => (kind === "add" ? [text] : []));

/** The 0-based line after an edit's old lines. */
export const endOf = (edit: RealEdit): number => edit.start + oldLines(edit).length;

/** Reports whether an edit changes nothing but whitespace; damage to whitespace would then change what it means. */
export const isOnlyBlanks = (edit: RealEdit): boolean =>
  oldLines(edit).join("").replace(/\s+/g, "") === newLines(edit).join("").replace(/\s+/g, "");

/** Reports whether a line contains only whitespace. */
export const isBlankLine = (line: string): boolean => line.trim() === "";

/**
 * A file's lines after edits that neither overlap nor touch: kept lines are the file's own, and added lines are passed
 * through `written`.
 */
export function withEdits(
  lines: readonly string[],
  edits: readonly RealEdit[],
  written: (line: string) => string = (line) => line,
): string[] {
  const after = [...lines];
  for (const edit of [...edits].sort((a, b) => b.start - a.start)) {
    let at = edit.start;
    const result = edit.lines.flatMap(({ kind, text }) => {
      if (kind === "add") return [written(text)];
      const own = lines[at++];
      if (own === undefined) throw new Error("an edit must lie within its file");
      return kind === "keep" ? [own] : [];
    });
    after.splice(edit.start, at - edit.start, ...result);
  }
  return after;
}

/**
 * Draws changes to a file, in ascending order. They do not touch each other, and each has enough context to make its
 * location certain.
 */
export function drawEdits(chance: Chance, version: Version, count: number): RealEdit[] {
  const edits: RealEdit[] = [];
  for (let tries = 0; edits.length < count && tries < 4 * count; tries++) {
    const edit = withContext(version, chance.pick(version.hunks), chance.between(1, 3));
    if (edit === undefined) continue;
    if (edits.every((other) => endOf(other) < edit.start || endOf(edit) < other.start)) edits.push(edit);
  }
  return edits.sort((a, b) => a.start - b.start);
}

/**
 * A change with at least `least` lines of context on both sides, and as many more as it takes to make its old lines
 * unique even if whitespace and typography are ignored; `undefined` if even the largest context is not enough, or if
 * either side has no context.
 */
function withContext(version: Version, hunk: RealEdit, least: number): RealEdit | undefined {
  for (let context = least; context <= mostContext; context++) {
    const edit = surrounded(version, hunk, context);
    const isOpen = edit.lines.at(-1)?.kind !== "keep" || edit.lines[0]?.kind !== "keep";
    const says = /[\p{L}\p{N}]/u.test(oldLines(edit).join(""));
    if (!isOpen && says && placesOf(oldLines(edit), version.lines) === 1) return edit;
  }
  return undefined;
}

const mostContext = 10;

function surrounded({ lines }: Version, { start, lines: hunk }: RealEdit, context: number): RealEdit {
  const end = endOf({ start, lines: hunk });
  let from = Math.max(0, start - context);
  let to = Math.min(lines.length, end + context);
  // A quotation would not begin or end with an empty line.
  while (from > 0 && from < start && isBlankLine(lines[from] ?? "")) from--;
  while (to < lines.length && to > end && isBlankLine(lines[to - 1] ?? "")) to++;
  const kept = (some: readonly string[]): EditLine[] => some.map((text) => ({ kind: "keep", text }));
  return { start: from, lines: [...kept(lines.slice(from, start)), ...hunk, ...kept(lines.slice(end, to))] };
}

/**
 * Counts the locations at which the lines `sought` occur in `lines`. Ignores all whitespace within lines, treats
 * typographic quotes and dashes as plain ones, and lets the first and last lines match parts of lines, so no way of
 * matching can find more locations.
 */
export function placesOf(sought: readonly string[], lines: readonly string[]): number {
  const [needle, text] = [bareText(sought), bareText(lines)];
  if (needle === "") throw new Error("a text of whitespace occurs everywhere");
  let count = 0;
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1)) count++;
  return count;
}

const bareText = (lines: readonly string[]): string => lines.map(bare).join("\n");

const bareLines = new Map<string, string>();

function bare(line: string): string {
  const known = bareLines.get(line);
  if (known !== undefined) return known;
  const made = line
    .replace(/[“”„‟]/g, '"')
    .replace(/[‘’‚‛]/g, "'")
    .replace(/[‐-―−]/g, "-")
    .replace(/…/g, "...")
    .replace(/\s+/g, "");
  bareLines.set(line, made);
  return made;
}
