/** The lines in which two texts differ. */
import { shrink } from "./changeSet.js";
import { LineIndex, type LineRule } from "./lines.js";

/** The lines from the first to the last in which two texts differ, each with its line ending. */
export interface DifferingLines {
  readonly old: readonly string[];
  readonly next: readonly string[];
  /** The offsets in text A at which the old lines start, and the offset after the last one. */
  readonly starts: readonly number[];
}

/** Returns the lines between those that two texts share at their start and at their end. */
export function differingLines(textA: string, textB: string, rule: LineRule): DifferingLines {
  const [change] = shrink(textA, { from: 0, to: textA.length, insert: textB });
  if (change === undefined) return { old: [], next: [], starts: [] };
  const lines = LineIndex.of(textA, rule);
  const start = lines.start(lines.lineAt(change.from));
  const end = lines.end(lines.lineAt(change.to));
  const old = linesOf(textA.slice(start, end), rule);
  const starts = [start];
  for (const line of old) starts.push(starts.at(-1)! + line.length);
  return { old, next: linesOf(textB.slice(start, textB.length - (textA.length - end)), rule), starts };
}

function linesOf(text: string, rule: LineRule): string[] {
  const lines = LineIndex.of(text, rule);
  return lines.whole(0, lines.filledCount);
}
