/** Helpers for whitespace, line endings, surrogate pairs and byte order marks, and for splitting text into lines. */

const LF = 10;
const CR = 13;

/** The byte order mark that a text may start with. */
export const byteOrderMark = "\ufeff";

/** Returns a text without its leading byte order mark, if it has one. */
export function withoutMark(text: string): string {
  return text.startsWith(byteOrderMark) ? text.slice(1) : text;
}

/**
 * Reports whether a UTF-16 code unit other than LF and CR has the Unicode property White_Space. Codex trims the same
 * characters. JavaScript's `trim` differs: it strips U+FEFF but not U+0085.
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

/** Reports whether a text contains nothing but whitespace and line endings. */
export function isAllBlank(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit !== LF && unit !== CR && !isBlank(unit)) return false;
  }
  return true;
}

/** Returns the offset after the last non-whitespace code unit in `[from, to)`; `from` if there is none. */
export function trimEnd(text: string, from = 0, to = text.length): number {
  let end = to;
  while (end > from && isBlank(text.charCodeAt(end - 1))) end--;
  return end;
}

/** Returns the offset of the first non-whitespace code unit in `[from, to)`; `to` if there is none. */
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

/**
 * Reduces a string to one line of at most `length` UTF-16 code units, without control characters. Returns `undefined` if
 * no visible character is left, or if the value is not a string.
 */
export function oneLine(value: unknown, length: number): string | undefined {
  if (typeof value !== "string") return undefined;
  return (
    value
      .slice(0, length)
      .replace(/[\p{C}\s]+/gu, " ")
      .trim() || undefined
  );
}

/**
 * Escapes control characters except tab and LF, Unicode's line ends, and characters that reverse the text direction, as
 * in `\u202e`, so that a text shows its reader what it contains.
 */
export function visible(text: string): string {
  return text.replace(/(?![\t\n])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** Returns the lines of a text, split at every CRLF, LF and lone CR. A trailing line ending is followed by an empty line. */
export function lineTexts(text: string): string[] {
  return text.split(/\r\n|[\r\n]/);
}
