/** A document's text in a strict editor. This module shares no code with the server, so the two can disagree. */
import type { Position, Range, TextEdit } from "vscode-languageserver/node";

/** The position encodings of LSP 3.17, which determine the unit in which characters are counted. */
export type Encoding = "utf-8" | "utf-16" | "utf-32";

/** The error for an edit that a strict editor refuses. */
export class Refused extends Error {}

/**
 * The UTF-16 offset of a position. Refuses positions that do not exist or that fall inside a character or a line
 * ending.
 */
export function offsetOf(text: string, position: Position, encoding: Encoding): number {
  const line = linesOf(text)[position.line];
  const where = `${position.line}:${position.character}`;
  if (line === undefined) throw new Refused(`${where} is after the last line`);
  let units = 0;
  let offset = line.start;
  while (units < position.character) {
    if (offset >= line.end) throw new Refused(`${where} is after the end of its line`);
    const character = String.fromCodePoint(text.codePointAt(offset)!);
    units += widthOf(character, encoding);
    offset += character.length;
  }
  if (units !== position.character) throw new Refused(`${where} is inside a character`);
  return offset;
}

/** The position of a UTF-16 offset that is inside neither a character nor a line ending. */
export function positionOf(text: string, offset: number, encoding: Encoding): Position {
  const lines = linesOf(text);
  const line = lines.findLastIndex(({ start }) => start <= offset);
  const before = [...text.slice(lines[line]!.start, offset)];
  return { line, character: before.reduce((sum, character) => sum + widthOf(character, encoding), 0) };
}

/** One replacement in a text, as UTF-16 offsets. */
export interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
  /** The range as sent. */
  readonly range: Range;
}

/**
 * The replacements that edits describe, in order. Refuses edits that are unsorted, touch each other, or change nothing.
 */
export function replacementsOf(text: string, edits: readonly TextEdit[], encoding: Encoding): Replacement[] {
  let end = -1;
  return edits.map(({ range, newText }) => {
    const from = offsetOf(text, range.start, encoding);
    const to = offsetOf(text, range.end, encoding);
    if (to < from) throw new Refused("a range ends before it starts");
    if (from <= end) throw new Refused("edits overlap, touch or are not in order");
    if (text.slice(from, to) === newText) throw new Refused("an edit changes nothing");
    end = to;
    return { from, to, insert: newText, range };
  });
}

/** The text after the replacements, which must be in ascending order. */
export function replaced(text: string, replacements: readonly Replacement[]): string {
  let result = "";
  let done = 0;
  for (const { from, to, insert } of replacements) {
    result += text.slice(done, from) + insert;
    done = to;
  }
  return result + text.slice(done);
}

interface Line {
  readonly start: number;
  /** Offset before the line's CR or LF. */
  readonly end: number;
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  let start = 0;
  for (const found of text.matchAll(/\r\n|\n|\r/g)) {
    lines.push({ start, end: found.index });
    start = found.index + found[0].length;
  }
  lines.push({ start, end: text.length });
  return lines;
}

/** The width of a character in an encoding, in the units in which positions count. */
export function widthOf(character: string, encoding: Encoding): number {
  if (encoding === "utf-32") return 1;
  return encoding === "utf-16" ? character.length : Buffer.byteLength(character, "utf8");
}
