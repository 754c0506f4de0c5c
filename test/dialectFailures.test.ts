/** The messages for a call that cannot be decoded, and for unknown keys. */
import { describe, expect, test } from "vitest";
import { knownSpellings } from "../server/dialect/fields.js";
import { nearestName } from "../server/dialect/spelling.js";
import { limits } from "../server/text/limits.js";
import { decode } from "./support/decoding.js";

describe("failures of a call", () => {
  /** The failure code, the index of the edit (`-` for the whole call), and part of the message. */
  type Expected = [code: string, index: number | "-", part: string];
  const ok = { oldText: "a", newText: "b" };
  const lone = `x${"\ud800"}`;
  const deletion = "*** Begin Patch\n*** Delete File: p\n*** End Patch";
  const rows: [name: string, call: unknown, failures: Expected[]][] = [
    ["a number", 5, [["invalidParams", "-", "the number 5"]]],
    ["null", null, [["invalidParams", "-", "null"]]],
    ["nothing", undefined, [["invalidParams", "-", "nothing"]]],
    ["two params", [{}, {}], [["invalidParams", "-", "an array"]]],
    ["a bare string is a patch", "*** Begin Patch", [["patchSyntax", "-", "has no sections"]]],
    ["a string in an array is a patch", ["*** Begin Patch"], [["patchSyntax", "-", "has no sections"]]],
    ["a bare string of JSON", ' {"path": "p"}', [["invalidParams", "-", "a string of JSON"]]],
    ["patch", { patch: "x" }, [["patchSyntax", "-", 'no line "*** Begin Patch"']]],
    ["an empty patch", { patch: "" }, [["patchSyntax", "-", "there is no patch"]]],
    ["input", { input: "x", options: {} }, [["patchSyntax", "-", 'no line "*** Begin Patch"']]],
    ["a patch that is not a string", { patch: 1 }, [["invalidParams", "-", '"patch" is wrong']]],
    ["patch and input", { patch: deletion, input: deletion }, [["invalidParams", "-", '"patch", "input"']]],
    [
      "a patch and an empty list",
      { patch: "x", multi: [] },
      [
        ["invalidParams", "-", 'also has "multi"'],
        ["patchSyntax", "-", 'no line "*** Begin Patch"'],
      ],
    ],
    ["a patch with half a character", { input: `${deletion}${lone}` }, [["invalidParams", "-", '"input" of the call']]],
    [
      "a patch that is too long",
      { patch: "x".repeat(limits.patchLength + 1) },
      [["tooLarge", "-", "the length of the patch is 16,777,217 characters"]],
    ],
    [
      "too long a path in a patch",
      { patch: `*** Begin Patch\n*** Delete File: ${"p".repeat(limits.pathLength + 1)}\n*** End Patch` },
      [["tooLarge", "-", "Line 2 of the patch: the path is 4,097 characters"]],
    ],
    ["two lists", { path: "p", edits: [ok], multi: [ok] }, [["invalidParams", "-", '"edits", "multi"']]],
    [
      "two names for the list",
      { path: "p", edits: [ok], replacements: [ok] },
      [["invalidParams", "-", '"edits", "replacements"']],
    ],
    ["two names for the path", { path: "p", file_path: "p", ...ok }, [["invalidParams", "-", '"path", "file_path"']]],
    ["two names in an item", { edits: [{ path: "p", uri: "p", ...ok }] }, [["invalidParams", 0, '"path", "uri"']]],
    [
      "two names for a text",
      { path: "p", ...ok, old_string: "a" },
      [["invalidParams", "-", '"oldText", "old_string"']],
    ],
    [
      "texts spelt in two ways in one edit",
      { path: "p", oldText: "a", new_string: "b" },
      [["invalidParams", "-", 'mixes the fields of different tools: "oldText", "new_string"']],
    ],
    [
      "texts spelt in two ways in one call",
      { path: "p", edits: [ok, { old_string: "a", new_string: "b" }] },
      [["invalidParams", "-", '"oldText", "old_string"']],
    ],
    [
      "a single edit next to a list of edits",
      { path: "p", ...ok, edits: [ok] },
      [["invalidParams", "-", '"oldText", "newText", "edits"']],
    ],
    [
      "a choice of matches next to a list of edits",
      { path: "p", replaceAll: true, edits: [ok] },
      [["invalidParams", "-", '"replaceAll", "edits"']],
    ],
    ["nothing in it", {}, [["missingField", "-", "no edits"]]],
    ["only a path", { path: "p" }, [["missingField", "-", "no edits"]]],
    ["an empty list", { path: "p", edits: [] }, [["missingField", "-", "no edits"]]],
    ["an empty list as a string", { path: "p", edits: "[]" }, [["missingField", "-", "no edits"]]],
    ["null for the list", { path: "p", edits: null }, [["missingField", "-", "no edits"]]],
    [
      "a list that is not JSON",
      { path: "p", edits: "[{" },
      [["invalidParams", "-", '"edits" is a string that is not valid JSON']],
    ],
    [
      "a list that is not a list",
      { path: "p", edits: 3 },
      [["invalidParams", "-", '"edits" is wrong: it is the number 3']],
    ],
    [
      "a list that is JSON but not a list",
      { path: "p", edits: "3" },
      [["invalidParams", "-", '"edits" is wrong: it is the number 3']],
    ],
    [
      "items that are not objects",
      { path: "p", edits: ["x", null, ok, [ok]] },
      [
        ["invalidParams", 0, 'it is the string "x", but must be an object'],
        ["invalidParams", 1, "it is null"],
        ["invalidParams", 3, "it is an array"],
      ],
    ],
    ["no path", ok, [["missingPath", 0, "has no path"]]],
    ["no path in an item", { edits: [{ path: "p", ...ok }, ok] }, [["missingPath", 1, "has no path"]]],
    ["an empty path", { path: "", ...ok }, [["missingPath", 0, "is empty"]]],
    ["an empty path of the call is reported once", { path: "", edits: [ok, ok] }, [["missingPath", "-", "is empty"]]],
    ["an empty path does not inherit", { path: "p", edits: [{ path: "", ...ok }] }, [["missingPath", 0, "is empty"]]],
    ["everything that an edit lacks is listed", { oldText: "a" }, [["missingField", 0, 'lacks "path", "newText"']]],
    [
      "what an edit lacks, in the caller's own spelling",
      { edits: [{ file_path: "p", old_string: "a", new_string: "b" }, { old_string: "a" }] },
      [["missingField", 1, 'lacks "file_path", "new_string"']],
    ],
    [
      "what an edit lacks, in the spelling of the shape",
      { edits: [{ old_string: "a" }] },
      [["missingField", 0, 'lacks "file_path", "new_string"']],
    ],
    [
      "an incomplete edit before multi, whose items count from 1",
      { path: "p", oldText: "a", multi: [ok, { oldText: "a" }] },
      [
        ["missingField", 0, 'lacks "newText"'],
        ["missingField", 2, 'lacks "newText"'],
      ],
    ],
    ["null for a text", { path: "p", oldText: "a", newText: null }, [["missingField", 0, 'lacks "newText"']]],
    [
      "types are not coerced",
      {
        path: 1,
        edits: [
          { oldText: 2, newText: true, replaceAll: "true" },
          { path: [], ...ok, line: "1" },
        ],
      },
      [
        ["invalidParams", "-", '"path" is wrong: it is the number 1, but must be a string'],
        ["invalidParams", 0, '"oldText" is wrong: it is the number 2, but must be a string'],
        ["invalidParams", 0, '"newText" is wrong: it is true, but must be a string'],
        ["invalidParams", 0, '"replaceAll" is wrong: it is the string "true", but must be true or false'],
        ["invalidParams", 1, '"path" is wrong: it is an array'],
        ["invalidParams", 1, '"line" is wrong: it is the string "1", but must be an integer'],
      ],
    ],
    [
      "numbers that can't count anything",
      {
        path: "p",
        edits: [
          { ...ok, occurrence: 0 },
          { ...ok, line: 1.5 },
          { ...ok, replaceAll: true, expected_count: -1 },
        ],
      },
      [
        ["invalidParams", 0, '"occurrence" is wrong: it is the number 0, but must be 1 or more'],
        ["invalidParams", 1, '"line" is wrong: it is the number 1.5, but must be an integer'],
        ["invalidParams", 2, '"expected_count" is wrong: it is the number -1, but must be 1 or more'],
      ],
    ],
    [
      "occurrence and line",
      { path: "p", ...ok, occurrence: 1, line: 1 },
      [["invalidParams", 0, "occurrence and line"]],
    ],
    [
      "occurrence and replaceAll",
      { path: "p", ...ok, occurrence: 1, replaceAll: true },
      [["invalidParams", 0, "occurrence selects"]],
    ],
    ["line and replaceAll", { path: "p", ...ok, line: 1, replaceAll: true }, [["invalidParams", 0, "line selects"]]],
    ["expectedCount alone", { path: "p", ...ok, expectedCount: 2 }, [["invalidParams", 0, "without replaceAll"]]],
    [
      "a misspelt key, without a complaint that its field is missing",
      { path: "p", edits: [{ oldTxet: "a", newText: "b" }] },
      [["unknownField", 0, '"oldTxet"; did you mean "oldText"?']],
    ],
    [
      "a key in another case",
      { path: "p", ...ok, replaceALL: true },
      [["unknownField", "-", '"replaceALL"; did you mean "replaceAll"?']],
    ],
    [
      "a misspelt path, without a complaint that edits lack a path",
      { file_paht: "p", edits: [ok] },
      [["unknownField", "-", 'did you mean "file_path"?']],
    ],
    ["a misspelt list", { path: "p", edit: [ok] }, [["unknownField", "-", 'did you mean "edits"?']]],
    [
      "a misspelt key is corrected to the spelling that the call uses for its texts",
      { path: "p", oldText: "a", "new-text": "b" },
      [["unknownField", "-", 'did you mean "newText"?']],
    ],
    [
      "a misspelt key and a field that is really missing",
      { edits: [{ old_strng: "a" }] },
      [
        ["unknownField", 0, 'did you mean "old_string"?'],
        ["missingField", 0, 'lacks "path", "newText"'],
      ],
    ],
    ["a list in an item", { path: "p", edits: [{ ...ok, edits: [] }] }, [["unknownField", 0, 'has the field "edits"']]],
    [
      "options in an item",
      { path: "p", edits: [{ ...ok, options: {} }] },
      [["unknownField", 0, 'has the field "options"']],
    ],
    [
      "half a character",
      {
        path: "p",
        edits: [
          { oldText: lone, newText: "b" },
          { old_path: 1, oldText: "😀", newText: lone },
          { path: lone, ...ok },
        ],
      },
      [
        ["invalidParams", 0, '"oldText" of edit 0 (p) contains half a character (a lone surrogate) at offset 1'],
        ["invalidParams", 1, '"newText" of edit 1 (p)'],
        ["invalidParams", 2, '"path" of edit 2 (x\ufffd)'],
      ],
    ],
    [
      "a path that is too long",
      { path: "p".repeat(limits.pathLength + 1), edits: [ok] },
      [["tooLarge", "-", "the length of the path is 4,097 characters"]],
    ],
  ];
  test.each(rows)("%s", (_, call, expected) => {
    const decoded = decode(call);
    if (decoded.ok) throw new Error("the call was not refused");
    expect(decoded.failures.map(({ code, index }) => [code, index ?? "-"])).toEqual(
      expected.map(([code, index]) => [code, index]),
    );
    for (const [i, [, , part]] of expected.entries()) expect(decoded.failures[i]?.message).toContain(part);
  });

  test("a failure names the path as the caller spelt it, whether inherited or the edit's own", () => {
    const decoded = decode({ path: "./p", edits: [{ oldText: "a" }, { path: "@q", oldText: "a" }] });
    expect(decoded).toMatchObject({ ok: false, failures: [{ path: "./p" }, { path: "@q" }] });
  });
});

