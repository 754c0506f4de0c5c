/** Indents the added lines of a hunk that was found although the file has another indentation. */
import type { Shift } from "../../match/place.js";
import type { TextIndex } from "../../match/textIndex.js";
import { indentOf, mayBeScaled, shiftLine, shiftOfLines } from "../../match/wholeLines.js";
import { type FoundLine, indentedLike, type Replacement } from "../../match/whoseIndentation.js";
import { isAllBlank } from "../../text/chars.js";
import type { HunkLine } from "../operation.js";
import type { HunkPlace, HunkProblem } from "./hunks.js";

/** Shifts a hunk's added lines as the removed ones beside them or, failing that, as all old lines. */
export function shifted(index: TextIndex, place: HunkPlace): HunkPlace | HunkProblem {
  const { rung, start } = place;
  if (rung !== "indentation" && rung !== "foldedLines" && rung !== "fullWidth") return place;
  const all = matchedLinesOf(index, place);
  const old = foundLines(all);
  const whole = shiftOfMatched(old);
  const isSigned = all.some(({ kind, text }) => kind === "remove" && !isAllBlank(text));
  // If the old lines have lost all of their indentation, lines that have some can't be indented like them.
  const isBare = whole === undefined && old.every(({ text }) => indentOf(text) === "");
  const isScaled = whole === undefined && mayBeScaled(textsOf(old, "text"), textsOf(old, "found"));
  const result: HunkLine[] = [];
  let seen = 0;
  for (const lines of blocksOf(all)) {
    const added = lines.flatMap(({ kind, text }) => (kind === "add" && !isAllBlank(text) ? [text] : []));
    const removed = added.length === 0 ? [] : foundLines(lines);
    const shift = removed.length > 0 ? (whole ?? shiftOfMatched(removed)) : whole;
    const block = { old: removed, next: added, above: old[seen - 1], below: old[seen] };
    const isFile = isBare && added.every((text) => indentOf(text) !== "");
    const why = added.length === 0 || isFile ? undefined : unknownBy(block, { shift, isScaled });
    if (why !== undefined) return { kind: "uneven", start, why };
    const fits = shift !== undefined && added.every((text) => shiftLine(text, shift) !== undefined);
    const like = isFile
      ? "file"
      : !fits || (isOneSpace(shift) && removed.length === 0)
        ? "old"
        : indentedLike(block, shift);
    if (like === undefined) return { kind: "uneven", start, why: "unclear" };
    const isShifted = fits && like === "old" && (isSigned || isCertain(index, shift, block));
    for (const { kind, text } of lines) {
      const moved = kind === "add" && isShifted ? shiftLine(text, shift) : undefined;
      result.push({ kind, text: moved ?? text });
    }
    seen += foundLines(lines).length;
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

/** Returns the old lines that have text. */
const foundLines = (lines: readonly MatchedLine[]): FoundLine[] =>
  lines.flatMap(({ text, found }) => (found === undefined || isAllBlank(text) ? [] : [{ text, found }]));

/** Returns why a block's indentation is unknown, if it is and matters. `isScaled`: levels may have another width. */
function unknownBy(
  block: Replacement,
  { shift, isScaled }: { readonly shift: Shift | undefined; readonly isScaled: boolean },
): "disagreement" | "misfit" | undefined {
  const { old, next } = block;
  const isLevelInFile = isLevel(block, "found");
  if (shift === undefined) {
    const { above, below } = block;
    const isSame = [above ?? below].some((line) => line && indentOf(line.text) === indentOf(line.found));
    const isOpen = isScaled && next.some((text) => indentOf(text) !== "");
    const isClear = !isOpen && (isLevelInFile || (isSame && !isLevel(block, "text")));
    return old.length === 0 && isClear ? undefined : "disagreement";
  }
  const moved = next.map((text) => shiftLine(text, shift));
  if (moved.includes(undefined))
    return old.length > 0 || shift.kind === "scale" || !(isLevelInFile || isOneSpace(shift)) ? "misfit" : undefined;
  const depths = new Set(old.map(({ text }) => indentOf(text)));
  return isScaled && next.some((text) => !depths.has(indentOf(text))) ? "disagreement" : undefined;
}

/** Reports whether the first added line is level with a line beside it, as the hunk or the file has that line. */
const isLevel = ({ next: [first], above, below }: Replacement, side: "text" | "found"): boolean =>
  first !== undefined && [above, below].some((line) => line && indentOf(line[side]) === indentOf(first));

/** Reports whether a shift is one space: that is no depth, but the sign of a context line. */
const isOneSpace = (shift: Shift): boolean => "indent" in shift && shift.indent === " ";

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

/** Returns the shift that turns old lines into the file's; `undefined` if no single shift does. */
const shiftOfMatched = (old: readonly FoundLine[]): Shift | undefined =>
  shiftOfLines(textsOf(old, "text"), textsOf(old, "found"));

const textsOf = (old: readonly FoundLine[], side: "text" | "found"): string[] => old.map((line) => line[side]);

/**
 * Reports whether a shift that only context lines show applies to added lines, too. One space is no sign of that: one
 * too few means that the context lines lack their sign, and one too many that only they have one after the sign. The
 * latter is different if the first added line is level with a line beside it, or if it gives the added lines indentations
 * that the file has, and takes none away.
 */
function isCertain(index: TextIndex, shift: Shift, block: Replacement): boolean {
  if (!isOneSpace(shift)) return true;
  if (shift.kind === "add") return false;
  if (isLevel(block, "text")) return true;
  const known = indentsOf(index);
  const isKnown = (text: string): boolean => known.has(indentOf(text));
  const isGained = (text: string): boolean => !isKnown(text) && isKnown(shiftLine(text, shift) ?? "");
  const isLost = (text: string): boolean => isKnown(text) && !isKnown(shiftLine(text, shift) ?? "");
  return block.next.some(isGained) && !block.next.some(isLost);
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
