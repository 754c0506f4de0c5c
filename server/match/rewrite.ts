/** Computes an edit's changes at a place: aligns old and new text by line and keeps the lines they share. */
import { type Change, shrink } from "../text/changeSet.js";
import { lineTexts } from "../text/chars.js";
import { anyLineEnd, LineIndex, replacedIn } from "../text/lines.js";
import type { Place, Sought } from "./place.js";
import { asFound } from "./reshape.js";
import type { TextIndex } from "./textIndex.js";

/** Returns an edit's minimal changes at a place, perhaps none; `undefined` if its indentation does not fit there. */
export function rewrite(index: TextIndex, place: Place, sought: Sought): Change[] | undefined {
  // As a rule, either both texts end with a line ending or neither does, and nothing needs to be adapted.
  const isAsSent = place.isOwn || (place.reshape === undefined && !/[\n\r]/.test(sought.oldText.slice(-1)));
  const found = isAsSent ? sought : asFound(index, sought, place);
  if (found === undefined) return undefined;
  const { oldText, newText } = found;
  const nextLines = LineIndex.of(newText, anyLineEnd);
  const region = LineIndex.of(index.text.slice(place.from, place.to), anyLineEnd);
  const [old, next] = [lineTexts(oldText), lineTexts(newText)];
  if (region.lineCount !== old.length) throw new Error("a place must have as many lines as its old text");
  const spanOf = (line: number) => ({
    from: place.from + region.start(line),
    to: place.from + region.contentEnd(line),
    next: place.from + region.end(line),
  });
  const pieces: Piece[] = [];
  let lineEnd: string | undefined;
  // Kept lines are copied; others are written. A line takes the line ending of the old line that it repeats or
  // replaces.
  for (const { line, from, kept } of pairLines(old, next)) {
    const own = from === undefined ? undefined : spanOf(from);
    pieces.push(own !== undefined && kept ? { from: own.from, to: own.to } : next[line]!);
    const ownEnd = own !== undefined && own.next > own.to ? { from: own.to, to: own.next } : undefined;
    if (ownEnd !== undefined) lineEnd = adopted(index, ownEnd) ?? lineEnd;
    if (line === next.length - 1) continue;
    if (ownEnd === undefined) lineEnd ??= lineEndAt(index, place.from) ?? nextLines.terminator(line);
    pieces.push(ownEnd ?? lineEnd ?? "");
  }
  return changesOf(index.text, place, pieces).flatMap((change) => shrink(index.text, change));
}

/** A part of the result: a span that is copied from the document, or text that is written. */
type Piece = { readonly from: number; readonly to: number } | string;

/** Returns the line ending at an offset, for new lines, or the one before; `undefined` if there is neither. */
function lineEndAt(index: TextIndex, offset: number): string | undefined {
  // Search near the offset first: indexing all lines of the text just for this would take longer than the edit itself.
  for (let at = offset; at < Math.min(index.text.length, offset + nearby); at++) {
    const end = endAt(index, at);
    if (end !== undefined) return end;
  }
  const line = index.lines.lineAt(offset);
  return index.lines.terminator(line) || (line > 0 ? index.lines.terminator(line - 1) : "") || undefined;
}

/** How many UTF-16 code units are searched for a line ending before the index of all lines is used. */
const nearby = 2_000;

/** Returns the line ending that starts at an offset; `undefined` if the document's editor sees no line ending there. */
function endAt({ text, rule }: TextIndex, at: number): string | undefined {
  const unit = text[at];
  if (unit === "\n") return "\n";
  if (unit !== "\r") return undefined;
  if (text[at + 1] === "\n") return "\r\n";
  return rule.loneCrEndsLine ? "\r" : undefined;
}

/** Returns a line ending for new lines; `undefined` if it is a lone CR that is none for the editor. */
function adopted(index: TextIndex, end: { from: number; to: number }): string | undefined {
  const text = index.text.slice(end.from, end.to);
  return text === "\r" && !index.rule.loneCrEndsLine ? undefined : text;
}

/** A line of the new text, and the old line that it repeats (`kept`) or replaces, if any; 0-based. */
interface Pair {
  readonly line: number;
  readonly from: number | undefined;
  readonly kept: boolean;
}

function pairLines(old: readonly string[], next: readonly string[]): Pair[] {
  const pairs: Pair[] = [];
  const end = { from: old.length, to: old.length, fromB: next.length, toB: next.length };
  let from = 0;
  for (const run of [...replacedIn(old, next), end]) {
    for (; from < run.from; from++) pairs.push({ line: pairs.length, from, kept: true });
    for (let line = run.fromB; line < run.toB; line++, from++) {
      pairs.push({ line, from: from < run.to ? from : undefined, kept: false });
    }
    from = run.to;
  }
  return pairs;
}

/** Turns pieces into changes: copied spans stay, and written pieces replace the text between them. */
function changesOf(text: string, place: Place, pieces: readonly Piece[]): Change[] {
  const changes: Change[] = [];
  let from = place.from;
  let insert = "";
  const flush = (to: number): void => {
    if (from < to || insert !== "") changes.push({ from, to, insert });
    insert = "";
  };
  for (const piece of pieces) {
    if (typeof piece === "string") insert += piece;
    else if (piece.from < from) insert += text.slice(piece.from, piece.to);
    else if (piece.from < piece.to) {
      if (piece.from > from || insert !== "") flush(piece.from);
      from = piece.to;
    }
  }
  flush(place.to);
  return changes;
}
