/** What single UTF-16 units are: a blank, a line end, half of a character, a byte order mark. */

const LF = 10;
const CR = 13;

/** The byte order mark, with which a text may start. */
export const byteOrderMark = "\ufeff";

/** A text without the byte order mark that it may start with. */
export function withoutMark(text: string): string {
  return text.startsWith(byteOrderMark) ? text.slice(1) : text;
}

/** Unicode White_Space without LF and CR (Codex trims this set, which is not JavaScript's: U+0085 is in it, U+FEFF is not). */
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

/** Whether a text holds nothing but blanks and line ends. */
export function isAllBlank(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit !== LF && unit !== CR && !isBlank(unit)) return false;
  }
  return true;
}

/** Offset after the last unit of `[from, to)` that is no blank; `from` where all are. */
export function trimEnd(text: string, from = 0, to = text.length): number {
  let end = to;
  while (end > from && isBlank(text.charCodeAt(end - 1))) end--;
  return end;
}

/** Offset of the first unit of `[from, to)` that is no blank; `to` where all are. */
export function trimStart(text: string, from = 0, to = text.length): number {
  let start = from;
  while (start < to && isBlank(text.charCodeAt(start))) start++;
  return start;
}

/** Whether an offset lies between CR and LF or between the halves of a surrogate pair: LSP can't name such a place. */
export function splitsCharacter(text: string, offset: number): boolean {
  if (offset <= 0 || offset >= text.length) return false;
  if (text.charCodeAt(offset - 1) === CR) return text.charCodeAt(offset) === LF;
  return (text.codePointAt(offset - 1) as number) > 0xffff;
}

/** The offset of the first half of a surrogate pair that stands alone; -1: there is none. */
export function loneSurrogateAt(text: string): number {
  // Known at once of most texts, which the search would read through.
  return text.isWellFormed() ? -1 : text.search(/\p{Surrogate}/u);
}

/** A text cut into lines at CRLF, LF and CR alike, each with the offset of its end; the last one has none. */
export interface SplitLine {
  /** Offsets in UTF-16 units: the line is `[from, to)`, its end `[to, next)`. */
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

/** The same lines as texts, without their ends. */
export function lineTexts(text: string): string[] {
  return splitLines(text).map(({ from, to }) => text.slice(from, to));
}
