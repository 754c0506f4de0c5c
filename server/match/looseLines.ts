/** Rungs that compare whole lines more loosely than the others: each accepts a place only if one thing differs there. */
import { trimEnd } from "../text/chars.js";
import { limits } from "../text/limits.js";
import { replacedIn } from "../text/lines.js";
import type { Found, Place, Shift, Sought } from "./place.js";
import { trimmedEnds } from "./reshape.js";
import type { TextIndex } from "./textIndex.js";
import {
  candidates,
  indentOf,
  isTelling,
  shiftBetween,
  shiftedPlaces,
  span,
  type WholeLines,
  wholeLines,
} from "./wholeLines.js";

/** Finds lines with other lengths of inner whitespace, none on one side only, and one shift of indentation. */
export function findRespaced(index: TextIndex, oldText: string): Found {
  const old = wholeLines(oldText);
  if (!isTelling(oldText) || !old.lines.some((line) => /\S\s+\S/.test(line))) return [];
  const lines = candidates(index, old, "innerBlanks");
  return lines === "tooMany" ? lines : shiftedPlaces(index, old, { lines, shiftOf: shiftBetween });
}

/** Finds the old text without the empty lines at its ends, or without a final line ending that the document lacks. */
export function findBetweenEmptyLines(index: TextIndex, oldText: string): Found {
  const { lines, ended } = wholeLines(oldText);
  const front = lines.findIndex((line) => trimEnd(line) > 0);
  const end = lines.findLastIndex((line) => trimEnd(line) > 0) + 1;
  const back = lines.length - end + (ended ? 1 : 0);
  if (front === 0 && back === 0) return [];
  // Whitespace after the only line ending is ignored, like all trailing whitespace.
  const isOnlyEnded = front === 0 && back === 1;
  if (!isOnlyEnded && !isTelling(oldText)) return [];
  const inside = filledLines(index, { lines: lines.slice(front, end), ended: false });
  if (inside === "tooMany") return inside;
  const matched = index.matchedLines;
  return inside.flatMap(({ from, to, shift }): Place[] => {
    const last = matched.lineAt(to);
    const atEnd = matched.end(last) === to;
    // The line ending of the last line that has text stays part of the match, unless the document has none there.
    const gone = back === 0 || atEnd ? back : back - 1;
    if (front === 0 && gone === 0) return [];
    return [
      {
        from,
        to: gone < back ? matched.end(last) : to,
        reshape: { kind: "trimEnds", front, back: gone, atEnd, shift },
      },
    ];
  });
}

/** Finds whole lines that have the same text and, if possible, the same indentation; otherwise, with a single shift. */
function filledLines(index: TextIndex, old: WholeLines): readonly ShiftedSpan[] | "tooMany" {
  const same = candidates(index, old, "trailingBlanks");
  if (same === "tooMany") return same;
  if (same.length > 0) return same.map((line) => ({ ...span(index, old, line), shift: undefined }));
  const lines = candidates(index, old, "blanks");
  const places = lines === "tooMany" ? lines : shiftedPlaces(index, old, { lines, shiftOf: shiftBetween });
  return places === "tooMany" ? places : places.map(({ from, to, reshape }) => ({ from, to, shift: reshape }));
}

/** A span of whole lines, and the shift of their indentation; `undefined` if there is none. */
interface ShiftedSpan {
  readonly from: number;
  readonly to: number;
  readonly shift: Shift | undefined;
}

/** Finds lines of which only some have the document's indentation. `fitsUneven`: whether an edit is safe there. */
export function findUneven(index: TextIndex, oldText: string): Found {
  const old = wholeLines(oldText);
  if (!isTelling(oldText) || old.lines.length < 2) return [];
  const lines = candidates(index, old, "blanks");
  if (lines === "tooMany" || lines.length * old.lines.length > limits.lineSteps) return "tooMany";
  const isAlike = (line: number) => (sent: string, i: number) =>
    isTelling(sent) && indentOf(sent) === indentOf(index.matchedLines.content(line + i));
  return lines
    .filter((line) => old.lines.some(isAlike(line)))
    .map((line) => ({ ...span(index, old, line), reshape: { kind: "uneven" } }));
}

/**
 * Reports whether an edit is safe at a place where the indentation of some lines differs: it removes only lines that are
 * indented alike, and adds lines only next to such lines, with the kind of whitespace that the document has there.
 */
export function fitsUneven(index: TextIndex, { oldText, newText }: Sought, { from }: Place): boolean {
  const [old, next] = [wholeLines(oldText).lines, wholeLines(newText).lines];
  const first = index.matchedLines.lineAt(from);
  const theirs = old.map((_, i) => indentOf(index.matchedLines.content(first + i)));
  const isFilled = (i: number): boolean => trimEnd(old[i] ?? "") > 0;
  // An empty line has no indentation, so the next line that has text counts instead.
  const isAlike = (i: number, step: 1 | -1): boolean => {
    let at = i;
    while (at >= 0 && at < old.length && !isFilled(at)) at += step;
    const line = old[at];
    return line === undefined || indentOf(line) === theirs[at];
  };
  const known = new Set(theirs.join(""));
  // An added line that is level with a line that is indented otherwise may be off by the same amount.
  const others = new Set(old.map(indentOf).filter((indent, i) => isFilled(i) && indent !== theirs[i]));
  for (const [i, line] of old.entries()) if (isFilled(i) && indentOf(line) === theirs[i]) others.delete(indentOf(line));
  const isForeign = (line: string): boolean => {
    const indent = indentOf(line);
    return others.has(indent) || [...indent].some((unit) => known.size > 0 && !known.has(unit));
  };
  return replacedIn(old, next).every(({ from, to, fromB, toB }) => {
    const isRemovable = old.slice(from, to).every((_, i) => isAlike(from + i, 1));
    if (!isRemovable || fromB === toB) return isRemovable;
    return !next.slice(fromB, toB).some(isForeign) && isAlike(to - 1, -1) && isAlike(to, 1);
  });
}

/** Reports whether an edit changes whitespace and nothing else. */
export function isRespacing({ oldText, newText }: Sought): boolean {
  const plain = (text: string): string => text.replace(/\s+/g, "");
  return plain(oldText) === plain(newText);
}

/** Reports whether the new text has the left-out empty lines, too, and is not at the place already. */
export function fitsEnds(index: TextIndex, sought: Sought, { from, to, reshape }: Place): boolean {
  if (reshape?.kind !== "trimEnds") return true;
  const left = trimmedEnds(sought, reshape);
  if (left === undefined) return false;
  const [old, next] = [wholeLines(left.oldText).lines, wholeLines(left.newText).lines];
  const lines = index.matchedLines;
  const [first, last] = [lines.lineAt(from), lines.lineAt(Math.max(from, to - 1))];
  return next.length <= old.length || !(isRunAt(index, first, next) || isRunAt(index, last + 1 - next.length, next));
}

/** Reports whether lines are in the document from a 0-based line on, apart from whitespace at their ends. */
export function isRunAt({ matchedLines: lines }: TextIndex, start: number, run: readonly string[]): boolean {
  return (
    start >= 0 &&
    start + run.length <= lines.lineCount &&
    run.every((line, i) => lines.content(start + i).trim() === line.trim())
  );
}
