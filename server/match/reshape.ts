/** Adapts a caller's texts to the document at a place that was found although the old text differs. */
import { isAllBlank, isBlank, lineTexts, trimEnd, withoutMark } from "../text/chars.js";
import type { Place, Reshape, Shift, Sought } from "./place.js";
import type { TextIndex } from "./textIndex.js";
import { stripped } from "./viewPrefix.js";
import { indentOf, isReindenting, isShifted, shifted, wholeLines } from "./wholeLines.js";
import { indentedLike } from "./whoseIndentation.js";

/** Returns an edit's texts as they read at a place of the document; `undefined` if they can't be adapted to it. */
export function asFound(index: TextIndex, sought: Sought, place: Place): Sought | undefined {
  // A reindenting edit states the indentation that the lines should have, not the amount by which to change it.
  if (isShifted(place) && isReindenting(sought)) return undefined;
  const { reshape } = place;
  const trimmed = reshape?.kind === "trimEnds" ? trimmedEnds(sought, reshape) : sought;
  if (trimmed === undefined) return undefined;
  const sent = asWholeLines(index, trimmed, place);
  const shift = shiftOf(reshape);
  if (shift === undefined) {
    const [oldText, newText] = [reshaped(sent.oldText, reshape), reshaped(sent.newText, reshape)];
    return oldText === undefined || newText === undefined ? undefined : { oldText, newText };
  }
  const first = index.matchedLines.lineAt(place.from);
  const old = wholeLines(sent.oldText).lines.map((text, i) => ({ text, found: index.matchedLines.content(first + i) }));
  const like = indentedLike({ old, next: wholeLines(sent.newText).lines }, shift);
  if (like === "old" && (mixes(sent, shift) || !isKnownWidth(index, sent, shift))) return undefined;
  const oldText = shifted(sent.oldText, shift);
  const newText = like === "file" ? sent.newText : like && shifted(sent.newText, shift);
  return oldText === undefined || newText === undefined ? undefined : { oldText, newText };
}

/** Reports whether a shift would write a tab after spaces, because the new text has tabs and the old text has none. */
function mixes({ oldText, newText }: Sought, shift: Shift): boolean {
  if (shift.kind !== "add" || shift.indent === "" || shift.indent.includes("\t")) return false;
  const hasTab = (text: string): boolean => lineTexts(text).some((line) => indentOf(line).includes("\t"));
  return hasTab(newText) && !hasTab(oldText);
}

/** Reports whether a tab's width in spaces is known, if it matters: by several depths, or by the document. */
function isKnownWidth(index: TextIndex, { oldText, newText }: Sought, shift: Shift): boolean {
  if (shift.kind !== "toSpaces" || shift.then !== undefined) return true;
  const depthsOf = (text: string) =>
    new Set(lineTexts(text).flatMap((line) => (trimEnd(line) === 0 ? [] : [indentOf(line)])));
  const [old, next] = [depthsOf(oldText), depthsOf(newText)];
  // No indentation is a depth, too, unless both texts have such lines.
  if (old.delete("")) next.delete("");
  return old.size > 1 || [...next].every((indent) => old.has(indent)) || isStep(index, shift.width);
}

/** Reports whether lines usually get deeper than the line above by a number of spaces or a multiple of it, or never do. */
function isStep({ habits }: TextIndex, width: number): boolean {
  if (!usualSteps.has(habits)) usualSteps.set(habits, usualStep(habits));
  const step = usualSteps.get(habits);
  return step === undefined || step % width === 0;
}

/** The result of `usualStep` for each text, because many edits of a batch may ask for it. */
const usualSteps = new WeakMap<TextIndex, number | undefined>();

/** Returns the number of spaces by which lines usually get deeper than the line above; `undefined` if they never do. */
function usualStep({ matchedLines: lines }: TextIndex): number | undefined {
  const counts = new Map<number, number>();
  let above = Number.POSITIVE_INFINITY;
  for (let line = 0; line < Math.min(lines.lineCount, linesCompared); line++) {
    const content = lines.content(line);
    const indent = indentOf(content);
    if (indent.length === content.length) continue;
    const by = indent.length - above;
    // One space is the alignment of a comment.
    if (by > 1 && !indent.includes("\t")) counts.set(by, (counts.get(by) ?? 0) + 1);
    above = indent.length;
  }
  const [most] = [...counts].sort((a, b) => b[1] - a[1]);
  return most?.[0];
}

