/** A file's text as lines, where lines stand in it, and the text with some of them replaced, as Codex does it. */
import { passes } from "./blanks.js";
import type { PatchLine } from "./grammar.js";

/** A line of a file with what ends it; only the last one can have no end. */
export interface FileLine {
  readonly text: string;
  readonly end: string;
}

/** Lines of a hunk that take the place of `count` lines from `at` on, 0-based. */
export interface Replacement {
  readonly at: number;
  readonly count: number;
  readonly lines: readonly PatchLine[];
}

/** A text at its line ends; nothing behind the last one is no line. */
export function linesOf(text: string): FileLine[] {
  return [...text.matchAll(/([^\r\n]*)(\r\n|\n|\r|$)/g)]
    .map(([, line = "", end = ""]) => ({ text: line, end }))
    .filter(({ text, end }) => text !== "" || end !== "");
}

/** Places of a run of lines: the pass (0-based) that found them and all that it found, 0-based. */
export interface Found {
  readonly pass: number;
  readonly places: readonly [number, ...number[]];
}

/** Where lines, at least one, stand from `from` on; with `atEnd` only the last place there is. The first pass decides. */
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

/** The end that new lines get. */
export const newLineEnd = (lines: readonly FileLine[]): string => lines.find(({ end }) => end !== "")?.end ?? "\n";

/** A text with lines replaced. All lines have an end afterwards. */
export function replaced(lines: readonly FileLine[], replacements: readonly Replacement[]): string {
  const newEnd = newLineEnd(lines);
  const result: FileLine[] = [];
  let at = 0;
  for (const run of inOrder(replacements, lines.length)) {
    result.push(...lines.slice(at, run.at), ...run.added.map((text) => ({ text, end: newEnd })));
    at = run.at + run.count;
  }
  result.push(...lines.slice(at));
  return result.map(({ text, end }) => `${text}${end === "" ? newEnd : end}`).join("");
}

/** New lines that take the place of `count` lines from `at` on, without a kept line between them. */
export interface Run {
  readonly at: number;
  readonly count: number;
  readonly added: readonly string[];
}

/**
 * All runs from the file's start to its end. Kept lines part a hunk into runs, and these, not whole hunks, are what Codex
 * sorts. What is put in front of a line comes before what takes its place. Of what two hunks put at one place, that comes first
 * whose hunk does, and first of all what goes right behind its anchor; but lines for the file's end, which no other line says
 * where to put, are in the order of the patch.
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

/** The runs of one hunk; lines that it adds in front of one that it removes are a run of their own. */
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
