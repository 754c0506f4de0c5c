/** Recognises whitespace, line ends, split characters and byte order marks, and cuts texts into lines. */

const LF = 10;
const CR = 13;

/** The byte order mark that a text may start with. */
export const byteOrderMark = "\ufeff";

/** Returns a text without the byte order mark that it may start with. */
export function withoutMark(text: string): string {
  return text.startsWith(byteOrderMark) ? text.slice(1) : text;
}

/**
 * Reports whether a UTF-16 unit other than LF and CR has the Unicode property White_Space. Codex trims these
 * characters; unlike those that JavaScript trims, they include U+0085 but not U+FEFF.
 */
export function isBlank(unit: number): boolean {
  if (unit <= 0x20) return unit === 0x20 || unit === 9 || unit === 11 || unit === 12;
  if (unit < 0x85) return false;
  return (
    unit === 0x85 ||
    unit === 0xa0 ||
    unit === 0x1680 ||
    (unit >= 0x2000 && unit <= 0x200a) ||
    unit === 0x2028 ||
    unit === 0x2029 ||
    unit === 0x202f ||
    unit === 0x205f ||
    unit === 0x3000
  );
}

/** Reports whether a text contains nothing but whitespace and line ends. */
export function isAllBlank(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit !== LF && unit !== CR && !isBlank(unit)) return false;
  }
  return true;
}

/** Returns the offset after the last unit of `[from, to)` that is not whitespace; `from` if all are whitespace. */
export function trimEnd(text: string, from = 0, to = text.length): number {
  let end = to;
  while (end > from && isBlank(text.charCodeAt(end - 1))) end--;
  return end;
}

/** Returns the offset of the first unit of `[from, to)` that is not whitespace; `to` if all are whitespace. */
export function trimStart(text: string, from = 0, to = text.length): number {
  let start = from;
  while (start < to && isBlank(text.charCodeAt(start))) start++;
  return start;
}

/** Reports whether an offset is between CR and LF or within a surrogate pair, where no LSP position can point. */
export function splitsCharacter(text: string, offset: number): boolean {
  if (offset <= 0 || offset >= text.length) return false;
  if (text.charCodeAt(offset - 1) === CR) return text.charCodeAt(offset) === LF;
  return (text.codePointAt(offset - 1) as number) > 0xffff;
}

/** Returns the offset of the first lone surrogate; -1 if there is none. */
export function loneSurrogateAt(text: string): number {
  // Most texts are well formed, and checking that is faster than searching.
  return text.isWellFormed() ? -1 : text.search(/\p{Surrogate}/u);
}

/** One line of a text that was cut at every CRLF, LF and lone CR. The last line's end is empty. */
export interface SplitLine {
  /** Offsets in UTF-16 units: the line's content is `[from, to)` and its line end is `[to, next)`. */
  readonly from: number;
  readonly to: number;
  readonly next: number;
}

/** Cuts `[from, to)` of a text into lines; a text that ends with a line end has an empty last line. */
export function splitLines(text: string, from = 0, to = text.length): SplitLine[] {
  const lines: SplitLine[] = [];
  let start = from;
  for (let i = from; i < to; i++) {
    const unit = text.charCodeAt(i);
    if (unit !== LF && unit !== CR) continue;
    const next = unit === CR && i + 1 < to && text.charCodeAt(i + 1) === LF ? i + 2 : i + 1;
    lines.push({ from: start, to: i, next });
    start = next;
    i = next - 1;
  }
  lines.push({ from: start, to, next: to });
  return lines;
}

/** Returns the lines that `splitLines` finds, as strings without their line ends. */
export function lineTexts(text: string): string[] {
  return splitLines(text).map(({ from, to }) => text.slice(from, to));
}