describe("unknown keys", () => {
  const call = { path: "p", oldText: "a", newText: "b" };
  const warningsOf = (params: unknown): readonly string[] => {
    const decoded = decode(params);
    if (!decoded.ok) throw new Error(decoded.failures[0]?.message);
    return decoded.warnings;
  };

  test("one that resembles no known name is ignored with a single warning", () => {
    const item = { ...call, explanation: "why", instruction: null };
    expect(warningsOf({ explanation: "why", edits: [item, item] })).toEqual([
      'ignored the unknown field "explanation"',
      'ignored the unknown field "instruction"',
    ]);
  });

  test("the names of built-in properties are ordinary unknown keys", () => {
    const params: unknown = JSON.parse(
      '{"__proto__":{"oldText":"z"},"constructor":1,"hasOwnProperty":2,"toString":3,"path":"p","oldText":"a","newText":"b"}',
    );
    expect(warningsOf(params)).toEqual(
      ["__proto__", "constructor", "hasOwnProperty", "toString"].map((key) => `ignored the unknown field "${key}"`),
    );
    const options: unknown = JSON.parse(
      '{"path":"p","oldText":"a","newText":"b","options":{"__proto__":{"atomic":"file"}}}',
    );
    expect(decode(options)).toMatchObject({
      ok: true,
      options: {},
      warnings: ['ignored the unknown field "options.__proto__"'],
    });
  });

  test("warnings about many are limited in number and length, and none is ignored silently", () => {
    const many = Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`zz${i}${"y".repeat(200)}`, i]));
    const warnings = warningsOf({ ...call, ...many });
    expect(warnings).toHaveLength(limits.unknownFieldWarnings);
    expect(warnings.at(-1)).toBe("ignored 16 more unknown fields");
    for (const warning of warnings) expect(warning.length).toBeLessThan(100);
  });

  test("very many make the call fail", () => {
    const many = Object.fromEntries(Array.from({ length: limits.unknownFields + 5 }, (_, i) => [`zz${i}`, i]));
    expect(decode({ ...call, ...many })).toMatchObject({ ok: false, failures: [{ code: "tooLarge" }] });
  });

  test("every slight misspelling of a known name is recognised", () => {
    for (const name of knownSpellings.filter((each) => each.replaceAll("_", "").length >= 5)) {
      for (let i = 0; i < name.length; i++) {
        const [before, here, after] = [name.slice(0, i), name[i], name.slice(i + 1)];
        const slips = [`${before}${after}`, `${before}${here}#${after}`, `${before}#${after}`];
        if (after !== "") slips.push(`${before}${after[0]}${here}${after.slice(1)}`);
        for (const slip of [...slips, name.toUpperCase(), name.replaceAll("_", "-")]) {
          expect(nearestName(slip, knownSpellings), slip).toBeDefined();
        }
      }
    }
  });

  test.each([
    ["Path", "path"],
    ["URI", "uri"],
    ["paths", "path"],
    ["ptach", "patch"],
    ["old-text", "old_text"],
    ["new_sting", "new_string"],
    ["newStrng", "newString"],
    ["replaceal", "replaceAll"],
    ["expectdCont", "expectedCount"],
    ["lines", "line"],
    ["option", "options"],
    ["optionss_", "options"],
  ])("%s means %s", (slip, name) => {
    expect(nearestName(slip, knownSpellings)).toBe(name);
  });

  test.each([
    ["explanation"],
    ["instruction"],
    ["description"],
    ["reason"],
    ["command"],
    ["mode"],
    ["content"],
    ["old"],
    ["new"],
    ["url"],
    ["file"],
    ["linen0"],
    ["id"],
    [""],
    ["oldText".repeat(10)],
  ])("%s resembles no known name", (key) => {
    expect(nearestName(key, knownSpellings)).toBeUndefined();
  });
});
