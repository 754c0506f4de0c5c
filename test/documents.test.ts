/** The server's mirror of the editor's texts, one anomaly at a time; its laws are in `documentLaws.test.ts`. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editorPositions } from "../server/lsp/edit/positions.js";
import { limits } from "../server/text/limits.js";
import type { LineRule } from "../server/text/lines.js";
import { createDocuments, type SyncRange } from "../server/workspace/documents.js";
import { syncProblems } from "../server/workspace/sentences.js";
import { lawRuns } from "./support/extent.js";
import { lfRule, lspRule } from "./support/positionModel.js";

const inUtf16 = editorPositions["utf-16"];
const uri = "file:///a.txt";
const at = (line: number, character: number) => ({ line, character });
const range = (...[startLine, start, endLine, end]: [number, number, number, number]): SyncRange => ({
  start: at(startLine, start),
  end: at(endLine, end),
});

/** A mirror with one document at version 1. */
function opened(text: string, rule: LineRule = lspRule) {
  const documents = createDocuments();
  documents.open(uri, 1, text, rule);
  return documents;
}

describe("a change", () => {
  const anomalies: [name: string, version: unknown, changes: unknown, problem: string][] = [
    ["with the current version", 1, [{ text: "x" }], syncProblems.versionNotGreater(1, 1)],
    ["with an older version", 0, [{ range: range(0, 0, 0, 0), text: "x" }], syncProblems.versionNotGreater(0, 1)],
    ["with a broken version", 1.5, [{ text: "x" }], syncProblems.badVersion(1.5)],
    ["without a version", null, [{ text: "x" }], syncProblems.badVersion(null)],
    ["with a version in a string", "2", [{ text: "x" }], syncProblems.badVersion("2")],
    ["without a list", 2, { text: "x" }, syncProblems.badChanges()],
    ["with nothing instead of a change", 2, [null], syncProblems.badChange(0)],
    ["without a text", 2, [{ range: range(0, 0, 0, 0) }], syncProblems.badChange(0)],
    ["whose text is a number", 2, [{ range: range(0, 0, 0, 0), text: 1 }], syncProblems.badChange(0)],
    ["with half a range", 2, [{ range: { start: at(0, 0) }, text: "x" }], syncProblems.badChange(0)],
    ["with null for a range", 2, [{ range: null, text: "x" }], syncProblems.badChange(0)],
    ["with a length but no range", 2, [{ rangeLength: 1, text: "x" }], syncProblems.badChange(0)],
    [
      "with positions in strings",
      2,
      [{ range: { start: at(0, 0), end: { line: "0", character: 1 } }, text: "x" }],
      syncProblems.badChange(0),
    ],
    ["that ends before it starts", 2, [{ range: range(0, 2, 0, 1), text: "x" }], syncProblems.reversedRange(0)],
    ["in a line that does not exist", 2, [{ range: range(4, 0, 4, 0), text: "x" }], syncProblems.badRange(0)],
    [
      "in the line after the last, not at its start",
      2,
      [{ range: range(3, 1, 3, 1), text: "x" }],
      syncProblems.badRange(0),
    ],
    ["beyond a line's end", 2, [{ range: range(0, 0, 0, 4), text: "x" }], syncProblems.badRange(0)],
    ["between CR and LF", 2, [{ range: range(1, 5, 1, 5), text: "x" }], syncProblems.badRange(0)],
    ["inside a character", 2, [{ range: range(1, 2, 1, 3), text: "x" }], syncProblems.badRange(0)],
    ["at a negative line", 2, [{ range: range(-1, 0, 0, 0), text: "x" }], syncProblems.badRange(0)],
    ["at half a character", 2, [{ range: range(0, 0, 0, 0.5), text: "x" }], syncProblems.badRange(0)],
    [
      "that is invalid after valid ones",
      2,
      [
        { range: range(0, 0, 0, 3), text: "" },
        { range: range(0, 1, 0, 1), text: "x" },
      ],
      syncProblems.badRange(1),
    ],
  ];
  const text = "abc\na𝒳b\r\nlast";

  it.each(anomalies)(
    "%s leaves the last good text, and marks the document as out of sync",
    (_, version, changes, problem) => {
      const documents = opened(text);
      expect(documents.change(uri, version, changes, inUtf16)).toEqual({ kind: "desynced", problem });
      expect(documents.get(uri)).toMatchObject({ version: 1, text, desynced: problem });
      expect(documents.get(uri)?.lines.lineCount).toBe(3);
      // A partial change leaves an unknown text unknown and keeps the first reason.
      expect(documents.change(uri, 3, [{ range: range(0, 0, 0, 0), text: "x" }], inUtf16)).toEqual({
        kind: "stillDesynced",
      });
      expect(documents.change(uri, 0.5, [{ text: "x" }], inUtf16)).toEqual({ kind: "stillDesynced" });
      expect(documents.change(uri, 3, [], inUtf16)).toEqual({ kind: "stillDesynced" });
      expect(documents.get(uri)).toMatchObject({ version: 1, text, desynced: problem });
    },
  );

  it.each(anomalies)("%s is repaired by a whole text, or by opening the document again", (_, version, changes) => {
    const documents = opened(text);
    documents.change(uri, version, changes, inUtf16);
    expect(documents.change(uri, 0, [{ text: "new" }, { range: range(0, 3, 0, 3), text: "!" }], inUtf16)).toEqual({
      kind: "synced",
    });
    expect(documents.get(uri)).toMatchObject({ version: 0, text: "new!" });
    expect(documents.get(uri)).not.toHaveProperty("desynced");

    documents.change(uri, version, changes, inUtf16);
    expect(documents.open(uri, 0, "again", lspRule)).toEqual({ kind: "synced" });
    expect(documents.get(uri)).toMatchObject({ version: 0, text: "again" });
    expect(documents.get(uri)).not.toHaveProperty("desynced");
  });

  it("may skip versions, and may change nothing but the version", () => {
    const documents = opened("a");
    expect(documents.change(uri, 7, [], inUtf16)).toEqual({ kind: "synced" });
    expect(documents.get(uri)).toMatchObject({ version: 7, text: "a" });
  });

  it("on the line after the last one is at the end of the text, as Neovim and Emacs mean it", () => {
    const documents = opened("a\nb");
    documents.change(uri, 2, [{ range: range(1, 0, 2, 0), text: "c\n" }], inUtf16);
    expect(documents.get(uri)?.text).toBe("a\nc\n");
    documents.change(uri, 3, [{ range: range(3, 0, 3, 0), text: "d" }], inUtf16);
    expect(documents.get(uri)?.text).toBe("a\nc\nd");
  });

  it("ignores the length of a range, which clients count in different units", () => {
    const documents = opened("abc");
    documents.change(uri, 2, [{ range: range(0, 0, 0, 1), rangeLength: 99, text: "" }], inUtf16);
    expect(documents.get(uri)?.text).toBe("bc");
  });

  it("may join a CR and an LF into one line ending, or separate them", () => {
    const documents = opened("a\rb");
    documents.change(uri, 2, [{ range: range(1, 0, 1, 0), text: "\n" }], inUtf16);
    expect(documents.get(uri)).toMatchObject({ text: "a\r\nb", lines: { lineCount: 2 } });
    documents.change(uri, 3, [{ range: range(0, 1, 1, 0), text: "\r" }], inUtf16);
    documents.change(uri, 4, [{ range: range(1, 0, 1, 0), text: "x\n" }], inUtf16);
    expect(documents.get(uri)).toMatchObject({ text: "a\rx\nb", lines: { lineCount: 3 } });
  });

  it("does not change a document that was read before", () => {
    const documents = opened("a\nb");
    const before = documents.get(uri)!;
    documents.change(uri, 2, [{ range: range(0, 0, 1, 0), text: "" }], inUtf16);
    expect(before).toMatchObject({ version: 1, text: "a\nb" });
    expect(before.lines.lineCount).toBe(2);
    expect(documents.get(uri)?.lines.lineCount).toBe(1);
  });
});

