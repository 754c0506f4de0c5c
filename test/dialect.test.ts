/** What callers may send, in which shape, and what is said of a call that can't be read. */
import { describe, expect, test } from "vitest";
import type { DecodedCall } from "../server/dialect/decode.js";
import { decodeCall } from "../server/dialect/decode.js";
import { callFields, editFields, fieldsBySpelling, knownSpellings, textStyles } from "../server/dialect/fields.js";
import { nearestName } from "../server/dialect/spelling.js";
import type { EditOperation, Operation } from "../server/plan/operation.js";
import { indicesOf } from "../server/plan/operation.js";
import { limits } from "../server/text/limits.js";

const integration = { optionsAllowed: true };
const model = { optionsAllowed: false };

const decode = (params: unknown): DecodedCall => decodeCall(params, integration);

/** An operation as the decoder should give it, with everything that was not sent at its default. */
const edit = (
  index: number,
  path: string,
  oldText: string,
  newText: string,
  more: Partial<EditOperation> = {},
): EditOperation => ({ kind: "edit", index, path, oldText, newText, replaceAll: false, ...more });

describe("shapes", () => {
  const batch = { oldText: "a", newText: "b" };
  const patch = "*** Begin Patch\n*** Delete File: p\n*** Add File: q\n+a\n*** End Patch";
  const sections: Operation[] = [
    { kind: "delete", index: 0, path: "p", patchLine: 2 },
    { kind: "add", index: 1, path: "q", patchLine: 3, text: "a\n" },
  ];
  const rows: [name: string, call: unknown, shape: string, order: string, operations: Operation[]][] = [
    ["batch", { path: "p", edits: [batch] }, "batch", "sequential", [edit(0, "p", "a", "b")]],
    [
      "batch with every field",
      {
        edits: [
          { path: "p", ...batch, occurrence: 2 },
          { uri: "file:///q", ...batch, line: 7 },
          { path: "r", ...batch, replaceAll: true, expectedCount: 3 },
        ],
      },
      "batch",
      "sequential",
      [
        edit(0, "p", "a", "b", { occurrence: 2 }),
        edit(1, "file:///q", "a", "b", { line: 7 }),
        edit(2, "r", "a", "b", { replaceAll: true, expectedCount: 3 }),
      ],
    ],
    ["pi single", { path: "p", ...batch }, "pi", "original", [edit(0, "p", "a", "b")]],
    [
      "pi multi, where an item overrides the path",
      { path: "p", multi: [batch, { path: "q", oldText: "c", newText: "" }] },
      "pi",
      "original",
      [edit(0, "p", "a", "b"), edit(1, "q", "c", "")],
    ],
    [
      "pi single and multi: the top level comes first, and its path is inherited",
      { path: "p", ...batch, multi: [{ oldText: "c", newText: "d" }] },
      "pi",
      "original",
      [edit(0, "p", "a", "b"), edit(1, "p", "c", "d")],
    ],
    ["pi single with an empty multi", { path: "p", ...batch, multi: [] }, "pi", "original", [edit(0, "p", "a", "b")]],
    [
      "MultiEdit",
      { file_path: "p", edits: [{ old_string: "a", new_string: "b", replace_all: true }] },
      "MultiEdit",
      "sequential",
      [edit(0, "p", "a", "b", { replaceAll: true })],
    ],
    [
      "Edit",
      { file_path: "p", old_string: "a", new_string: "b", replace_all: false },
      "MultiEdit",
      "sequential",
      [edit(0, "p", "a", "b")],
    ],
    [
      "edit_file",
      { path: "p", edits: [{ oldString: "a", newString: "b", replaceAll: true }] },
      "edit_file",
      "sequential",
      [edit(0, "p", "a", "b", { replaceAll: true })],
    ],
    [
      "a single edit_file, as opencode and Copilot send it",
      { filePath: "p", oldString: "a", newString: "b" },
      "edit_file",
      "sequential",
      [edit(0, "p", "a", "b")],
    ],
    [
      "several replacements, as Copilot sends them",
      { replacements: [{ filePath: "p", oldString: "a", newString: "b" }] },
      "edit_file",
      "sequential",
      [edit(0, "p", "a", "b")],
    ],
    [
      "a single edit that no row names",
      { path: "p", old_str: "a", new_str: "b" },
      "pi",
      "original",
      [edit(0, "p", "a", "b")],
    ],
    [
      "a list that no row names",
      { path: "p", edits: [{ old_text: "a", new_text: "b" }] },
      "batch",
      "sequential",
      [edit(0, "p", "a", "b")],
    ],
    [
      "edits as a JSON string",
      { path: "p", edits: JSON.stringify([batch]) },
      "batch",
      "sequential",
      [edit(0, "p", "a", "b")],
    ],
    ["edits as one object", { path: "p", edits: batch }, "batch", "sequential", [edit(0, "p", "a", "b")]],
    [
      "multi as one object in a JSON string",
      { path: "p", multi: JSON.stringify(batch) },
      "pi",
      "original",
      [edit(0, "p", "a", "b")],
    ],
    ["patch", { patch }, "patch", "sequential", sections],
    ["input, as Codex' own tool calls it", { input: patch }, "patch", "sequential", sections],
    ["a patch alone", patch, "patch", "sequential", sections],
    ["a patch alone in an array", [patch], "patch", "sequential", sections],
    ["params in an array", [{ path: "p", ...batch }], "pi", "original", [edit(0, "p", "a", "b")]],
    ["creation", { path: "p", oldText: "", newText: "b" }, "pi", "original", [edit(0, "p", "", "b")]],
    [
      "null for what may be absent",
      {
        path: "p",
        patch: null,
        multi: null,
        oldText: null,
        options: null,
        edits: [
          {
            path: null,
            ...batch,
            replaceAll: null,
            occurrence: null,
            line: null,
            expectedCount: null,
            old_string: null,
          },
        ],
      },
      "batch",
      "sequential",
      [edit(0, "p", "a", "b")],
    ],
    [
      "path and replaceAll under different names in different items",
      {
        edits: [
          { path: "p", ...batch, replace_all: true },
          { file_path: "q", ...batch, replaceAll: true },
          { filePath: "r", ...batch, allow_multiple: true },
        ],
      },
      "batch",
      "sequential",
      [
        edit(0, "p", "a", "b", { replaceAll: true }),
        edit(1, "q", "a", "b", { replaceAll: true }),
        edit(2, "r", "a", "b", { replaceAll: true }),
      ],
    ],
    [
      "choices that do not exclude each other",
      {
        path: "p",
        edits: [
          { ...batch, occurrence: 1, replaceAll: false, expectedCount: 1 },
          { ...batch, replaceAll: true, expectedCount: 2 },
        ],
      },
      "batch",
      "sequential",
      [
        edit(0, "p", "a", "b", { occurrence: 1, expectedCount: 1 }),
        edit(1, "p", "a", "b", { replaceAll: true, expectedCount: 2 }),
      ],
    ],
  ];
  test.each(rows)("%s", (_, call, shape, defaultOrder, operations) => {
    expect(decode(call)).toEqual({ ok: true, shape, operations, options: {}, defaultOrder, warnings: [] });
  });

  test("every spelling in the table is read as its field", () => {
    for (const { oldText, newText } of textStyles) {
      for (const path of editFields.path.spellings) {
        for (const replaceAll of editFields.replaceAll.spellings) {
          for (const expectedCount of editFields.expectedCount.spellings) {
            const one = { [path]: "p", [oldText]: "a", [newText]: "b", [replaceAll]: true, [expectedCount]: 2 };
            const expected = [edit(0, "p", "a", "b", { replaceAll: true, expectedCount: 2 })];
            const lists = [...callFields.edits.spellings, ...callFields.multi.spellings].map((list) => ({
              [list]: [one],
            }));
            for (const call of [one, ...lists]) expect(decode(call)).toMatchObject({ ok: true, operations: expected });
          }
        }
      }
    }
  });

  test("a field has one meaning: no spelling is in the table twice", () => {
    const rows = [...Object.values(editFields), ...Object.values(callFields)];
    expect(rows.flatMap((row) => row.spellings).toSorted()).toEqual([...fieldsBySpelling.keys()].toSorted());
  });
});

