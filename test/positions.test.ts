/** Positions and offsets, compared with their definition. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ascendingPositions, chooseEncoding, offsetOf, spanOf } from "../server/lsp/edit/positions.js";
import { LineIndex } from "../server/text/lines.js";
import { lawRuns } from "./support/extent.js";
import {
  anyText,
  encodings,
  lfRule,
  lspRule,
  modelLines,
  modelOffsets,
  modelPosition,
  width,
} from "./support/positionModel.js";

describe("positions", () => {
  const everywhere = fc.record({
    text: anyText,
    encoding: fc.constantFrom(...encodings),
    rule: fc.constantFrom(lspRule, lfRule),
  });

  it("agree with the definition, and convert back to their offset", () => {
    fc.assert(
      fc.property(everywhere, ({ text, encoding, rule }) => {
        const lines = LineIndex.of(text, rule);
        const valid = new Set(modelOffsets(text));
        for (let offset = 0; offset <= text.length; offset++) {
          if (!valid.has(offset)) {
            expect(() => ascendingPositions(text, lines, encoding)(offset)).toThrow(RangeError);
            continue;
          }
          const position = ascendingPositions(text, lines, encoding)(offset);
          expect(position).toEqual(modelPosition(text, offset, { encoding, rule }));
          expect(offsetOf(text, lines, position, encoding)).toBe(offset);
        }
      }),
      { numRuns: lawRuns(600) },
    );
  });

  it("are valid only if an offset has them, or at character 0 of the line after the last one", () => {
    fc.assert(
      fc.property(everywhere, ({ text, encoding, rule }) => {
        const lines = LineIndex.of(text, rule);
        const named = new Map<string, number>();
        for (const offset of modelOffsets(text)) {
          const { line, character } = modelPosition(text, offset, { encoding, rule });
          named.set(`${line}:${character}`, offset);
        }
        // In an editor that treats CR as an ordinary character, there is also a position between the CR and LF of a
        // CRLF.
        for (const pair of rule.loneCrEndsLine ? [] : text.matchAll(/\r\n/g)) {
          const { line, character } = modelPosition(text, pair.index, { encoding, rule });
          named.set(`${line}:${character + 1}`, pair.index + 1);
        }
        const lineCount = modelLines(text, rule).length;
        named.set(`${lineCount}:0`, text.length);
        const widest = width["utf-8"](text) + 2;
        for (let line = 0; line <= lineCount + 1; line++) {
          for (let character = 0; character <= widest; character++) {
            const expected = named.get(`${line}:${character}`);
            expect(offsetOf(text, lines, { line, character }, encoding)).toBe(expected);
          }
        }
      }),
      { numRuns: lawRuns(200) },
    );
  });

  it("are correct for every code point of Unicode in each encoding", () => {
    const wrong: string[] = [];
    for (let codePoint = 0; codePoint < 0x110000; codePoint++) {
      const character = String.fromCodePoint(codePoint);
      if (character === "\n" || character === "\r") continue;
      const text = `${character}y`;
      const lines = LineIndex.of(text, lspRule);
      const isPair = character.length === 2;
      if (isPair !== (offsetOf(text, lines, { line: 0, character: 1 }, "utf-16") === undefined)) {
        wrong.push(`inside U+${codePoint.toString(16)}`);
      }
      for (const encoding of encodings) {
        const position = ascendingPositions(text, lines, encoding)(character.length);
        const back = offsetOf(text, lines, position, encoding);
        if (position.character === width[encoding](character) && back === character.length) continue;
        wrong.push(`${encoding} U+${codePoint.toString(16)}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it("count half a surrogate pair as three bytes, one unit and one code point", () => {
    const text = "\ud83dx";
    const lines = LineIndex.of(text, lspRule);
    expect(encodings.map((encoding) => ascendingPositions(text, lines, encoding)(1).character)).toEqual([3, 1, 1]);
  });

  it.each([
    ["a negative line", { line: -1, character: 0 }],
    ["a negative character", { line: 0, character: -1 }],
    ["a fraction", { line: 0, character: 0.5 }],
    ["NaN", { line: Number.NaN, character: 0 }],
    ["infinity", { line: 0, character: Number.POSITIVE_INFINITY }],
    ["a huge character", { line: 0, character: 2 ** 31 }],
    ["a huge line", { line: 2 ** 31, character: 0 }],
  ])("have no offset if they contain %s", (_, position) => {
    const lines = LineIndex.of("ab\ncd", lspRule);
    for (const encoding of encodings) expect(offsetOf("ab\ncd", lines, position, encoding)).toBeUndefined();
  });

  it.each([-1, 6, 0.5, Number.NaN])("do not exist for offset %d, which is outside the text", (offset) => {
    const lines = LineIndex.of("ab\ncd", lspRule);
    expect(() => ascendingPositions("ab\ncd", lines, "utf-16")(offset)).toThrow(RangeError);
  });

  it("form no span if a range ends before it starts", () => {
    const lines = LineIndex.of("ab\ncd", lspRule);
    const start = { line: 1, character: 1 };
    const end = { line: 0, character: 1 };
    expect(spanOf("ab\ncd", lines, { start, end }, "utf-16")).toBeUndefined();
    expect(spanOf("ab\ncd", lines, { start: end, end: start }, "utf-16")).toEqual({ from: 1, to: 4 });
  });

  it.each([
    [["utf-8", "utf-16"], "utf-8"],
    [["utf-32", "utf-8"], "utf-32"],
    [["utf-7", "utf-8"], "utf-8"],
    [["toString", "utf-7"], "utf-16"],
    [[], "utf-16"],
    [undefined, "utf-16"],
    [null, "utf-16"],
    ["utf-8", "utf-16"],
    [[8, null], "utf-16"],
  ])("of a client that offers %j are in %s", (offered, chosen) => {
    expect(chooseEncoding(offered)).toBe(chosen);
  });
});