describe("a mirror", () => {
  it("ignores, with a message, notifications that name no open document", () => {
    const documents = createDocuments();
    const told: string[] = [];
    documents.onChange((changed) => told.push(changed));
    const ignored = (problem: string) => ({ kind: "ignored", problem });
    expect(documents.change(uri, 1, [{ text: "x" }], inUtf16)).toEqual(ignored(syncProblems.notOpen("change")));
    expect(documents.close(uri)).toEqual(ignored(syncProblems.notOpen("close")));
    for (const badUri of [undefined, null, 1, {}, []]) {
      expect(documents.open(badUri, 1, "x", lspRule)).toEqual(ignored(syncProblems.badUri()));
      expect(documents.change(badUri, 1, [{ text: "x" }], inUtf16)).toEqual(ignored(syncProblems.badUri()));
      expect(documents.close(badUri)).toEqual(ignored(syncProblems.badUri()));
    }
    expect(documents.all()).toEqual([]);
    expect(told).toEqual([]);
  });

  it.each([
    ["no text", 1, null, { version: 1, text: "", desynced: syncProblems.badText() }],
    ["no version", undefined, "a", { version: 0, text: "a", desynced: syncProblems.badVersion(undefined) }],
    ["neither", "1", 2, { version: 0, text: "", desynced: syncProblems.badText() }],
  ])("remembers that a document with %s is open, and repairs it", (_, version, text, expected) => {
    const documents = createDocuments();
    expect(documents.open(uri, version, text, lspRule)).toEqual({ kind: "desynced", problem: expected.desynced });
    expect(documents.get(uri)).toMatchObject(expected);
    expect(documents.change(uri, -1, [{ text: "b" }], inUtf16)).toEqual({ kind: "synced" });
    expect(documents.get(uri)).toMatchObject({ version: -1, text: "b" });
  });

  it("holds no text that is longer than the limit, however it arrives", () => {
    const huge = "x".repeat(limits.syncedLength);
    const problem = syncProblems.tooLong(limits.syncedLength + 1, limits.syncedLength);
    const documents = opened("a");
    expect(documents.change(uri, 2, [{ range: range(0, 1, 0, 1), text: huge }], inUtf16).kind).toBe("desynced");
    expect(documents.get(uri)).toMatchObject({ text: "a", desynced: problem });
    expect(documents.change(uri, 3, [{ text: `${huge}x` }], inUtf16).kind).toBe("stillDesynced");
    expect(documents.open(uri, 1, `${huge}x`, lspRule)).toEqual({ kind: "desynced", problem });
    expect(documents.get(uri)?.text).toBe("");
    expect(documents.open(uri, 1, huge, lspRule)).toEqual({ kind: "synced" });
  });

  it("identifies documents by the exact spelling of their URI, and lists them in the order of their opening", () => {
    const documents = opened("a");
    documents.open("untitled:1", 1, "b", lfRule);
    documents.open(uri, 1, "c", lspRule);
    expect(documents.all().map((document) => [document.uri, document.loneCrEndsLine])).toEqual([
      ["untitled:1", false],
      [uri, true],
    ]);
    expect(documents.get("FILE:///a.txt")).toBeUndefined();
    documents.close("untitled:1");
    expect(documents.all().map(({ text }) => text)).toEqual(["c"]);
  });

  it("reports each event after it happens, until the listener unsubscribes", () => {
    const documents = createDocuments();
    const told: (string | undefined)[] = [];
    const listener = (changed: string): void => {
      told.push(documents.get(changed)?.text);
    };
    const stop = documents.onChange(listener);
    const stopSecond = documents.onChange(listener);
    documents.open(uri, 1, "a", lspRule);
    stopSecond();
    documents.change(uri, 2, [{ text: "b" }], inUtf16);
    documents.change(uri, 2, [{ text: "stale" }], inUtf16);
    documents.close(uri);
    stop();
    documents.open(uri, 1, "c", lspRule);
    expect(told).toEqual(["a", "a", "b", "b", undefined]);
  });

  it("accepts any params without throwing, and its texts are always strings", () => {
    const loose = fc.oneof(
      fc.anything({ withNullPrototype: true, withBigInt: true }),
      fc.array(fc.record({ text: fc.string(), range: fc.anything() }, { requiredKeys: [] })),
    );
    const call = fc.record({
      what: fc.constantFrom("open", "change", "close"),
      uri: fc.oneof(fc.constant(uri), loose),
      version: fc.oneof(fc.nat(3), loose),
      value: fc.oneof(fc.string(), loose),
    });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 8 }), (calls) => {
        const documents = opened("a\nb");
        for (const { what, uri: name, version, value } of calls) {
          if (what === "open") documents.open(name, version, value, lspRule);
          else if (what === "change") documents.change(name, version, value, inUtf16);
          else documents.close(name);
        }
        for (const document of documents.all()) {
          expect(typeof document.uri).toBe("string");
          expect(typeof document.text).toBe("string");
          expect(Number.isSafeInteger(document.version)).toBe(true);
        }
      }),
      { numRuns: lawRuns(500) },
    );
  });
});