describe("failures of a call", () => {
  /** `code`, the index or `-` for the whole call, and a part of the message. */
  type Expected = [code: string, index: number | "-", part: string];
  const ok = { oldText: "a", newText: "b" };
  const lone = `x${"\ud800"}`;
  const deletion = "*** Begin Patch\n*** Delete File: p\n*** End Patch";
  const rows: [name: string, call: unknown, failures: Expected[]][] = [
    ["a number", 5, [["invalidParams", "-", "the number 5"]]],
    ["null", null, [["invalidParams", "-", "null"]]],
    ["nothing", undefined, [["invalidParams", "-", "nothing"]]],
    ["two params", [{}, {}], [["invalidParams", "-", "an array"]]],
    ["a bare string is a patch", "*** Begin Patch", [["patchSyntax", "-", "holds no sections"]]],
    ["a wrapped string is a patch", ["*** Begin Patch"], [["patchSyntax", "-", "holds no sections"]]],
    ["a bare string of JSON", ' {"path": "p"}', [["invalidParams", "-", "a string of JSON"]]],
    ["patch", { patch: "x" }, [["patchSyntax", "-", 'no line is "*** Begin Patch"']]],
    ["an empty patch", { patch: "" }, [["patchSyntax", "-", "there is no patch"]]],
    ["input", { input: "x", options: {} }, [["patchSyntax", "-", 'no line is "*** Begin Patch"']]],
    ["patch that is no string", { patch: 1 }, [["invalidParams", "-", '"patch" is wrong']]],
    ["patch and input", { patch: deletion, input: deletion }, [["invalidParams", "-", '"patch", "input"']]],
    [
      "patch beside an empty list",
      { patch: "x", multi: [] },
      [
        ["invalidParams", "-", 'also has "multi"'],
        ["patchSyntax", "-", 'no line is "*** Begin Patch"'],
      ],
    ],
    ["a patch with half a character", { input: `${deletion}${lone}` }, [["invalidParams", "-", '"input" of the call']]],
    [
      "a patch that is too long",
      { patch: "x".repeat(limits.patchLength + 1) },
      [["tooLarge", "-", "the patch is 16,777,217 characters"]],
    ],
    [
      "a path of a patch that is too long",
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
      [["invalidParams", "-", 'mixes the shapes of different tools: "oldText", "new_string"']],
    ],
    [
      "texts spelt in two ways in one call",
      { path: "p", edits: [ok, { old_string: "a", new_string: "b" }] },
      [["invalidParams", "-", '"oldText", "old_string"']],
    ],
    [
      "a single edit beside edits",
      { path: "p", ...ok, edits: [ok] },
      [["invalidParams", "-", '"oldText", "newText", "edits"']],
    ],
    [
      "a choice beside edits",
      { path: "p", replaceAll: true, edits: [ok] },
      [["invalidParams", "-", '"replaceAll", "edits"']],
    ],
    ["nothing in it", {}, [["missingField", "-", "no edits"]]],
    ["a path alone", { path: "p" }, [["missingField", "-", "no edits"]]],
    ["an empty list", { path: "p", edits: [] }, [["missingField", "-", "no edits"]]],
    ["an empty list as a string", { path: "p", edits: "[]" }, [["missingField", "-", "no edits"]]],
    ["null for the list", { path: "p", edits: null }, [["missingField", "-", "no edits"]]],
    [
      "a list that is no JSON",
      { path: "p", edits: "[{" },
      [["invalidParams", "-", '"edits" is a string that is not JSON']],
    ],
    [
      "a list that is no list",
      { path: "p", edits: 3 },
      [["invalidParams", "-", '"edits" is wrong: it is the number 3']],
    ],
    [
      "a list that is JSON but no list",
      { path: "p", edits: "3" },
      [["invalidParams", "-", '"edits" is wrong: it is the number 3']],
    ],
    [
      "items that are no objects",
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
    ["an empty path of the call is said once", { path: "", edits: [ok, ok] }, [["missingPath", "-", "is empty"]]],
    ["an empty path does not inherit", { path: "p", edits: [{ path: "", ...ok }] }, [["missingPath", 0, "is empty"]]],
    ["an incomplete edit lists all that it lacks", { oldText: "a" }, [["missingField", 0, 'lacks "path", "newText"']]],
    [
      "in the caller's own spelling",
      { edits: [{ file_path: "p", old_string: "a", new_string: "b" }, { old_string: "a" }] },
      [["missingField", 1, 'lacks "file_path", "new_string"']],
    ],
    [
      "in the spelling of the shape",
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
      "numbers that count nothing",
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
      [["invalidParams", 0, "occurrence chooses"]],
    ],
    ["line and replaceAll", { path: "p", ...ok, line: 1, replaceAll: true }, [["invalidParams", 0, "line chooses"]]],
    ["expectedCount alone", { path: "p", ...ok, expectedCount: 2 }, [["invalidParams", 0, "without replaceAll"]]],
    [
      "a misspelt key, and not that its field is missing",
      { path: "p", edits: [{ oldTxet: "a", newText: "b" }] },
      [["unknownField", 0, '"oldTxet"; is "oldText" meant']],
    ],
    [
      "a key in another case",
      { path: "p", ...ok, replaceALL: true },
      [["unknownField", "-", '"replaceALL"; is "replaceAll" meant']],
    ],
    [
      "a misspelt path, which no edit is said to lack",
      { file_paht: "p", edits: [ok] },
      [["unknownField", "-", 'is "file_path" meant']],
    ],
    ["a misspelt list", { path: "p", edit: [ok] }, [["unknownField", "-", 'is "edits" meant']]],
    [
      "a misspelt key is named in the way in which the call spells its texts",
      { path: "p", oldText: "a", "new-text": "b" },
      [["unknownField", "-", 'is "newText" meant']],
    ],
    [
      "a misspelt key beside a field that is really missing",
      { edits: [{ old_strng: "a" }] },
      [
        ["unknownField", 0, 'is "old_string" meant'],
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
        ["invalidParams", 0, '"oldText" of edit 0 (p) holds half a character (a lone surrogate) at offset 1'],
        ["invalidParams", 1, '"newText" of edit 1 (p)'],
        ["invalidParams", 2, '"path" of edit 2 (x\ufffd)'],
      ],
    ],
    [
      "a path that is too long",
      { path: "p".repeat(limits.pathLength + 1), edits: [ok] },
      [["tooLarge", "-", "the path is 4,097 characters"]],
    ],
  ];
  test.each(rows)("%s", (_, call, expected) => {
    const decoded = decode(call);
    if (decoded.ok) throw new Error("it was read");
    expect(decoded.failures.map(({ code, index }) => [code, index ?? "-"])).toEqual(
      expected.map(([code, index]) => [code, index]),
    );
    for (const [i, [, , part]] of expected.entries()) expect(decoded.failures[i]?.message).toContain(part);
  });

  test("a failure names the path as the caller spelt it, inherited or its own", () => {
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

  test("one that resembles nothing is ignored with a warning, once", () => {
    const item = { ...call, explanation: "why", instruction: null };
    expect(warningsOf({ explanation: "why", edits: [item, item] })).toEqual([
      'ignored unknown field "explanation"',
      'ignored unknown field "instruction"',
    ]);
  });

  test("names of an object's own machinery are ordinary unknown keys", () => {
    const params: unknown = JSON.parse(
      '{"__proto__":{"oldText":"z"},"constructor":1,"hasOwnProperty":2,"toString":3,"path":"p","oldText":"a","newText":"b"}',
    );
    expect(warningsOf(params)).toEqual(
      ["__proto__", "constructor", "hasOwnProperty", "toString"].map((key) => `ignored unknown field "${key}"`),
    );
    const options: unknown = JSON.parse(
      '{"path":"p","oldText":"a","newText":"b","options":{"__proto__":{"atomic":"file"}}}',
    );
    expect(decode(options)).toMatchObject({
      ok: true,
      options: {},
      warnings: ['ignored unknown field "options.__proto__"'],
    });
  });

  test("many are warned about in a bounded way, and none is lost silently", () => {
    const many = Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`zz${i}${"y".repeat(200)}`, i]));
    const warnings = warningsOf({ ...call, ...many });
    expect(warnings).toHaveLength(limits.unknownFieldWarnings);
    expect(warnings.at(-1)).toBe("ignored 16 more unknown fields");
    for (const warning of warnings) expect(warning.length).toBeLessThan(100);
  });

  test("very many are too many", () => {
    const many = Object.fromEntries(Array.from({ length: limits.unknownFields + 5 }, (_, i) => [`zz${i}`, i]));
    expect(decode({ ...call, ...many })).toMatchObject({ ok: false, failures: [{ code: "tooLarge" }] });
  });

  test("every slip in a known name is recognised", () => {
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
  ])("%s means nothing that is known", (key) => {
    expect(nearestName(key, knownSpellings)).toBeUndefined();
  });
});