/** The number of a document's lines that are compared to find by how much lines get deeper. */
const linesCompared = 2_000;

/** Adapts a caller's text to the document at a place. Returns `undefined` if a line's indentation does not fit. */
export function reshaped(text: string, reshape: Reshape | undefined): string | undefined {
  if (reshape?.kind === "unmark") return withoutMark(text);
  if (reshape?.kind === "unview") return stripped(text, reshape);
  const shift = shiftOf(reshape);
  return shift === undefined ? text : shifted(text, shift);
}

/** Returns the change of indentation that is part of a reshape; `undefined` if there is none. */
function shiftOf(reshape: Reshape | undefined): Shift | undefined {
  switch (reshape?.kind) {
    case "trimEnds":
      return reshape.shift;
    case undefined:
    case "unview":
    case "uneven":
    case "unmark":
      return undefined;
    default:
      return reshape;
  }
}

/** Ends a new text with a line ending, if the old text does: it would join its last line to the next. */
function asWholeLines(index: TextIndex, { oldText, newText }: Sought, { from, to, reshape }: Place): Sought {
  const isLost = newText !== "" && endsLine(oldText) && !endsLine(newText);
  const isLiteral = reshape === undefined || reshape.kind === "unmark";
  const isFollowed = !endsLine(index.text.slice(to, to + 1));
  const isMeant = isLiteral ? startsLine(index, from) && isFollowed && !isJoin({ oldText, newText }) : true;
  return isLost && isMeant ? { oldText, newText: `${newText}\n` } : { oldText, newText };
}

/** Reports whether an edit joins lines on purpose: it removes only a line ending, or leaves a space in its place. */
function isJoin({ oldText, newText }: Sought): boolean {
  if (isAllBlank(oldText) || isBlank(newText.charCodeAt(newText.length - 1))) return true;
  const [old, next] = [lineTexts(oldText).slice(0, -1), lineTexts(newText)];
  return old.length === next.length && old.every((line, i) => line.trimEnd() === next[i]?.trimEnd());
}

/** Reports whether an offset is the start of a line. */
function startsLine({ text }: TextIndex, offset: number): boolean {
  return offset === 0 || endsLine(text.slice(offset - 1, offset));
}

/** Reports whether a text ends with a line ending. */
export const endsLine = (text: string): boolean => text.endsWith("\n") || text.endsWith("\r");

/**
 * Leaves the same empty lines out of the ends of both texts; `undefined` if the new text does not have them, or inserts
 * a line next to them: the document may have other lines in their place, so that line's place is unknown. At the end of
 * a document without a final line ending, the new text may lack the line ending that the old text has.
 */
export function trimmedEnds(
  { oldText, newText }: Sought,
  { front, back, atEnd }: Extract<Reshape, { kind: "trimEnds" }>,
): Sought | undefined {
  const old = lineTexts(oldText);
  const next = lineTexts(newText);
  const isEmpty = (line: string): boolean => trimEnd(line) === 0;
  const isEnded = newText === "" || (next.length > 1 && isEmpty(next.at(-1)!));
  const spare = atEnd && !isEnded && back === 1 ? 0 : back;
  const isAlike =
    next.length >= front + spare + (spare > 0 && newText !== "" ? 1 : 0) &&
    next.slice(0, front).every(isEmpty) &&
    next.slice(next.length - spare).every(isEmpty);
  const [oldLeft, newLeft] = [old.slice(front, old.length - back), next.slice(front, next.length - spare)];
  const inserts = (at: 0 | -1): boolean => {
    const [own, written] = [oldLeft, newLeft].map((all) =>
      all.map((line) => line.trim()).filter((line) => line !== ""),
    );
    const edge = own?.at(at);
    return edge !== written?.at(at) && written?.some((line) => line === edge) === true;
  };
  const isClear = !(front > 0 && inserts(0)) && !(back > (atEnd ? 1 : 0) && inserts(-1));
  return isAlike && isClear ? { oldText: oldLeft.join("\n"), newText: newLeft.join("\n") } : undefined;
}
