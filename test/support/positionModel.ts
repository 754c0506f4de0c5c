/**
 * Positions computed directly from LSP's definition: the oracle for the server's code. Nothing is cached: the text is
 * split again every time.
 */
import { Buffer } from "node:buffer";
import fc from "fast-check";
import type { PositionEncoding } from "../../server/lsp/edit/positions.js";
import type { LineRule } from "../../server/text/lines.js";

export const encodings = ["utf-8", "utf-16", "utf-32"] as const;

/** LSP's rule, under which a lone CR ends a line, and the rule of some editors, under which it does not. */
export const lspRule: LineRule = { loneCrEndsLine: true };
export const lfRule: LineRule = { loneCrEndsLine: false };

const lineEnds = ["\n", "\r\n", "\r"];
const astral = ["𝒳", "👩\u200d💻", "\ud83d", "\ude00", "\udc00"];
const others = ["a", "é", "e\u0301", "\u20ac", "\ufeff", "\0", "\t", "\u2028", "\u0085"];

/** Short texts with characters of every width, lone surrogates, byte order marks, and mixed line endings. */
export const anyText = fc
  .array(fc.oneof(fc.constantFrom(...others), fc.constantFrom(...astral), fc.constantFrom(...lineEnds)), {
    maxLength: 24,
  })
  .map((parts) => parts.join(""));

/** The length of a text in each encoding, as Node and JavaScript count it. */
export const width: Record<PositionEncoding, (text: string) => number> = {
  "utf-8": (text) => Buffer.byteLength(text, "utf8"),
  "utf-16": (text) => text.length,
  "utf-32": (text) => [...text].length,
};

/** The lines of a text without their line endings. */
export function modelLines(text: string, rule: LineRule): string[] {
  return text.split(rule.loneCrEndsLine ? /\r\n|\n|\r/ : /\r?\n/);
}

/** The offsets that have a position: all except those between CR and LF or inside a surrogate pair. */
export function modelOffsets(text: string): number[] {
  const offsets = Array.from({ length: text.length + 1 }, (_, offset) => offset);
  return offsets.filter((at) => {
    const around = at === 0 ? "" : text.slice(at - 1, at + 1);
    return around !== "\r\n" && !(around.length === 2 && [...around].length === 1);
  });
}

/** The position of an offset that `modelOffsets` returns. */
export function modelPosition(
  text: string,
  offset: number,
  { encoding, rule }: { encoding: PositionEncoding; rule: LineRule },
): { line: number; character: number } {
  const before = modelLines(text.slice(0, offset), rule);
  return { line: before.length - 1, character: width[encoding](before.at(-1) ?? "") };
}