describe("options", () => {
  const call = { path: "p", oldText: "a", newText: "b" };
  const options = {
    root: "/r",
    atomic: "file",
    order: "sequential",
    lenient: false,
    confirm: true,
    label: "why",
    result: "summary",
    save: "never",
    unopened: "editor",
    overwrite: true,
    versions: { "file:///a": 3 },
  };

  test("every option is read; null is none", () => {
    expect(decode({ ...call, options })).toMatchObject({ ok: true, options });
    const none = Object.fromEntries(Object.keys(options).map((key) => [key, null]));
    expect(decode({ ...call, options: none })).toMatchObject({ ok: true, options: {} });
  });

  test("lenient decides how a patch is read; else the door does, and else it is read leniently", () => {
    const fenced = "```\n*** Begin Patch\n*** Delete File: p\n*** End Patch\n```";
    const read = (options: object, lenient?: boolean): boolean[] => {
      const door = { ...integration, ...(lenient === undefined ? {} : { lenient }) };
      return [decodeCall({ patch: fenced, options }, door).ok, decodeCall(fenced, door).ok];
    };
    expect(read({})).toEqual([true, true]);
    expect(read({}, false)).toEqual([false, false]);
    expect(read({ lenient: true }, false)).toEqual([true, false]);
    expect(read({ lenient: false }, true)).toEqual([false, true]);
  });

  test("a model may not set them, whatever they are", () => {
    for (const value of [options, {}, "x", 1]) {
      const decoded = decodeCall({ ...call, options: value }, model);
      expect(decoded).toMatchObject({ ok: false, failures: [{ code: "invalidParams" }] });
    }
    expect(decodeCall({ ...call, options: null }, model)).toMatchObject({ ok: true });
  });

  test("each wrong one is named, with what is wrong in the edits", () => {
    const wrong = { atomic: "some", lenient: "no", versions: { x: "1" }, lable: "l", root: "", label: 3 };
    const decoded = decode({ path: "p", oldText: "a", options: wrong });
    if (decoded.ok) throw new Error("it was read");
    const messages = decoded.failures.map(({ message }) => message);
    expect(messages).toHaveLength(7);
    for (const part of [
      '"options.atomic" is wrong: it is the string "some", but must be one of "all", "file", "none"',
      '"options.lenient" is wrong: it is the string "no", but must be true or false',
      '"options.versions" is wrong: it is the string "1", but must be an integer',
      '"options.lable"; is "options.label" meant',
      '"options.root" is wrong: it is the string ""',
      '"options.label" is wrong: it is the number 3, but must be a string',
      'lacks "newText"',
    ]) {
      expect(messages.filter((message) => message.includes(part))).toHaveLength(1);
    }
  });

  test("they must be an object, and a label is short", () => {
    expect(decode({ ...call, options: "{}" })).toMatchObject({ ok: false, failures: [{ code: "invalidParams" }] });
    expect(decode({ ...call, options: { label: "l".repeat(limits.label) } })).toMatchObject({ ok: true });
    const long = decode({ ...call, options: { label: "l".repeat(limits.label + 1) } });
    expect(long).toMatchObject({ ok: false, failures: [{ code: "tooLarge" }] });
  });

  test("an unknown one is ignored with a warning", () => {
    expect(decode({ ...call, options: { theme: 1 } })).toMatchObject({
      ok: true,
      warnings: ['ignored unknown field "options.theme"'],
    });
  });
});

