/** Many changes in one notification: applied to pieces of a text, they leave what they leave in the whole text. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TextDocument } from "vscode-languageserver-textdocument";
import { editorPositions } from "../server/lsp/edit/positions.js";
import { LinePieces } from "../server/text/linePieces.js";
import { LineIndex } from "../server/text/lines.js";
import { createDocuments } from "../server/workspace/documents.js";
import { lawRuns } from "./support/extent.js";
import {
  anyText,
  encodings,
  lfRule,
  lspRule,
  modelLines,
  modelOffsets,
  modelPosition,
} from "./support/positionModel.js";

const uri = "file:///a.txt";
const change = fc.record({ from: fc.nat(99), to: fc.nat(99), insert: anyText });

/** The place of a percentage among the offsets that have a position. */
const offsetAt = (text: string, hundredth: number): number => {
  const places = modelOffsets(text);
  return places[Math.floor((hundredth * places.length) / 100)] ?? 0;
};

const dialects = encodings.flatMap((encoding) => [lspRule, lfRule].map((rule) => ({ encoding, rule })));

describe("a text in pieces", () => {
  /** A window never extends to a whole line for its own sake if this is negative. */
  const wholeLines = fc.integer({ min: -1, max: 9 });
  const sizes = fc.record({ pieceLength: fc.integer({ min: 1, max: 9 }), wholeLine: wholeLines });

  it.each(dialects)("changes as the whole text does, in $encoding by $rule", (dialect) => {
    const { rule } = dialect;
    const { toSpan, widthOf } = editorPositions[dialect.encoding];
    fc.assert(
      fc.property(anyText, fc.array(change, { maxLength: 12 }), sizes, (first, list, { pieceLength, wholeLine }) => {
        const pieces = LinePieces.of(LineIndex.of(first, rule), widthOf, { pieceLength, wholeLine });
        let text = first;
        for (const { from, to, insert } of list) {
          const offsets = [offsetAt(text, from), offsetAt(text, to)];
          const [a, b] = [Math.min(...offsets), Math.max(...offsets)];
          const [start, end] = [modelPosition(text, a, dialect), modelPosition(text, b, dialect)];
          const { lines, range } = pieces.window({ start, end });
          const span = toSpan(range, lines.text, lines);
          expect(span && lines.text.slice(span.from, span.to)).toBe(text.slice(a, b));
          for (const [{ line }, inWindow] of [
            [start, range.start],
            [end, range.end],
          ] as const) {
            const whole = modelLines(text, rule)[line]!;
            if (whole.length <= wholeLine) expect(lines.content(inWindow.line)).toBe(whole);
          }
          pieces.replace(span!.from, span!.to, insert);
          text = text.slice(0, a) + insert + text.slice(b);
          expect(pieces.text).toBe(text);
          expect(pieces.length).toBe(text.length);
        }
      }),
      { numRuns: lawRuns(300) },
    );
  });

  it("knows no lines but those of the text", () => {
    fc.assert(
      fc.property(
        anyText,
        fc.constantFrom(-1, 0.5, Number.NaN, 2 ** 40, Number.POSITIVE_INFINITY),
        fc.nat(1),
        wholeLines,
        (text, bad, character, wholeLine) => {
          const { toSpan, widthOf } = editorPositions["utf-16"];
          for (const at of [
            { line: bad, character },
            { line: character, character: bad },
          ]) {
            const pieces = LinePieces.of(LineIndex.of(text, lfRule), widthOf, { pieceLength: 2, wholeLine });
            const { lines, range } = pieces.window({ start: at, end: at });
            expect(toSpan(range, lines.text, lines)).toBeUndefined();
          }
        },
      ),
    );
  });
});

describe("a notification of many changes", () => {
  const positions = editorPositions["utf-16"];
  // Repeated, a part without a line ending is a line that is cut into several pieces.
  const part = fc.tuple(anyText, fc.constantFrom(1, 1, 1, 30, 600)).map(([text, count]) => text.repeat(count));
  const manyLines = fc.array(part, { minLength: 1, maxLength: 8 }).map((parts) => parts.join("\n"));

  it("leaves the same text as vscode-languageserver-textdocument, and the same lines as one change after another", () => {
    fc.assert(
      fc.property(manyLines, fc.array(change, { minLength: 17, maxLength: 40 }), (text, list) => {
        const theirs = TextDocument.create(uri, "", 1, text);
        const [together, apart] = [createDocuments(), createDocuments()];
        for (const documents of [together, apart]) documents.open(uri, 1, text, lspRule);
        const events = list.map(({ from, to, insert }, i) => {
          const now = theirs.getText();
          const offsets = [offsetAt(now, from), offsetAt(now, to)];
          const range = {
            start: theirs.positionAt(Math.min(...offsets)),
            end: theirs.positionAt(Math.max(...offsets)),
          };
          TextDocument.update(theirs, [{ range, text: insert }], i + 2);
          expect(apart.change(uri, i + 2, [{ range, text: insert }], positions)).toEqual({ kind: "synced" });
          return { range, text: insert };
        });
        expect(together.change(uri, 100, events, positions)).toEqual({ kind: "synced" });
        const [one, other] = [together.get(uri), apart.get(uri)];
        expect(one?.text).toBe(theirs.getText());
        expect(one?.lines.lineCount).toBe(theirs.lineCount);
        expect(one?.version).toBe(100);
        expect([...(one?.formerLines.keys() ?? [])]).toEqual([...(other?.formerLines.keys() ?? [])]);
      }),
      { numRuns: lawRuns(200) },
    );
  });

  it("takes a complete text among them, and fails as a whole if one does not fit", () => {
    const at = { line: 0, character: 0 };
    const small = Array.from({ length: 20 }, (_, i) => ({ range: { start: at, end: at }, text: `${i}\n` }));
    const documents = createDocuments();
    documents.open(uri, 1, "old", lfRule);
    documents.change(uri, 2, [...small, { text: "new" }, ...small.slice(0, 2)], positions);
    expect(documents.get(uri)).toMatchObject({ text: "1\n0\nnew", version: 2 });
    const far = { line: 9, character: 0 };
    const outcome = documents.change(uri, 3, [...small, { range: { start: far, end: at }, text: "" }], positions);
    expect(outcome.kind).toBe("desynced");
    expect(documents.get(uri)).toMatchObject({ text: "1\n0\nnew", version: 2 });
  });

  it("remembers the lines that the notification replaced with the version before it", () => {
    const documents = createDocuments();
    documents.open(uri, 7, "first\nsecond\n", lfRule);
    const replaced = [1, 0].map((line) => ({
      range: { start: { line, character: 0 }, end: { line, character: 3 } },
      text: "x",
    }));
    documents.change(uri, 8, replaced, positions);
    expect([...(documents.get(uri)?.formerLines ?? [])]).toEqual([
      ["second", 7],
      ["first", 7],
    ]);
  });
});
