/** The only place where offsets become positions of the protocol, and positions become offsets. */
import type { Position, Range } from "vscode-languageserver/node";
import { splitsCharacter } from "../../text/chars.js";
import type { LineIndex } from "../../text/lines.js";

/** The unit of `character`: UTF-8 bytes, UTF-16 units, or code points. */
export type PositionEncoding = "utf-8" | "utf-16" | "utf-32";

/** Units of one code point in each encoding; half a surrogate pair alone is a code point like any other below U+10000. */
const unitsOf: Record<PositionEncoding, (codePoint: number) => number> = {
  "utf-8": (codePoint) => (codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4),
  "utf-16": (codePoint) => (codePoint < 0x10000 ? 1 : 2),
  "utf-32": () => 1,
};

/**
 * The first encoding of the client's list that we know. `undefined`, a list without a known one, or anything else that a
 * client may have put there gives utf-16, which LSP makes every client understand.
 */
export function chooseEncoding(offered: unknown): PositionEncoding {
  return (Array.isArray(offered) ? offered.find(isEncoding) : undefined) ?? "utf-16";
}

/**
 * Gives the positions of offsets in UTF-16 units, best in ascending order: what was counted of a line is not counted again.
 * Throws if the protocol has no position: outside the text, inside a surrogate pair, or between CR and LF; whoever makes
 * edits widens them first.
 */
export function ascendingPositions(
  text: string,
  lines: LineIndex,
  encoding: PositionEncoding,
): (offset: number) => Position {
  let last = { offset: 0, line: 0, character: 0 };
  return (offset) => {
    if (!Number.isInteger(offset) || offset < 0 || offset > text.length) {
      throw new RangeError(`offset ${offset} is outside a text of ${text.length}`);
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
 * The offset of a position, in UTF-16 units. `undefined`: there is no such place, because the line does not exist, the
 * character is beyond the line's content or inside a character, or a number is no unsigned integer. LSP would have a
 * character beyond the line moved to its end, but a client that sends one has another text than we do.
 *
 * For an editor that takes a CR for a character, the place between CR and LF is one like any other.
 *
 * Character 0 of the line after the last one is the end of the text: Neovim and Emacs name it so, having no empty
 * last line.
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
  const offset = start + character; // A minified line is not walked where nothing has to be counted.
  const isInsidePair = splitsCharacter(text, offset) && text[offset] !== "\n";
  return offset > end || isInsidePair ? undefined : offset;
}

/** The offsets of a range, in UTF-16 units. `undefined`: one of its ends has no offset, or it ends before it starts. */
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

/** If a lone CR ends no line, the editor may put its cursor after any CR, one in front of an LF included. */
function endOfCharacters(lines: LineIndex, line: number): number {
  const end = lines.contentEnd(line);
  return lines.rule.loneCrEndsLine || lines.terminator(line) !== "\r\n" ? end : end + 1;
}

function countUnits(text: string, from: number, to: number, encoding: PositionEncoding): number {
  let units = 0;
  for (let at = from; at < to; ) {
    const codePoint = text.codePointAt(at)!;
    units += unitsOf[encoding](codePoint);
    at += unitsOf["utf-16"](codePoint);
  }
  return units;
}

function skipUnits(
  text: string,
  within: { from: number; to: number },
  units: number,
  encoding: PositionEncoding,
): number | undefined {
  let at = within.from;
  let left = units;
  while (left > 0 && at < within.to) {
    const codePoint = text.codePointAt(at)!;
    left -= unitsOf[encoding](codePoint);
    at += unitsOf["utf-16"](codePoint);
  }
  return left === 0 ? at : undefined;
}

function isUnsigned(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isEncoding(name: unknown): name is PositionEncoding {
  return typeof name === "string" && Object.hasOwn(unitsOf, name);
}
