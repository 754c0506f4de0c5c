/**
 * A change as its author made it, in lines, with the context that makes its location certain, and its effect on a file.
 */
import type { Chance } from "../../codex/random.js";
import type { Version } from "./sources.js";

/** One line of an edit, without its end. */
export interface EditLine {
  readonly kind: "keep" | "remove" | "add";
  readonly text: string;
}

/** Kept, removed and added lines; `start` is the 0-based line of the first kept or removed one. */
export interface RealEdit {
  readonly start: number;
  readonly lines: readonly EditLine[];
}

/** The kept and removed lines, which must be in the file. */
export const oldLines = ({ lines }: Pick<RealEdit, "lines">): string[] =>
  lines.flatMap(({ kind, text }) => (kind === "add" ? [] : [text]));

/** The kept and added lines, which replace them. */
export const newLines = ({ lines }: Pick<RealEdit, "lines">): string[] =>
  lines.flatMap(({ kind, text }) => (kind === "remove" ? [] : [text]));

/** The added lines. */
export const addedLines = ({ lines }: Pick<RealEdit, "lines">): string[] =>
  lines.flatMap(({ kind, text }) => (kind === "add" ? [text] : []));

/** The 0-based line after the old lines of an edit. */
export const endOf = (edit: RealEdit): number => edit.start + oldLines(edit).length;

/** Reports whether a line contains only whitespace. */
export const isBlankLine = (line: string): boolean => line.trim() === "";

/**
 * A file's lines after edits that do not touch each other: kept lines are the file's own, and added lines are
 * transformed by `written`.
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

/** Changes to a file, each with the context that makes its location certain; ascending, and none touching another. */
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
 * A change with at least `least` lines of context on both sides, and enough further lines to make its old lines unique
 * even if whitespace and typography are ignored; `undefined` if even the largest context is not enough, or if there is
 * no context before or after it.
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
  // Nobody begins or ends a quotation with an empty line.
  while (from > 0 && from < start && isBlankLine(lines[from] ?? "")) from--;
  while (to < lines.length && to > end && isBlankLine(lines[to - 1] ?? "")) to++;
  const kept = (some: readonly string[]): EditLine[] => some.map((text) => ({ kind: "keep", text }));
  return { start: from, lines: [...kept(lines.slice(from, start)), ...hunk, ...kept(lines.slice(end, to))] };
}

/**
 * Counts the locations at which lines occur among others if all whitespace within lines is ignored, typographic quotes
 * and dashes equal plain ones, and the first and last lines may match parts of lines. No way of matching can find more
 * locations than this.
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
