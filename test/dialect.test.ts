/** The calls that may be sent: their shapes, options and limits. */
import { describe, expect, test } from "vitest";
import { decodeCall } from "../server/dialect/decode.js";
import { callFields, editFields, fieldsBySpelling, textStyles } from "../server/dialect/fields.js";
import type { Operation } from "../server/plan/operation.js";
import { indicesOf } from "../server/plan/operation.js";
import { limits } from "../server/text/limits.js";
import { decode, edit, integration, model } from "./support/decoding.js";

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
      "a single edit that fits no row of the table",
      { path: "p", old_text: "a", new_text: "b" },
      "pi",
      "original",
      [edit(0, "p", "a", "b")],
    ],
    [
      "a text editor's command",
      { command: "str_replace", path: "p", old_str: "a", new_str: "b" },
      "text_editor",
      "sequential",
      [edit(0, "p", "a", "b")],
    ],
    [
      "a list that fits no row of the table",
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
    ["input, as Codex's own tool calls it", { input: patch }, "patch", "sequential", sections],
    ["a patch alone", patch, "patch", "sequential", sections],
    ["a patch alone in an array", [patch], "patch", "sequential", sections],
    ["params in an array", [{ path: "p", ...batch }], "pi", "original", [edit(0, "p", "a", "b")]],
    ["creation", { path: "p", oldText: "", newText: "b" }, "pi", "original", [edit(0, "p", "", "b")]],
    [
      "null for fields that may be absent",
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
      "compatible ways to choose matches",
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

  test("every option is read; null counts as absent", () => {
    expect(decode({ ...call, options })).toMatchObject({ ok: true, options });
    const none = Object.fromEntries(Object.keys(options).map((key) => [key, null]));
    expect(decode({ ...call, options: none })).toMatchObject({ ok: true, options: {} });
  });

  test("overwrite may be a question to the user, but nothing else", () => {
    expect(decode({ ...call, options: { overwrite: "ask" } })).toMatchObject({
      ok: true,
      options: { overwrite: "ask" },
    });
    const refused = decode({ ...call, options: { overwrite: "yes" } });
    expect(refused).toMatchObject({ ok: false, failures: [{ code: "invalidParams" }] });
    expect(JSON.stringify(refused)).toContain('must be one of true, false, \\"ask\\"');
  });

  test("lenient decides how a patch is read; without it, the door decides, and the default is lenient", () => {
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

  test("a model may not set any", () => {
    for (const value of [options, {}, "x", 1]) {
      const decoded = decodeCall({ ...call, options: value }, model);
      expect(decoded).toMatchObject({ ok: false, failures: [{ code: "invalidParams" }] });
    }
    expect(decodeCall({ ...call, options: null }, model)).toMatchObject({ ok: true });
  });

  test("each wrong one is named, and so are the mistakes in the edits", () => {
    const wrong = { atomic: "some", lenient: "no", versions: { x: "1" }, lable: "l", root: "", label: 3 };
    const decoded = decode({ path: "p", oldText: "a", options: wrong });
    if (decoded.ok) throw new Error("the call was not refused");
    const messages = decoded.failures.map(({ message }) => message);
    expect(messages).toHaveLength(7);
    for (const part of [
      '"options.atomic" is wrong: it is the string "some", but must be one of "all", "file", "none"',
      '"options.lenient" is wrong: it is the string "no", but must be true or false',
      '"options.versions" is wrong: it is the string "1", but must be an integer',
      '"options.lable"; did you mean "options.label"?',
      '"options.root" is wrong: it is the string ""',
      '"options.label" is wrong: it is the number 3, but must be a string',
      'lacks "newText"',
    ]) {
      expect(messages.filter((message) => message.includes(part))).toHaveLength(1);
    }
  });

  test("they must be an object, and the length of a label is limited", () => {
    expect(decode({ ...call, options: "{}" })).toMatchObject({ ok: false, failures: [{ code: "invalidParams" }] });
    expect(decode({ ...call, options: { label: "l".repeat(limits.label) } })).toMatchObject({ ok: true });
    const long = decode({ ...call, options: { label: "l".repeat(limits.label + 1) } });
    expect(long).toMatchObject({ ok: false, failures: [{ code: "tooLarge" }] });
  });

  test("an unknown one is ignored with a warning", () => {
    expect(decode({ ...call, options: { theme: 1 } })).toMatchObject({
      ok: true,
      warnings: ['ignored the unknown field "options.theme"'],
    });
  });
});

describe("limits", () => {
  const item = { oldText: "a", newText: "b" };

  test("the largest number of edits that is allowed, and one more", () => {
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
    if (decoded.ok) throw new Error("the call was not refused");
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
