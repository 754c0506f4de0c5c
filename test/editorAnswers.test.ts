/** What the server reads in an editor's answer about saving, and in the text that the editor has after an edit. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sourceOfText } from "../server/lsp/apply/applyOutcome.js";
import { savedIn } from "../server/lsp/apply/save.js";
import { asUpdate, type FileChange } from "../server/plan/outcome.js";
import { ChangeSet } from "../server/text/changeSet.js";
import { lawRuns } from "./support/extent.js";
import { documentAt } from "./support/planning.js";

describe("an answer about saving", () => {
  it.each([
    null,
    undefined,
    7,
    "saved",
    [],
    {},
    { failed: 7, versions: "all" },
    { failed: {}, versions: { uri: "a" } },
  ])("names no files if it is %j", (answer) => {
    expect(savedIn(answer)).toEqual({ failed: new Map(), versions: new Map() });
  });

  it("names the files that were not saved, with reasons of at most 200 characters", () => {
    const items = [
      { uri: "a" },
      { uri: "b", message: 7 },
      { uri: "c", message: "why" },
      { uri: "d", message: "x".repeat(300) },
    ];
    const { failed } = savedIn({ failed: [null, 7, { uri: 7, message: "x" }, { message: "x" }, ...items] });
    expect([...failed].map(([uri, why]) => [uri, why.length])).toEqual([
      ...[
        ["a", 0],
        ["b", 0],
        ["c", 3],
      ],
      ["d", expect.any(Number)],
    ]);
    expect(failed.get("c")).toBe("why");
    expect(failed.get("d")!.length).toBeLessThanOrEqual(200);
  });

  it("names the versions around the save, if both are there", () => {
    const good = { uri: "a", before: 3, after: 4 };
    const bad = [null, 7, { ...good, uri: 7 }, { ...good, uri: "b", before: "3" }, { ...good, uri: "c", after: null }];
    expect(savedIn({ versions: [...bad, good] }).versions).toEqual(new Map([["a", { before: 3, after: 4 }]]));
  });
});

describe("a text into which the user may have typed", () => {
  /** A call that replaces `[from, to)`. */
  function fileOf(text: string, from: number, to: number, insert: string, bomSynced = false): FileChange {
    const change = ChangeSet.of(text.length, [{ from, to, insert }]);
    const document = documentAt("a", text, { bomSynced });
    return asUpdate({ document, change, text: change.apply(text), edits: 1, operations: [] });
  }

  it.each([
    ["nothing", "abcdef", "old"],
    ["a letter above", "Xabcdef", "old"],
    ["a letter right before the place", "abXcdef", "old"],
    ["a letter right after it", "abcdXef", "old"],
    ["a letter in it", "abcXdef", "unclear"],
    ["nothing, after the edit", "ab12ef", "planned"],
    ["a letter below, after the edit", "ab12efX", "planned"],
    ["a letter in the new text", "ab1X2ef", "unclear"],
    ["another text", "xyz", "unclear"],
    ["letters on both sides", "XabcdefX", "unclear"],
  ])("has got %s: %s is %s", (_, synced, expected) => {
    expect(sourceOfText(fileOf("abcdef", 2, 4, "12"), synced)).toBe(expected);
    expect(sourceOfText(fileOf("abcdef", 2, 4, "12", true), `\ufeff${synced}`)).toBe(expected);
  });

  it.each([
    ["an insertion that is not there", "abcd", "12", "abcdX", "old"],
    ["one that is", "abcd", "12", "ab12cdX", "planned"],
    ["one that is, with a letter right after it", "abcd", "12", "ab12Xcd", "planned"],
    ["the same letters, typed right there", "abcd", "12", "ab1cd", "unclear"],
    ["a letter typed where it belongs", "abcd", "12", "abXcd", "unclear"],
  ])("has %s", (_, text, insert, synced, expected) => {
    expect(sourceOfText(fileOf(text, 2, 2, insert), synced)).toBe(expected);
  });

  it("is never taken for the other one, if the user types beside the place", () => {
    const text = "abcdefghijklmnop";
    const span = fc.tuple(fc.nat(text.length), fc.nat(text.length)).map((both) => both.toSorted((a, b) => a - b));
    const typing = fc.record({ at: fc.nat(30), removed: fc.nat(3), insert: fc.constantFrom("", "X", "XY", "a", "12") });
    fc.assert(
      fc.property(
        span,
        fc.constantFrom("", "1", "12"),
        fc.boolean(),
        typing,
        ([from = 0, to = 0], insert, isOld, typed) => {
          const file = fileOf(text, from, to, insert);
          fc.pre(!file.change.isEmpty);
          const before = isOld ? text : file.text;
          const end = isOld ? to : from + insert.length;
          const at = typed.at % (before.length + 1);
          const last = Math.min(before.length, at + typed.removed);
          fc.pre(last <= from || at >= end);
          // Nobody can tell who wrote it if the user types right there what the call writes or removes.
          const isThere = last >= from && at <= end;
          fc.pre(!(isThere && /[a12]/.test(typed.insert)));
          const synced = before.slice(0, at) + typed.insert + before.slice(last);
          const own = isOld ? "old" : "planned";
          const said = sourceOfText(file, synced);
          expect([own, "unclear"]).toContain(said);
          // New letters at a distance from a place that is not empty leave no doubt.
          const isFar = (last < from || at > end) && !/[a1]/.test(typed.insert) && from < to && insert !== "";
          if (isFar) expect(said).toBe(own);
        },
      ),
      { numRuns: lawRuns(2_000) },
    );
  });
});
