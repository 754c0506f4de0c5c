/** Finds single lines of a missing text that occur in the document, for texts that resemble no region of it. */
import type { TextIndex } from "../textIndex.js";
import { isTelling, wholeLines } from "../wholeLines.js";

/** A run of lines of the old text, and the run of the document's lines that it equals, apart from whitespace at the ends. */
export interface OccurringLines {
  /** 0-based line of the old text. */
  readonly sought: number;
  /** 0-based line of the document, as matching counts lines. */
  readonly line: number;
  readonly count: number;
}

/** Limits on the search: lines of the old text, and runs that are returned. */
const bounds = { soughtLines: 1_000, runs: 3 } as const;

/** Returns the first runs of lines that have a letter or a digit and occur exactly once. */
export function occurringLines(index: TextIndex, oldText: string): OccurringLines[] {
  const table = index.lineTable("blanks");
  const { lines } = wholeLines(oldText);
  const runs: { sought: number; line: number; count: number }[] = [];
  for (const [sought, text] of lines.slice(0, bounds.soughtLines).entries()) {
    if (!isTelling(text)) continue;
    const [line, another] = table.find([text], { from: 0, most: 2 });
    if (line === undefined || another !== undefined) continue;
    const last = runs.at(-1);
    const isNext = last !== undefined && last.sought + last.count === sought && last.line + last.count === line;
    if (isNext) last.count++;
    else runs.push({ sought, line, count: 1 });
  }
  return runs.slice(0, bounds.runs);
}
