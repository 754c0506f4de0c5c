/**
 * Patches that add, rename and delete files, applied by the client from the answer or by the server through the editor.
 */
import { describe, expect, it } from "vitest";
import {
  type Desk,
  type DeskOptions,
  failed,
  layDesk,
  patchOf,
  serverForDesks,
  throughEditor,
} from "./support/desk.js";

const program = serverForDesks();

const start = (options: DeskOptions = {}): Promise<Desk> => layDesk(program, { proofTimeout: 300, ...options });

/** Files of all kinds: open with unsaved changes, open and saved, and not open. */
const files = {
  "unsaved.txt": "on disk\n",
  "closed.txt": "one\r\nold\r\n",
  "gone.bin": new Uint8Array([0, 1, 2, 255]),
  "gone.txt": "to be deleted\n",
};
const open = { "unsaved.txt": "typed\nold\n", "saved.txt": "one\nold\n", "shown.txt": "to be deleted, too\n" };
const patch = patchOf(
  "*** Delete File: gone.bin",
  "*** Update File: unsaved.txt",
  "*** Move to: dir/moved.txt",
  "@@",
  "-old",
  "+new",
  "*** Delete File: gone.txt",
  "*** Add File: dir/added.txt",
  "+added",
  "*** Update File: saved.txt",
  "@@",
  "-old",
  "+new",
  "*** Update File: closed.txt",
  "*** Move to: other.txt",
  "*** Delete File: shown.txt",
);

/** The option `overwrite` allows a file with unsaved changes to be moved. */
const everything = { ...patch, options: { overwrite: true } };

/** Two sections, the second of which reverts the first. */
const toAndFro = (path: string): string[] =>
  ["b", "B"].flatMap((text, i) => [`*** Update File: ${path}`, "@@", `-${text}`, `+${["B", "b"][i]}`]);

