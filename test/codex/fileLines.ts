/** A file's text as lines, and the rules by which Codex finds and replaces lines. */
import { passes } from "./blanks.js";
import type { PatchLine } from "./grammar.js";

/** A line of a file with its line ending, which only the last line may lack. */
export interface FileLine {
  readonly text: string;
  readonly end: string;
  /** The number (0-based) of the line before the patch; `undefined` if a section wrote the line. */
  readonly origin?: number | undefined;
}

/** Lines of a hunk that replace `count` lines, starting at line `at` (0-based). */
export interface Replacement {
  readonly at: number;
  readonly count: number;
  readonly lines: readonly PatchLine[];
}

/** Splits a text at its line endings; an empty remainder after the last one is not a line. */
export function linesOf(text: string): FileLine[] {
  return [...text.matchAll(/([^\r\n]*)(\r\n|\n|\r|$)/g)]
    .map(([, line = "", end = ""]) => ({ text: line, end }))
    .filter(({ text, end }) => text !== "" || end !== "");
}

/** The pass (0-based) that found a run of lines, and all locations (0-based) where it found the run. */
export interface Found {
  readonly pass: number;
  readonly places: readonly [number, ...number[]];
}

/**
 * Finds a run of one or more lines at or after `from` or, if `atEnd` is set, only at the end of the text. The first
 * pass that finds the run determines the result.
 */
export function seek(
  texts: readonly string[],
  wanted: readonly string[],
  { from, atEnd = false }: { readonly from: number; readonly atEnd?: boolean },
): Found | undefined {
  const last = texts.length - wanted.length;
  const first = atEnd ? Math.max(last, from) : from;
  for (const [pass, fold] of passes.entries()) {
    const [have, want] = [texts.map(fold), wanted.map(fold)];
    const starts = Array.from({ length: Math.max(0, last + 1 - first) }, (_, i) => first + i);
    const [place, ...more] = starts.filter((at) => want.every((line, i) => line === have[at + i]));
    if (place !== undefined) return { pass, places: [place, ...more] };
  }
  return undefined;
}

/** The line ending for new lines. */
export const newLineEnd = (lines: readonly FileLine[]): string => lines.find(({ end }) => end !== "")?.end ?? "\n";

/**
 * Replaces lines of a text. In the result, every line has a line ending, except, with `endless`, the last one.
 */
export function replaced(
  lines: readonly FileLine[],
  replacements: readonly Replacement[],
  { endless }: { readonly endless: boolean },
): FileLine[] {
  const newEnd = newLineEnd(lines);
  const result: FileLine[] = [];
  let at = 0;
  for (const run of inOrder(replacements, lines.length)) {
    result.push(...lines.slice(at, run.at), ...run.added.map((text) => ({ text, end: newEnd })));
    at = run.at + run.count;
  }
  result.push(...lines.slice(at));
  return result.map((line, i) => ({
    ...line,
    end: endless && i === result.length - 1 ? "" : line.end === "" ? newEnd : line.end,
  }));
}

/** New lines that replace `count` adjacent lines, starting at line `at`; the hunk keeps none of the old lines. */
export interface Run {
  readonly at: number;
  readonly count: number;
  readonly added: readonly string[];
}

/**
 * All runs in file order. Kept lines divide a hunk into runs, and Codex sorts these rather than whole hunks. Lines
 * inserted before a line precede the lines that replace it. If two hunks insert at the same line, the hunk that begins
 * earlier in the file comes first or, if both begin at the same line, the hunk without old lines. A hunk that only adds
 * lines at the end of the file keeps its place in the patch's order.
 */
function inOrder(replacements: readonly Replacement[], end: number): Run[] {
  const placed = replacements.flatMap((hunk) => runsOf(hunk).map((run) => ({ hunk, run })));
  const isLoose = ({ at, count }: Replacement): boolean => at === end && count === 0;
  placed.sort(
    (a, b) =>
      a.run.at - b.run.at ||
      Math.sign(a.run.count) - Math.sign(b.run.count) ||
      (isLoose(a.hunk) || isLoose(b.hunk)
        ? 0
        : a.hunk.at - b.hunk.at || Math.sign(a.hunk.count) - Math.sign(b.hunk.count)),
  );
  return placed.map(({ run }) => run);
}

/** The runs of one hunk; lines that it adds before a removed line form a separate run. */
export function runsOf({ at, lines }: Replacement): Run[] {
  const runs: Run[] = [];
  let next = at;
  let open: Run | undefined;
  for (const { sign, text } of lines) {
    if (sign === " " || (sign === "-" && open?.count === 0)) open = undefined;
    if (sign !== " ") {
      const run: Run = open ?? { at: next, count: 0, added: [] };
      if (open !== undefined) runs.pop();
      open = sign === "-" ? { ...run, count: run.count + 1 } : { ...run, added: [...run.added, text] };
      runs.push(open);
    }
    if (sign !== "+") next++;
  }
  return runs;
}
