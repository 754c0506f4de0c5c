/**
 * Applies text edits as LSP defines them, in each encoding and with both definitions of a line ending; an oracle for
 * the laws.
 */
import type { TextEdit } from "vscode-languageserver/node";
import type { PositionEncoding } from "../../server/lsp/edit/positions.js";
import type { LineRule } from "../../server/text/lines.js";
import { modelOffsets, modelPosition } from "./positionModel.js";

/** The way a client counts lines and characters. */
export interface Counting {
  readonly encoding: PositionEncoding;
  readonly rule: LineRule;
}

/** An edit, as UTF-16 offsets into the text that it applies to. */
export interface OffsetEdit {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/**
 * Converts edits to offsets. Throws for a position that does not exist in the text: after a line's end, inside a
 * surrogate pair, or between CR and LF.
 */
export function toOffsets(text: string, edits: readonly TextEdit[], counting: Counting): OffsetEdit[] {
  const offsets = new Map(
    modelOffsets(text).map((offset) => [nameOf(modelPosition(text, offset, counting)), offset] as const),
  );
  const at = (position: TextEdit["range"]["start"]): number => {
    const offset = offsets.get(nameOf(position));
    if (offset === undefined) throw new Error(`there is no position ${nameOf(position)} in ${JSON.stringify(text)}`);
    return offset;
  };
  return edits.map(({ range, newText }) => ({ from: at(range.start), to: at(range.end), insert: newText }));
}

/** The text after the edits. All edits refer to the original text, so the last one is applied first. */
export function applied(text: string, edits: readonly OffsetEdit[]): string {
  let after = text;
  for (const { from, to, insert } of [...edits].reverse()) after = after.slice(0, from) + insert + after.slice(to);
  return after;
}

/** Defects in a list of edits: edits that are out of order, touch each other, change nothing, or could be smaller. */
export function untidiness(text: string, edits: readonly OffsetEdit[]): string[] {
  const problems: string[] = [];
  let end = -1;
  edits.forEach(({ from, to, insert }, i) => {
    if (to < from) problems.push(`edit ${i} ends before it starts`);
    if (from <= end) problems.push(`edit ${i} overlaps or touches the one before, or is out of order`);
    if (text.slice(from, to) === insert) problems.push(`edit ${i} does nothing`);
    if (isWide(text, { from, to, insert })) problems.push(`edit ${i} could be smaller`);
    end = to;
  });
  return problems;
}

/** Reports whether an edit could be made smaller at one end without splitting a character or a CRLF. */
function isWide(text: string, { from, to, insert }: OffsetEdit): boolean {
  const old = text.slice(from, to);
  const most = Math.min(old.length, insert.length);
  for (let n = 1; n <= most && old.slice(0, n) === insert.slice(0, n); n++) {
    if (!isInside(text, from + n) && !isInside(insert, n)) return true;
  }
  for (let n = 1; n <= most && old.slice(-n) === insert.slice(-n); n++) {
    if (!isInside(text, to - n) && !isInside(insert, insert.length - n)) return true;
  }
  return false;
}

/** Reports whether an offset is inside a surrogate pair or a CRLF. */
function isInside(text: string, offset: number): boolean {
  const around = text.slice(Math.max(0, offset - 1), offset + 1);
  return offset > 0 && (around === "\r\n" || (around.length === 2 && [...around].length === 1));
}

const nameOf = ({ line, character }: TextEdit["range"]["start"]): string => `${line}:${character}`;
