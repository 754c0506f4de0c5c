/** Messages on a terminal count edits from 1, speak to the user, and leave quoted text as it is. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callFailures } from "../../server/dialect/sentences.js";
import { addressedToUser, countedFromOne } from "../../server/lsp/edit/forPeople.js";
import { callSentences } from "../../server/lsp/sentences.js";
import { editFailures } from "../../server/plan/edits/sentences.js";
import { explainWarnings } from "../../server/plan/explain/sentences.js";
import { atEdit, type Failure, fileAt, makeFailure, nameOf } from "../../server/plan/failure.js";
import { fileFailures, hunkFailures, patchWarnings } from "../../server/plan/patch/sentences.js";
import { batchFailures, batchWarnings, indices } from "../../server/plan/sentences.js";
import { staleFailures } from "../../server/workspace/sentences.js";

/** Arguments for a sentence about edit `n`; if the sentence names a second edit, its index is `n + 4`. */
type ArgumentsOf = (n: number) => unknown[];

const path = "src/edit 0.ts";
const at = (n: number) => ({ index: n, path });
const other = (n: number) => n + 4;
const nearest = [
  { startLine: 4, endLine: 4, text: "4| edit 7 files", difference: 'old text "edit 3", file "edits 8, 9"' },
];
const matches = [{ line: 2, column: 3, text: "edit 5", isWritten: false, above: undefined, only: undefined }];
const occurring = [{ sought: 1, line: 4, count: 2, text: "edit 5" }];
const known = { elided: "// edit 6 ...", miswritten: undefined, outdated: undefined, nearest, inBatch: true };
const absence = { ...known, occurring };
const unsigned = { text: "edit 2", patchLine: 3, more: 1, restAt: 4 };
const telling = [{ match: 2, kind: "above", line: 1, text: "edit 9" }];
const ambiguity = { found: 2, rung: "exact", matches, near: 4, nearLine: 4, telling: undefined, isOneLine: false };
const idle = { isSigned: true };

/** The arguments, keyed by page and function; unlisted functions take only the edit's location. */
const sentences: readonly (readonly [page: object, Readonly<Record<string, ArgumentsOf>>])[] = [
  [
    editFailures,
    {
      emptyOldText: (n) => [at(n), { first: true }],
      leftOutCode: (n) => [at(n), "// edit 6 ..."],
      lineNumbers: (n) => [at(n), "12: edit 6"],
      noMatch: (n) => [at(n), absence],
      inNewText: (n) => [at(n), other(n)],
      dependsOnFailed: (n) => [at(n), other(n)],
      onlyLenient: (n) => [at(n), "typography", 7],
      noSuchOccurrence: (n) => [at(n), 5, 2],
      ambiguousMatch: (n) => [at(n), ambiguity],
      cannotShift: (n) => [at(n), 7, nearest],
      alreadyInserted: (n) => [at(n), { line: 7, text: "edit 5", isCertain: true }],
      noSuchLine: (n) => [at(n), 7, 5],
      expectedCount: (n) => [at(n), 3, 2, matches],
      sameHunk: (n) => [at(n), other(n), 7],
      overlap: (n) => [at(n), other(n), 7],
      alreadyApplied: (n) => [at(n), 7, nearest],
      consumed: (n) => [at(n), other(n), 7, "original"],
      tooManyPlaces: (n) => [at(n), 10_000],
    },
  ],
  [
    hunkFailures,
    {
      noChange: (n) => [at(n), { ...idle, absence, line: 7 }],
      noLines: (n) => [at(n), { ...absence, behind: 3, everywhere: true, anchor: "edit 5", unsigned }],
      beforeAnchor: (n) => [at(n), "edit 2", 7],
      noAnchor: (n) => [at(n), { anchor: "edit 2", behind: 3, linesAt: undefined, nearest }],
      notAtEnd: (n) => [at(n), 7],
      alreadyApplied: (n) => [at(n), 7],
      sentTwice: (n) => [at(n), "edit 2", 7],
      uneven: (n) => [at(n), { why: "misfit", absence }],
      ambiguous: (n) => [at(n), { ...ambiguity, telling, anchoring: "none" }],
      ambiguousAnchor: (n) => [at(n), { anchor: "edit 2", found: 2, matches, telling }],
    },
  ],
  [
    fileFailures,
    {
      notThere: (n) => [at(n), { by: other(n), to: "edit 0" }, "update"],
      exists: (n) => [at(n), "edit 0"],
      circle: (n) => [at(n), "edit 0"],
      notFreed: (n) => [at(n), other(n)],
      dirty: (n) => [at(n), "delete"],
      wouldReplace: (n) => [at(n), { lines: [{ line: 7, text: "edit 2" }], more: 1, gap: undefined }],
    },
  ],
  [patchWarnings, { replaced: () => [path], anchorIgnored: (n) => [at(n), "edit 2", 7], idle: (n) => [at(n), idle] }],
  [explainWarnings, { elided: (n) => [{ index: n, path, line: "// edit 2 ...", gone: 3 }] }],
  [batchFailures, { textTooLarge: (n) => [at(n), 9], tooLarge: (n) => [at(n), "the list", 9, 8, "edits"] }],
  [batchWarnings, { nothingToDo: (n) => [at(n)], leftOut: (n) => [[n, n + 1, n + 3]] }],
  [
    callFailures,
    {
      notACall: () => ["an array"],
      wrongType: (n) => [at(n), "path", "it is empty"],
      noList: () => ["edits", 5],
      badJson: () => ["edits"],
      twoNames: (n) => [at(n), ["a", "b"]],
      mixedShapes: () => [["a", "b"]],
      patchWithOthers: () => ["patch", ["edits"]],
      noEdits: () => [],
      missingFields: (n) => [at(n), ["path"]],
      missingPath: (n) => [at(n), false],
      unknownField: (n) => [at(n), "edit 3", "edits"],
      trial: (n) => [at(n), "edit 3", "tool"],
      misplacedField: (n) => [at(n), "atomic"],
      moreFailures: () => [3],
      contradiction: (n) => [at(n), "line chooses one"],
      loneSurrogate: (n) => [at(n), "newText", 4],
      optionsRefused: () => [],
      notAnEdit: (n) => [at(n), "view", "tool"],
      append: (n) => [at(n), "append"],
      pattern: (n) => [at(n), "regex"],
      tooLong: (n) => [at(n), "path", 9, 8],
    },
  ],
  [staleFailures, { contentModified: (n) => [at(n), "version 3 was expected"] }],
  [{ sound: callSentences.sound }, { sound: (n) => [[n, n + 2], false] }],
  [{ indices }, { indices: (n) => [[n, n + 1, n + 3]] }],
  [
    { atEdit },
    { atEdit: (n) => [makeFailure("ioError", fileAt(path), { problem: "No." }), { index: n, patchLine: 8 }] },
  ],
];