describe("the lines that a document no longer has", () => {
  /** The number of bytes in use on the heap after a garbage collection. */
  function heapInUse(): number {
    setFlagsFromString("--expose-gc");
    const collect: () => void = runInNewContext("gc");
    collect();
    return process.memoryUsage().heapUsed;
  }

  it("keep no old version of the text in memory", () => {
    const line = "const value = compute(one, two);\n";
    const text = line.repeat(Math.ceil(1_000_000 / line.length));
    const documents = opened(text);
    const before = heapInUse();
    for (let i = 0; i < 200; i++) documents.change(uri, i + 2, [{ range: range(i, 0, i, 0), text: `${i} ` }], inUtf16);
    expect(documents.get(uri)?.formerLines.size).toBe(1);
    for (let i = 0; i < 200; i++) documents.change(uri, i + 202, [{ range: range(i, 0, i, 0), text: "x" }], inUtf16);
    expect(documents.get(uri)?.formerLines.size).toBe(201);
    // Each version of the text takes up one megabyte.
    expect(heapInUse() - before).toBeLessThan(10 * text.length);
  });

  it("are exact, even if they contain half of a character", () => {
    const documents = opened("half \ud83d\nwhole \ud83d\ude00\n");
    documents.change(uri, 2, [{ range: range(0, 0, 1, 0), text: "" }], inUtf16);
    documents.change(uri, 3, [{ range: range(0, 0, 0, 0), text: "x" }], inUtf16);
    expect([...(documents.get(uri)?.formerLines.keys() ?? [])]).toEqual(["half \ud83d", "whole \ud83d\ude00"]);
  });
});