describe("limits", () => {
  const item = { oldText: "a", newText: "b" };

  test("as many edits as are allowed, and one more", () => {
    const edits = Array.from({ length: limits.editsPerCall }, () => item);
    const decoded = decode({ path: "p", edits });
    expect(decoded.ok && decoded.operations.flatMap(indicesOf)).toEqual(edits.map((_, i) => i));
    const more = decode({ path: "p", edits: [...edits, item] });
    expect(more).toMatchObject({ ok: false, failures: [{ code: "tooLarge" }] });
    expect(!more.ok && more.failures).toHaveLength(1);
    const besideSingle = decode({ path: "p", ...item, multi: edits });
    expect(besideSingle).toMatchObject({ ok: false, failures: [{ code: "tooLarge" }] });
  });

  test("the failures of very many edits are counted, not listed", () => {
    const decoded = decode({ path: "p", edits: Array.from({ length: 1000 }, () => ({ oldText: 1, newText: "b" })) });
    if (decoded.ok) throw new Error("it was read");
    expect(decoded.failures).toHaveLength(limits.failuresPerCall);
    expect(decoded.failures.at(-1)?.message).toContain(`${1000 - limits.failuresPerCall + 1} further failures`);
    const exactly = decode({
      path: "p",
      edits: Array.from({ length: limits.failuresPerCall }, () => ({ newText: "b" })),
    });
    expect(!exactly.ok && exactly.failures.every(({ code }) => code === "missingField")).toBe(true);
  });

  test("a text may be as long as the limit", () => {
    const oldText = "a".repeat(limits.textLength);
    expect(decode({ path: "p", oldText, newText: "b" })).toMatchObject({ ok: true });
    const decoded = decode({ path: "p", edits: [{ oldText: `${oldText}a`, newText: `${oldText}a` }] });
    expect(decoded).toMatchObject({ ok: false, failures: [{ code: "tooLarge" }, { code: "tooLarge" }] });
  });

  test("deep nesting is harmless", () => {
    const deep = "[".repeat(200_000) + "]".repeat(200_000);
    expect(decode({ path: "p", edits: deep }).ok).toBe(false);
    let value: unknown = 0;
    for (let i = 0; i < 100_000; i++) value = { edits: [value] };
    expect(decode(value).ok).toBe(false);
    expect(decode({ path: value, oldText: value, newText: value, extra: value, options: value }).ok).toBe(false);
  });
});