const rows = sentences.flatMap(([page, given]) =>
  Object.entries(page).map(([name, make]) => {
    const say = (n: number): string => {
      const said = make(...(given[name]?.(n) ?? [at(n)])) as string | Failure;
      return typeof said === "string" ? said : said.message;
    };
    return [name, say] as const;
  }),
);

describe("edits count from 1", () => {
  it.each(rows)("in %s", (_, say) => {
    for (const n of [0, 1, 8, 9]) expect(countedFromOne(say(n))).toBe(say(n + 1));
  });

  it("whatever their number, and whatever texts are quoted between them", () => {
    const quoted = fc.oneof(
      fc.string().map((text) => JSON.stringify(`edit 0 ${text}`)),
      fc.string().map((text) => `\n12:3| edits 4, 5 ${text.replace(/\n/g, "")}\n`),
    );
    const part = fc.oneof(
      quoted.map((text) => [text, text] as const),
      fc.nat(2_000).map((n) => [nameOf(at(n)), nameOf(at(n + 1))] as const),
      fc.uniqueArray(fc.nat(200), { minLength: 1 }).map((found) => {
        const sorted = found.sort((a, b) => a - b);
        return [indices(sorted), indices(sorted.map((n) => n + 1))] as const;
      }),
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const [said, counted] = [0, 1].map((i) => parts.map((pair) => pair[i]).join(". ")) as [string, string];
        expect(countedFromOne(said)).toBe(counted);
      }),
    );
  });

  it.each([
    "The file src/edit 0.ts was not open",
    'There is no file "edit 0".',
    "1,000 edits; the limit is 500. Nothing was changed: 2 of 3 edits failed.",
    "7| edit 0\n7:2| edits 0, 1\n+| edit 0",
  ])("and `%s` stays", (message) => expect(countedFromOne(message)).toBe(message));
});

describe("the user is addressed", () => {
  it.each([
    ["It is open. Ask the user to save or discard the changes.", "It is open. Save or discard the changes."],
    ["Read the files, and ask the user to check the disk.", "Read the files, and check the disk."],
    ["Run that first, or ask the user to run it.", "Run that first."],
    ["No answer. Ask the user, then send the call again.", "No answer. Send the call again."],
    ["Make such a call first, or ask the user to do so.", "Make such a call first."],
    ["It does not say what the user decided. Ask the user. Nothing.", "It does not say what you decided. Nothing."],
    ['The user said: "less". Do what the user asks for, as a new call.', 'You said: "less".'],
    ['The user rejected "the user". Ask the user what to do instead.', 'You rejected "the user".'],
    ['Only the user can allow this, with the setting "a".', 'Only you can allow this, with the setting "a".'],
    ["The user was asked, but did not answer.", "You were asked, but did not answer."],
    ["This call needs the user's confirmation.", "This call needs your confirmation."],
    ["7| Ask the user to stop", "7| Ask the user to stop"],
  ])("in `%s`", (message, expected) => expect(addressedToUser(message)).toBe(expected));
});