describe("the answer to the request", () => {
  it("holds creations, edits, renames and deletions, in this order, and no options", async () => {
    const { propose, uri, disk } = await start({ files, open });
    const before = disk();
    const answer = await propose(everything);
    expect(answer.outcome).toBe("proposed");
    expect(answer.edit?.documentChanges).toEqual([
      { kind: "create", uri: uri("dir/added.txt") },
      { textDocument: { uri: uri("unsaved.txt"), version: 1 }, edits: [expect.objectContaining({ newText: "new" })] },
      {
        textDocument: { uri: uri("dir/added.txt"), version: null },
        edits: [expect.objectContaining({ newText: "added\n" })],
      },
      { textDocument: { uri: uri("saved.txt"), version: 1 }, edits: [expect.objectContaining({ newText: "new" })] },
      { kind: "rename", oldUri: uri("unsaved.txt"), newUri: uri("dir/moved.txt") },
      { kind: "rename", oldUri: uri("closed.txt"), newUri: uri("other.txt") },
      { kind: "delete", uri: uri("gone.bin") },
      { kind: "delete", uri: uri("gone.txt") },
      { kind: "delete", uri: uri("shown.txt") },
    ]);
    expect(disk()).toEqual(before);
  });

  it("says what happens to each file, both in fields and in text that Codex's command would print", async () => {
    const { propose } = await start({ files, open });
    const { files: told, text, label } = await propose(everything);
    expect(text.split("\n")).toEqual([
      label,
      "A dir/added.txt",
      "M dir/moved.txt",
      "M saved.txt",
      "M other.txt",
      "D gone.bin",
      "D gone.txt",
      "D shown.txt",
    ]);
    expect(told).toMatchObject([
      { path: "gone.bin", kind: "delete", version: null, firstChangedLine: 0, added: 0, removed: 0 },
      { path: "unsaved.txt", kind: "rename", newPath: "dir/moved.txt", version: 1, firstChangedLine: 2, added: 1 },
      { path: "gone.txt", kind: "delete", firstChangedLine: 0, added: 0, removed: 1 },
      { path: "dir/added.txt", kind: "create", firstChangedLine: 1, added: 1 },
      { path: "saved.txt", kind: "update" },
      { path: "closed.txt", kind: "rename", newPath: "other.txt", firstChangedLine: 0, added: 0, removed: 0 },
      { path: "shown.txt", kind: "delete", version: 1 },
    ]);
    for (const one of told) expect(one).not.toHaveProperty("overwritten");
  });

  it("produces the planned tree when the client applies it", async () => {
    const { editor, propose, texts, disk } = await start({ files, open });
    const { edit } = await propose(everything);
    await editor.apply(edit!);
    expect(texts()).toEqual({ "dir/moved.txt": "typed\nnew\n", "saved.txt": "one\nnew\n" });
    expect(disk()).toEqual({
      "dir/added.txt": "added\n",
      "dir/moved.txt": "on disk\n",
      "saved.txt": "one\nold\n",
      "other.txt": "one\r\nold\r\n",
    });
  });

  it("deletes a file that makes room before the rename, but names only the rename", async () => {
    const { editor, propose, uri, disk, texts } = await start({ files: { "b.txt": "b\n" }, open: { "a.txt": "a\n" } });
    const patch = patchOf("*** Update File: a.txt", "*** Move to: b.txt", "@@", "-a", "+A");
    const answer = await propose({ ...patch, options: { overwrite: true } });
    expect(answer.edit?.documentChanges).toMatchObject([
      { textDocument: { uri: uri("a.txt"), version: 1 } },
      { kind: "delete", uri: uri("b.txt") },
      { kind: "rename", oldUri: uri("a.txt"), newUri: uri("b.txt") },
    ]);
    expect(answer.text).toBe(`${answer.label}\nM b.txt`);
    expect(answer.files).toMatchObject([
      { path: "a.txt", kind: "rename", overwritten: true },
      { path: "b.txt", kind: "delete" },
    ]);
    await editor.apply(answer.edit!);
    expect(disk()).toEqual({ "b.txt": "a\n" });
    expect(texts()).toEqual({ "b.txt": "A\n" });
  });

  it("creates a file, with its text, under a name that a rename has made free", async () => {
    const { editor, propose, uri, disk, texts } = await start({ open: { "a.txt": "a\n" } });
    const patch = patchOf(
      "*** Update File: a.txt",
      "*** Move to: b.txt",
      "@@",
      "-a",
      "+A",
      "*** Add File: a.txt",
      "+new",
    );
    const answer = await propose(patch);
    expect(answer.edit?.documentChanges).toMatchObject([
      { textDocument: { uri: uri("a.txt"), version: 1 } },
      { kind: "rename", oldUri: uri("a.txt"), newUri: uri("b.txt") },
      { kind: "create", uri: uri("a.txt") },
      { textDocument: { uri: uri("a.txt"), version: null }, edits: [{ newText: "new\n" }] },
    ]);
    await editor.apply(answer.edit!);
    expect(disk()).toEqual({ "a.txt": "new\n", "b.txt": "a\n" });
    expect(texts()).toEqual({ "b.txt": "A\n" });
  });

  it.each([
    [
      "a section that changes nothing",
      ["*** Update File: b.txt", "@@", " b", "*** Update File: a.txt", "@@", "-a", "+A"],
    ],
    [
      "an Add of the text that is already there",
      ["*** Add File: b.txt", "+b", "*** Update File: a.txt", "@@", "-a", "+A"],
    ],
    ["a chain back to the start", [...toAndFro("b.txt"), "*** Update File: a.txt", "@@", "-a", "+A"]],
  ])("does not list a file that stays as it is: %s", async (_, lines) => {
    const { propose } = await start({ files: { "b.txt": "b\n" }, open: { "a.txt": "a\n" } });
    const { files, label, text } = await propose(patchOf(...lines));
    expect(files.map(({ path }) => path)).toEqual(["a.txt"]);
    expect([label, text]).toEqual(["a.txt (1 edit)", "a.txt (1 edit)\nM a.txt"]);
  });

  it("lists nothing if nothing changes, and still reports success", async () => {
    const { propose, apply } = await start({ files: { "b.txt": "b\n" } });
    for (const answer of [await propose(patchOf(...toAndFro("b.txt"))), await apply(patchOf(...toAndFro("b.txt")))]) {
      expect(answer).toMatchObject({ files: [], diff: "", text: "b.txt (2 edits)", edit: { documentChanges: [] } });
      expect(answer).not.toHaveProperty("transaction");
    }
  });

  it("overwrites a file by editing its whole text, which the text of the answer shows as A", async () => {
    const { editor, propose, texts } = await start({ open: { "a.txt": "one\r\ntwo\r\n" } });
    const answer = await propose(patchOf("*** Add File: a.txt", "+new"));
    expect(answer.files).toMatchObject([{ kind: "update", overwritten: true }]);
    expect(answer.text).toBe("a.txt (1 edit)\nA a.txt");
    await editor.apply(answer.edit!);
    expect(texts()).toEqual({ "a.txt": "new\r\n" });
  });

  it.each([
    ["create", patchOf("*** Add File: new.txt", "+x")],
    ["rename", patchOf("*** Update File: a.txt", "*** Move to: b.txt")],
    ["delete", patchOf("*** Delete File: a.txt")],
  ])("is the failure clientCapability if the editor does not support %s", async (missing, patch) => {
    const resourceOperations = (["create", "rename", "delete"] as const).filter((kind) => kind !== missing);
    const workspaceEdit = { documentChanges: true, resourceOperations };
    const { propose, apply, disk } = await start({
      open: { "a.txt": "a\n" },
      capabilities: { workspace: { applyEdit: true, workspaceEdit } },
    });
    for (const door of [propose, apply]) {
      const failure = await failed(door(throughEditor(patch)));
      expect(failure.codes).toEqual(["clientCapability"]);
      expect(failure.message).toContain(`"${missing}"`);
    }
    expect(disk()).toEqual({ "a.txt": "a\n" });
  });
});

