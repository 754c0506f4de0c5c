/**
 * The tests' own tools: an error in a page is reported with the page's name and a line number, and the strict editor is
 * strict.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { WorkspaceEdit } from "vscode-languageserver/node";
import { parsePage } from "./support/cases.js";
import { type Encoding, offsetOf, positionOf, Refused } from "./support/editorText.js";
import { type OpenDocument, stepsOf } from "./support/editorWorkspace.js";
import { escaped, needsEscapes, unescaped } from "./support/escapes.js";
import { gistOf, sentencesOf } from "./support/gist.js";
import { rewrite } from "./support/outcome.js";

const block = (info: string, body = ""): string => `\`\`\`${info}\n${body === "" ? "" : `${body}\n`}\`\`\`\n`;
const file = block("ts a.ts", "one");
const request = block("request", '{ "path": "a.ts", "oldText": "one", "newText": "1" }');
const diff = block("diff", "nothing changes");
const page = (...blocks: string[]): string => `# Case\n\nWhy.\n\n${blocks.join("\n")}`;

describe("a page", () => {
  it("is read into its cases, without headings that have no blocks", () => {
    const markdown = `# Page\n\nAbout.\n\n${page(file, request, diff).replace("# Case", "## One")}\n${page(request, diff)}`;
    expect(parsePage("p.md", markdown).map(({ name, line }) => [name, line])).toEqual([
      ["One", 5],
      ["Case", 21],
    ]);
  });

  it.each([
    ["an unknown kind", page(block("reqest", "{}"), request, diff), 5, "not a kind of block"],
    ["an unknown flag of a file", page(block("ts a.ts closd", "one"), request, diff), 5, 'has no flag "closd"'],
    ["an unknown flag of another block", page(file, request, block("diff excaped", "x")), 13, 'has no flag "excaped"'],
    ["no outcome", page(file, request), 1, "no outcome"],
    ["no request", page(file, diff), 1, "no request"],
    ["no prose", `# Case\n\n${request}\n${diff}`, 1, "does not say why"],
    ["an empty diff", page(file, request, block("diff")), 13, "nothing changes"],
    ["an empty failure", page(file, request, block("failure")), 13, "failure is empty"],
    ["a request that is not JSON", page(file, block("request", "{"), diff), 9, "not JSON"],
    ["a block that is not closed", page(file, request, "```diff\nx"), 13, "not closed"],
    ["two files with the same path", page(file, file, request, diff), 9, "second file"],
    ["two requests", page(request, request, diff), 9, "two"],
    ["two cases with the same name", `${page(request, diff)}\n${page(request, diff)}`, 13, "second case"],
    ["a block before the first heading", request, 1, "before the first heading"],
    ["no case", "# Page\n\nAbout.\n", 1, "no case"],
  ])("with %s is refused", (_, markdown, line, problem) => {
    expect(() => parsePage("p.md", markdown)).toThrow(new RegExp(`^p\\.md:${line}: .*${problem}`));
  });

  it("has a dirty file's text in one block and the disk's in another", () => {
    const [one] = parsePage("p.md", page(block("ts a.ts dirty", "new"), block("ts a.ts closed", "old"), request, diff));
    expect(one?.files).toEqual([
      {
        path: "a.ts",
        language: "ts",
        synced: "new\n",
        disk: Buffer.from("old\n"),
        bom: false,
        utf16: false,
        earlier: [],
        came: "typed",
      },
    ]);
  });

  it("is rewritten in place, without blocks that are no longer wanted", () => {
    const markdown = page(file, request, block("failure", "noMatch"));
    const rewritten = rewrite(markdown, parsePage("p.md", markdown), [
      { diff: "+\tone\n", result: "0 applied exact 1-1\n" },
    ]);
    expect(rewritten).toBe(
      page(file, request, block("diff escaped", "+\\tone"), block("result", "0 applied exact 1-1")),
    );
  });

  it("keeps whole messages whole when it is rewritten", () => {
    const markdown = page(file, request, block("failure whole", "noMatch"), block("result whole", "warning: a"));
    const cases = parsePage("p.md", markdown);
    expect(rewrite(markdown, cases, [{ failure: "noMatch\n  \tOld.\n", result: "warning: b\n" }])).toBe(
      page(file, request, block("failure whole escaped", "noMatch\n  \\tOld."), block("result whole", "warning: b")),
    );
  });
});

describe("the gist of a message", () => {
  it.each([
    ["up to the full stop", "It is a.ts. Try again.", "It is a.ts."],
    ["up to the colon", "It holds: nothing", "It holds:"],
    ["no further than its line", "It is (x):\n1| one\nTry again.", "It is (x):\n1| one"],
    ["no end inside a string", 'The "a\\". b: c" is no line. Try.', 'The "a\\". b: c" is no line.'],
    ["no colon that does not end a word", 'Line 1, "x": it is wrong. Try.', 'Line 1, "x": it is wrong.'],
    ["no end at all", "It is cut off", "It is cut off"],
    ["strings, numbers and ranges", 'No. Lines 1-3 (line 2) differ, "a \\"b", "".', 'No.\n… 1-3, 2, "a \\"b", ""'],
    [
      "code points, paths, fields",
      "No. U+200B in src/a.ts, not UTF-8: set newText.",
      "No.\n… U+200B, src/a.ts, newText",
    ],
    [
      "lines of the file",
      "Twice:\n…\n1:2| a\n+|  b\n3| \nIn line 4.\n5| c",
      "Twice:\n…\n1:2| a\n+|  b\n3| \n… 4\n5| c",
    ],
    [
      "the facts in an aside to such a line",
      "Twice:\n2| a (x)   (line 1: b)\n3| a   (new)",
      "Twice:\n2| a (x)   … 1: b\n3| a   …",
    ],
  ])("has %s", (_, message, gist) => {
    expect(gistOf(message)).toBe(gist);
  });
});

describe("the sentences of a message", () => {
  it.each([
    ["sentences and clauses", "It is so: try this. Is it?", ["It is so", "try this", "Is it?"]],
    ["no numbers, strings and paths", 'Lines 1-3 of src/a.ts, "a. b", "c".', ['Lines # of <path>, ""']],
    ["no names of edits", "edit 3 (a.ts, line 2 of the patch) fails.", ["Edit # fails"]],
    ["no lines of the file", "Twice:\n2| a   (line 1: b)\n3| a   (new)\nTry.", ["Twice", "new", "Try"]],
  ])("are %s", (_, message, sentences) => {
    expect(sentencesOf(message)).toEqual(sentences);
  });
});

describe("escapes", () => {
  it("are decoded again, and leave nothing hidden", () => {
    const text = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(text, (text) => {
        expect(unescaped(escaped(text))).toBe(text);
        expect(needsEscapes(escaped(text))).toBe(false);
      }),
    );
  });
});

describe("the strict editor", () => {
  const uri = "file:///a.ts";
  const open = new Map<string, OpenDocument>([[uri, { uri, languageId: "ts", version: 3, text: "a😀b\r\nc" }]]);
  const edit = (...edits: [number, number, number, number, string][]): WorkspaceEdit => ({
    documentChanges: [
      {
        textDocument: { uri, version: 3 },
        edits: edits.map(([line, character, endLine, endCharacter, newText]) => ({
          range: { start: { line, character }, end: { line: endLine, character: endCharacter } },
          newText,
        })),
      },
    ],
  });
  const take = (edit: WorkspaceEdit, encoding: Encoding = "utf-16") =>
    stepsOf(edit, open, { encoding, versions: "checked", emptyText: "" });

  const rename = (oldUri: string, newUri: string) => ({
    documentChanges: [{ kind: "rename" as const, oldUri, newUri }],
  });

  it("accepts operations that first free a name and then take it", () => {
    const start = { line: 0, character: 0 };
    const text = { textDocument: { uri, version: null }, edits: [{ range: { start, end: start }, newText: "new" }] };
    const documentChanges = [
      ...edit([0, 0, 0, 1, "x"]).documentChanges!,
      ...rename(uri, "file:///b").documentChanges,
      { kind: "create" as const, uri },
      text,
    ];
    expect(take({ documentChanges }).map(({ kind }) => kind)).toEqual(["edit", "rename", "write"]);
  });

  it("accepts edits that are in order", () => {
    expect(take(edit([0, 0, 0, 1, "x"], [0, 3, 1, 0, ""]))).toMatchObject([
      {
        kind: "edit",
        replacements: [
          { from: 0, to: 1 },
          { from: 3, to: 6 },
        ],
      },
    ]);
  });

  it.each([
    ["edits that overlap", edit([0, 0, 0, 3, "x"], [0, 1, 0, 4, "y"])],
    ["edits that are not in order", edit([1, 0, 1, 1, "x"], [0, 0, 0, 1, "y"])],
    ["edits that touch", edit([0, 0, 0, 1, "x"], [0, 1, 0, 3, "y"])],
    ["an edit that changes nothing", edit([0, 0, 0, 1, "a"])],
    ["a range that ends before it starts", edit([0, 3, 0, 1, "x"])],
    ["a line that does not exist", edit([2, 0, 2, 0, "x"])],
    ["a character after the end of its line", edit([0, 5, 0, 5, "x"])],
    ["half a character", edit([0, 2, 0, 3, "x"])],
    ["a stale version", { documentChanges: [{ textDocument: { uri, version: 2 }, edits: [] }] }],
    ["no version", { documentChanges: [{ textDocument: { uri, version: null }, edits: [] }] }],
    ["two entries for one document", { documentChanges: [...edit().documentChanges!, ...edit().documentChanges!] }],
    [
      "a version of a document that is not open",
      { documentChanges: [{ textDocument: { uri: "file:///b", version: 1 }, edits: [] }] },
    ],
    [
      "a file that does not exist",
      { documentChanges: [{ textDocument: { uri: "file:///b", version: null }, edits: [] }] },
    ],
    ["the creation of an existing file", { documentChanges: [{ kind: "create" as const, uri }] }],
    ["the deletion of a missing file", { documentChanges: [{ kind: "delete" as const, uri: "file:///b" }] }],
    ["the rename of a missing file", rename("file:///b", "file:///c")],
    ["a rename onto an existing file", rename(uri, uri)],
    [
      "an edit after the rename",
      { documentChanges: [...rename(uri, "file:///b").documentChanges, ...edit().documentChanges!] },
    ],
    [
      "options of a file operation",
      { documentChanges: [{ kind: "delete" as const, uri, options: { ignoreIfNotExists: true } }] },
    ],
    ["both forms at once", { changes: {}, documentChanges: [] }],
  ])("refuses %s", (_, refused) => {
    expect(() => take(refused)).toThrow(Refused);
  });

  it.each([
    ["utf-8", 6],
    ["utf-16", 4],
    ["utf-32", 3],
  ] as const)("counts in %s", (encoding, character) => {
    expect(positionOf("a😀b\r\nc", 4, encoding)).toEqual({ line: 0, character });
    expect(offsetOf("a😀b\r\nc", { line: 0, character }, encoding)).toBe(4);
  });
});
