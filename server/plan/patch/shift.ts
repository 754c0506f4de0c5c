/** Indents the added lines of a hunk that was found although the file has another indentation. */
import type { Reshape } from "../../match/place.js";
import type { TextIndex } from "../../match/textIndex.js";
import { shiftLine, shiftOfLines } from "../../match/wholeLines.js";
import { isAllBlank, trimStart } from "../../text/chars.js";
import type { HunkLine } from "../operation.js";
import type { HunkPlace, HunkProblem } from "./hunks.js";

/**
 * Shifts the added lines of a placed hunk. In a block of removed and added lines, the added lines are shifted as the
 * removed ones are. A block that only adds lines is shifted as all old lines of the hunk are, if these agree.
 */
export function shifted(index: TextIndex, place: HunkPlace): HunkPlace | HunkProblem {
  const { rung, start } = place;
  if (rung !== "indentation" && rung !== "foldedLines" && rung !== "fullWidth") return place;
  const all = matchedLinesOf(index, place);
  const whole = shiftOfMatched(all);
  const isSigned = all.some(({ kind, text }) => kind === "remove" && !isAllBlank(text));
  const result: HunkLine[] = [];
  for (const block of blocksOf(all)) {
    const added = block.flatMap(({ kind, text }) => (kind === "add" && !isAllBlank(text) ? [text] : []));
    const removed = block.filter(({ kind, text }) => kind === "remove" && !isAllBlank(text));
    const shift = removed.length > 0 ? (whole ?? shiftOfMatched(removed)) : whole;
    const fits = shift !== undefined && added.every((text) => shiftLine(text, shift) !== undefined);
    if (added.length > 0 && removed.length > 0 && !fits) return { kind: "uneven", start, isUnfit: shift !== undefined };
    const isShifted = fits && (isSigned || isCertain(index, shift, added));
    for (const { kind, text } of block) {
      const moved = kind === "add" && isShifted ? shiftLine(text, shift) : undefined;
      result.push({ kind, text: moved ?? text });
    }
  }
  return { ...place, lines: result };
}

/** A line of a hunk, and the file's line at its place; `undefined` for an added line. */
interface MatchedLine extends HunkLine {
  readonly found: string | undefined;
}

function matchedLinesOf(index: TextIndex, { lines, start }: HunkPlace): MatchedLine[] {
  let line = start;
  return lines.map(({ kind, text }) => ({
    kind,
    text,
    found: kind === "add" ? undefined : index.matchedLines.content(line++),
  }));
}

/** Divides a hunk's lines: each context line alone, and each run of removed and added lines together. */
function blocksOf(all: readonly MatchedLine[]): MatchedLine[][] {
  const blocks: MatchedLine[][] = [];
  let run: MatchedLine[] | undefined;
  for (const line of all) {
    if (line.kind !== "context" && run !== undefined) run.push(line);
    else {
      run = [line];
      blocks.push(run);
      if (line.kind === "context") run = undefined;
    }
  }
  return blocks;
}

/** Returns the shift that turns all old lines among the given ones into the file's; `undefined` if no single shift does. */
function shiftOfMatched(all: readonly MatchedLine[]): Reshape | undefined {
  const old = all.flatMap(({ text, found }) => (found === undefined ? [] : [{ text, found }]));
  return shiftOfLines(
    old.map(({ text }) => text),
    old.map(({ found }) => found),
  );
}

/**
 * Reports whether a shift that only context lines show applies to added lines, too. One space is no sign of that: one
 * too few means that the context lines lack their sign, and one too many that only they have one after the sign. The
 * latter is different if it gives the added lines indentations that the file has, and takes none away.
 */
function isCertain(index: TextIndex, shift: Reshape, added: readonly string[]): boolean {
  if (!("indent" in shift) || shift.indent !== " ") return true;
  if (shift.kind === "add") return false;
  const known = indentsOf(index);
  const isKnown = (text: string): boolean => known.has(indentOf(text));
  const isGained = (text: string): boolean => !isKnown(text) && isKnown(shiftLine(text, shift) ?? "");
  const isLost = (text: string): boolean => isKnown(text) && !isKnown(shiftLine(text, shift) ?? "");
  return added.some(isGained) && !added.some(isLost);
}

/** The indentations of each text's lines. */
const indents = new WeakMap<TextIndex, ReadonlySet<string>>();

function indentsOf(index: TextIndex): ReadonlySet<string> {
  const known = indents.get(index);
  if (known !== undefined) return known;
  const { matchedLines: lines } = index;
  const found = new Set<string>();
  for (let line = 0; line < lines.lineCount; line++) {
    const content = lines.content(line);
    if (!isAllBlank(content)) found.add(indentOf(content));
  }
  indents.set(index, found);
  return found;
}

const indentOf = (line: string): string => line.slice(0, trimStart(line));