describe("the command", () => {
  it("has the editor do everything if the caller asks for it, one request each: texts, creations, renames, deletions", async () => {
    const { editor, apply, texts, disk, uri } = await start({ files, open });
    const answer = await apply(throughEditor(everything));
    expect(answer).toMatchObject({ applied: true, outcome: "applied" });
    expect(editor.refusals).toEqual([]);
    expect(editor.asked.map(({ edit }) => edit.documentChanges)).toMatchObject([
      [{ textDocument: { uri: uri("unsaved.txt"), version: 1 } }],
      [{ textDocument: { uri: uri("saved.txt"), version: 1 } }],
      [{ kind: "create", uri: uri("dir/added.txt") }],
      [{ textDocument: { uri: uri("dir/added.txt") } }],
      [{ kind: "rename", oldUri: uri("unsaved.txt"), newUri: uri("dir/moved.txt") }],
      [{ kind: "rename", oldUri: uri("closed.txt"), newUri: uri("other.txt") }],
      [{ kind: "delete", uri: uri("gone.bin") }],
      [{ kind: "delete", uri: uri("gone.txt") }],
      [{ kind: "delete", uri: uri("shown.txt") }],
    ]);
    expect(texts()).toEqual({ "dir/moved.txt": "typed\nnew\n", "saved.txt": "one\nnew\n", "dir/added.txt": "added\n" });
    expect(disk()).toEqual({
      "dir/added.txt": "",
      "dir/moved.txt": "on disk\n",
      "saved.txt": "one\nold\n",
      "other.txt": "one\r\nold\r\n",
    });
    expect(answer.warnings).toEqual([expect.stringMatching(/dir\/added\.txt .*not saved/)]);
    expect(answer.files.map(({ path, onDisk }) => [path, onDisk])).toEqual([
      ["gone.bin", undefined],
      ["unsaved.txt", "differs"],
      ["gone.txt", undefined],
      ["dir/added.txt", "differs"],
      ["saved.txt", "differs"],
      ["closed.txt", undefined],
      ["shown.txt", undefined],
    ]);
  });

  it("has the editor change the files that it has open, and writes the rest itself", async () => {
    const { editor, apply, texts, disk, uri } = await start({ files, open });
    const answer = await apply(everything);
    expect(answer).toMatchObject({ applied: true, outcome: "applied", warnings: [] });
    expect(editor.asked.map(({ edit }) => edit.documentChanges)).toMatchObject([
      [{ textDocument: { uri: uri("unsaved.txt"), version: 1 } }],
      [{ textDocument: { uri: uri("saved.txt"), version: 1 } }],
      [{ kind: "rename", oldUri: uri("unsaved.txt"), newUri: uri("dir/moved.txt") }],
      [{ kind: "delete", uri: uri("shown.txt") }],
    ]);
    expect(texts()).toEqual({ "dir/moved.txt": "typed\nnew\n", "saved.txt": "one\nnew\n" });
    expect(disk()).toEqual({
      "dir/added.txt": "added\n",
      "dir/moved.txt": "on disk\n",
      "saved.txt": "one\nold\n",
      "other.txt": "one\r\nold\r\n",
    });
  });

  it("renames along a chain from its end, and then creates a file under the name that has become free", async () => {
    const { apply, texts, disk, editor } = await start({
      files: { "c.txt": "c\n" },
      open: { "a.txt": "a\n", "b.txt": "b\n" },
    });
    const answer = await apply(
      patchOf(
        "*** Update File: c.txt",
        "*** Move to: d.txt",
        "*** Update File: b.txt",
        "*** Move to: c.txt",
        "*** Update File: a.txt",
        "*** Move to: b.txt",
        "@@",
        "-a",
        "+A",
        "*** Add File: a.txt",
        "+new",
      ),
    );
    expect(answer).toMatchObject({ applied: true });
    expect(texts()).toEqual({ "b.txt": "A\n", "c.txt": "b\n", "a.txt": "new\n" });
    expect(disk()).toEqual({ "a.txt": "", "b.txt": "a\n", "c.txt": "b\n", "d.txt": "c\n" });
    expect(editor.refusals).toEqual([]);
  });

  it.each([
    ["saved", { "a.txt": "a\n", "b.txt": "b\n" }, { "b.txt": "a\n" }],
    ["kept", { "a.txt": "a\n" }, { "b.txt": "a\n" }],
  ])("moves onto a file that makes room (%s)", async (_, open, after) => {
    const { apply, disk, texts } = await start({ files: { "a.txt": "a\n", "b.txt": "b\n" }, open });
    const patch = patchOf("*** Update File: a.txt", "*** Move to: b.txt", "@@", "-a", "+A");
    const answer = await apply({ ...patch, options: { overwrite: true } });
    expect(answer).toMatchObject({ applied: true, text: `${answer.label}\nM b.txt` });
    expect(disk()).toEqual(after);
    expect(texts()).toEqual({ "b.txt": "A\n" });
  });
});
