/** Converts between offsets and LSP positions. No other file does this. */
import type { Position, Range } from "vscode-languageserver/node";
import { splitsCharacter } from "../../text/chars.js";
import type { LineIndex } from "../../text/lines.js";

/** The unit of `character`: UTF-8 bytes, UTF-16 code units, or code points. */
export type PositionEncoding = "utf-8" | "utf-16" | "utf-32";

/** Number of code units in a code point, by encoding. A lone surrogate counts like one below U+10000. */
const unitsOf: Record<PositionEncoding, (codePoint: number) => number> = {
  "utf-8": (codePoint) => (codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4),
  "utf-16": (codePoint) => (codePoint < 0x10000 ? 1 : 2),
  "utf-32": () => 1,
};

/** The first character that is not one unit in every encoding. The loops over long lines take a short way below it. */
const firstWide = 0x80;

/** Returns the first of the client's encodings that the server knows, or utf-16, which every client has. */
export function chooseEncoding(offered: unknown): PositionEncoding {
  return (Array.isArray(offered) ? offered.find(isEncoding) : undefined) ?? "utf-16";
}

/** Returns a function from offsets to positions, fast if they ascend; it throws on one that LSP can't express. */
export function ascendingPositions(
  text: string,
  lines: LineIndex,
  encoding: PositionEncoding,
): (offset: number) => Position {
  let last = { offset: 0, line: 0, character: 0 };
  return (offset) => {
    if (!Number.isInteger(offset) || offset < 0 || offset > text.length) {
      throw new RangeError(`offset ${offset} is outside the text of length ${text.length}`);
    }
    const line = lines.lineAt(offset);
    if (offset > lines.contentEnd(line)) throw new RangeError(`offset ${offset} is between CR and LF`);
    if (splitsCharacter(text, offset)) throw new RangeError(`offset ${offset} is inside a surrogate pair`);
    if (line !== last.line || offset < last.offset) last = { offset: lines.start(line), line, character: 0 };
    const units = encoding === "utf-16" ? offset - last.offset : countUnits(text, last.offset, offset, encoding);
    last = { offset, line, character: last.character + units };
    return { line, character: last.character };
  };
}

/**
 * Returns a position's offset in UTF-16 code units; `undefined` if the position is invalid: its line does not exist,
 * its `character` is past the end of the line or inside a character, or either number is not an unsigned integer. LSP
 * treats a `character` past the end as the line's end, but a client sends such a position only if its text differs from
 * the server's.
 *
 * In an editor that counts a CR as a character, a position between CR and LF is valid.
 *
 * Character 0 of the line after the last one means the end of the text: Neovim and Emacs, which have no empty last
 * line, send this position.
 */
export function offsetOf(
  text: string,
  lines: LineIndex,
  position: Position,
  encoding: PositionEncoding,
): number | undefined {
  const { line, character } = position;
  if (!isUnsigned(line) || !isUnsigned(character) || line > lines.lineCount) return undefined;
  if (line === lines.lineCount) return character === 0 ? text.length : undefined;
  const start = lines.start(line);
  const end = endOfCharacters(lines, line);
  if (encoding !== "utf-16") return skipUnits(text, { from: start, to: end }, character, encoding);
  const offset = start + character; // No units need counting, so a long minified line is not scanned.
  const isInsidePair = splitsCharacter(text, offset) && text[offset] !== "\n";
  return offset > end || isInsidePair ? undefined : offset;
}

/** Returns a range's offsets in UTF-16 code units; `undefined` if a position is invalid or the order is wrong. */
export function spanOf(
  text: string,
  lines: LineIndex,
  range: Range,
  encoding: PositionEncoding,
): { from: number; to: number } | undefined {
  const from = offsetOf(text, lines, range.start, encoding);
  const to = offsetOf(text, lines, range.end, encoding);
  return from === undefined || to === undefined || from > to ? undefined : { from, to };
}

/** The conversions of each encoding, for the documents' mirror. */
export const editorPositions = {
  "utf-8": positionsIn("utf-8"),
  "utf-16": positionsIn("utf-16"),
  "utf-32": positionsIn("utf-32"),
};

function positionsIn(encoding: PositionEncoding) {
  return {
    toSpan: (range: Range, text: string, lines: LineIndex) => spanOf(text, lines, range, encoding),
    widthOf: (text: string) => {
      if (encoding === "utf-16") return text.length;
      // Counts a lone surrogate as three bytes, as the loop does.
      return encoding === "utf-8" ? Buffer.byteLength(text) : countUnits(text, 0, text.length, encoding);
    },
  };
}

/** Returns the last valid offset on a line: the end of its content or, if only CRLF ends lines, before its LF. */
function endOfCharacters(lines: LineIndex, line: number): number {
  const end = lines.contentEnd(line);
  return lines.rule.loneCrEndsLine || lines.terminator(line) !== "\r\n" ? end : end + 1;
}

function countUnits(text: string, from: number, to: number, encoding: PositionEncoding): number {
  const unitsIn = unitsOf[encoding];
  let units = 0;
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at);
    if (unit < firstWide) {
      units++;
      continue;
    }
    const codePoint = text.codePointAt(at)!;
    units += unitsIn(codePoint);
    if (codePoint > 0xffff) at++;
  }
  return units;
}

function skipUnits(
  text: string,
  within: { from: number; to: number },
  units: number,
  encoding: PositionEncoding,
): number | undefined {
  const unitsIn = unitsOf[encoding];
  let at = within.from;
  let left = units;
  for (; left > 0 && at < within.to; at++) {
    const unit = text.charCodeAt(at);
    if (unit < firstWide) {
      left--;
      continue;
    }
    const codePoint = text.codePointAt(at)!;
    left -= unitsIn(codePoint);
    if (codePoint > 0xffff) at++;
  }
  return left === 0 ? at : undefined;
}

function isUnsigned(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isEncoding(name: unknown): name is PositionEncoding {
  return typeof name === "string" && Object.hasOwn(unitsOf, name);
}
