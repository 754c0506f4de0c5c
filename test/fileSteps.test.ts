/**
 * Renames and deletions that an editor refuses, skips or performs in its own way. The server verifies them on disk and
 * rolls them all back if one fails.
 */
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type Desk,
  type DeskOptions,
  failed,
  layDesk,
  patchOf,
  serverForDesks,
  throughEditor,
  told,
} from "./support/desk.js";
import { rolledBack } from "./support/rolledBack.js";

const program = serverForDesks();

const start = (options: DeskOptions = {}): Promise<Desk> => layDesk(program, { proofTimeout: 300, ...options });

const renameAndChange = patchOf(
  "*** Update File: a.txt",
  "@@",
  "-old a",
  "+new a",
  "*** Update File: b.txt",
  "*** Move to: dir/moved.txt",
  "@@",
  "-old b",
  "+new b",
  "*** Delete File: c.txt",
);
const three = { "a.txt": "old a\n", "b.txt": "old b\n" };
const third = { "c.txt": "c\r\n" };

describe("a rename that the editor", () => {
  it.each([
    ["refuses", "refuses"],
    ["answers with an error", "answersErrors"],
  ] as const)("%s: the texts are rolled back, and everything is as before", async (_, behaviour) => {
    const { editor, apply, texts, disk } = await start({ files: third, open: three });
    const before = disk();
    editor.behave("honest", "honest", behaviour, "honest");
    const failure = await failed(apply(renameAndChange));
    expect(failure.codes).toEqual(["clientRefused"]);
    expect(failure.message).toMatch(/did not rename "b\.txt" to "dir\/moved\.txt".*has its old name/);
    expect(failure.message).toContain(rolledBack("b.txt", "a.txt"));
    expect(failure.edits.map(({ status }) => status)).toEqual(["notAttempted", "failed", "failed", "notAttempted"]);
    expect(texts()).toEqual(three);
    expect(disk()).toEqual(before);
    expect(editor.refusals).toEqual([]);
  });

  it.each([
    ["another file", "somebody else's\n", "failed", ["contentModified"]],
    ["a copy of the file, which may be the editor's own,", "old b\n", "unknown", ["clientDiverged"]],
    ["a copy of the text, which may be the editor's own,", "new b\n", "unknown", ["clientDiverged"]],
  ])(
    "refuses because %s has appeared under the new name: it stays, and the answer says so",
    async (_, text, outcome, codes) => {
      const { editor, apply, texts, disk, root } = await start({ files: third, open: three });
      const before = disk();
      editor.behave("honest", "honest", "refuses", "honest");
      editor.beforeEdits(() => {
        if (editor.asked.length === 3) writeFileSync(join(root, "dir/moved.txt"), text);
      });
      const answer = await told(apply(renameAndChange));
      expect([answer.outcome, answer.codes]).toEqual([outcome, codes]);
      expect(texts()).toEqual(three);
      expect(disk()).toEqual({ ...before, "dir/moved.txt": text });
    },
  );

  it("skips but confirms: it may still happen, so the outcome is unknown, and the texts are rolled back", async () => {
    const { editor, apply, texts, disk } = await start({ files: third, open: three });
    const before = disk();
    editor.behave("honest", "honest", "skipsRenames", "honest");
    const answer = await apply(renameAndChange);
    expect(answer).toMatchObject({ applied: false, outcome: "unknown" });
    expect(answer.warnings[0]).toContain("still has its old name; it may still be renamed");
    expect(answer.warnings[0]).toContain(rolledBack("b.txt", "a.txt"));
    expect(answer.files).toMatchObject([{ path: "b.txt", kind: "rename", added: 0, removed: 0 }]);
    expect(texts()).toEqual(three);
    expect(disk()).toEqual(before);
  });

  it.each(["doesButDenies", "doesButAnswersErrors", "doesButNeverAnswers", "doesButAnswersNull"] as const)(
    "%s: the disk is the proof",
    async (behaviour) => {
      const { editor, apply, texts, disk } = await start({ files: third, open: three, syncs: "beforeAnswer" });
      editor.behave(behaviour);
      expect(await apply(renameAndChange)).toMatchObject({ applied: true, outcome: "applied", warnings: [] });
      expect(texts()).toEqual({ "a.txt": "new a\n", "dir/moved.txt": "new b\n" });
      expect(disk()).toEqual({ "a.txt": "old a\n", "dir/moved.txt": "old b\n" });
    },
  );

  it("saves on the way: the rename is applied", async () => {
    const { apply, texts, disk } = await start({ files: third, open: three, onRename: "saves" });
    const answer = await apply(renameAndChange);
    expect(answer).toMatchObject({ applied: true, outcome: "applied" });
    expect(answer.files[1]).toMatchObject({ kind: "rename", onDisk: "same" });
    expect(texts()).toEqual({ "a.txt": "new a\n", "dir/moved.txt": "new b\n" });
    expect(disk()).toEqual({ "a.txt": "old a\n", "dir/moved.txt": "new b\n" });
  });

  it("saves on the way, and a later step fails: the editor has the old text again, and the answer says that the file has the new one", async () => {
    const { editor, apply, texts, disk } = await start({ files: third, open: three, onRename: "saves" });
    editor.behave("honest", "honest", "honest", "refuses", "honest");
    const { outcome, text } = await told(apply(throughEditor(renameAndChange)));
    expect(outcome).toBe("unknown");
    expect(text).toMatch(/the editor had already saved the edit to disk: b\.txt\./);
    expect(text).toContain(rolledBack("a.txt"));
    expect(texts()).toEqual(three);
    expect(disk()).toEqual({ ...third, "a.txt": "old a\n", "b.txt": "new b\n" });
  });

  it("applies while keeping the document open under its old name: the call succeeds with a warning", async () => {
    const { apply, texts, disk } = await start({ files: third, open: three, onRename: "keepsOpen" });
    const answer = await apply(renameAndChange);
    expect(answer).toMatchObject({ applied: true, outcome: "applied" });
    expect(answer.warnings).toEqual([expect.stringMatching(/^b\.txt was renamed, but .* open under its old name/)]);
    expect(texts()).toEqual({ "a.txt": "new a\n", "b.txt": "new b\n" });
    expect(disk()).toEqual({ "a.txt": "old a\n", "dir/moved.txt": "old b\n" });
  });

  it("handles by closing the document without saving it: the answer says so and reports nothing as applied", async () => {
    const { apply, texts, disk } = await start({ files: third, open: three, onRename: "loses" });
    const answer = await apply(renameAndChange);
    expect(answer).toMatchObject({ applied: false, outcome: "unknown" });
    expect(answer.warnings[0]).toMatch(/asked to rename "b\.txt".*neither the old nor the planned/);
    expect(texts()).toEqual({ "a.txt": "old a\n" });
    expect(disk()).toEqual({ ...third, "a.txt": "old a\n", "dir/moved.txt": "old b\n" });
  });

  it("performs only into existing directories: missing ones are created, and removed again if the rename fails", async () => {
    const { editor, apply, texts, disk, root } = await start({ files: third, open: three, directories: "needed" });
    editor.behave("honest", "honest", "refuses", "honest");
    await failed(apply(renameAndChange));
    expect(() => statSync(join(root, "dir"))).toThrow("ENOENT");
    editor.behave("honest");
    expect(await apply(renameAndChange)).toMatchObject({ applied: true });
    expect(editor.refusals).toEqual([]);
    expect(texts()).toEqual({ "a.txt": "new a\n", "dir/moved.txt": "new b\n" });
    expect(disk()).toEqual({ "a.txt": "old a\n", "dir/moved.txt": "old b\n" });
  });

  it("receives too late, because another program has taken the name: nothing is overwritten, and the texts are rolled back", async () => {
    const { editor, apply, texts, disk, root } = await start({ files: third, open: three });
    editor.beforeEdits(() => {
      if (editor.asked.length !== 2) return;
      mkdirSync(join(root, "dir"));
      writeFileSync(join(root, "dir/moved.txt"), "somebody else's\n");
    });
    const failure = await failed(apply(renameAndChange));
    expect(failure.codes).toEqual(["contentModified"]);
    expect(failure.failures[0]).toMatchObject({ path: "dir/moved.txt" });
    expect(failure.message).toContain(rolledBack("b.txt", "a.txt"));
    expect(texts()).toEqual(three);
    expect(disk()).toEqual({ ...three, ...third, "dir/moved.txt": "somebody else's\n" });
  });

  it("receives too late, because the file no longer exists: the rest is rolled back", async () => {
    const { editor, apply, texts, disk, root } = await start({
      files: { "b.txt": "b\n" },
      open: { "a.txt": "old a\n" },
    });
    editor.beforeEdits(() => rmSync(join(root, "b.txt"), { force: true }));
    const patch = patchOf(
      "*** Update File: a.txt",
      "@@",
      "-old a",
      "+new a",
      "*** Update File: b.txt",
      "*** Move to: c.txt",
    );
    const failure = await failed(apply(throughEditor(patch)));
    expect(failure.codes).toEqual(["fileNotFound"]);
    expect(failure.message).toContain(rolledBack("a.txt"));
    expect(texts()).toEqual({ "a.txt": "old a\n" });
    expect(disk()).toEqual({ "a.txt": "old a\n" });
  });

  it("performs while the user types: the typed text is kept", async () => {
    const desk = await start({ files: third, open: three });
    desk.editor.beforeEdits(async () => {
      if (desk.editor.asked.length === 3) await desk.typeBefore("b.txt", "new b", "typed ");
    });
    expect(await desk.apply(renameAndChange)).toMatchObject({ applied: true });
    expect(desk.texts()).toEqual({ "a.txt": "new a\n", "dir/moved.txt": "typed new b\n" });
  });
});

describe("a deletion that the editor", () => {
  it("refuses, after renames and new files: everything is rolled back, the last step first", async () => {
    const { editor, apply, texts, disk } = await start({ files: third, open: three });
    const before = disk();
    const patch = patchOf(...renameAndChange.patch.split("\n").slice(1, -2), "*** Add File: new.txt", "+x");
    editor.behave("honest", "honest", "honest", "honest", "honest", "refuses", "honest");
    const failure = await failed(apply(throughEditor(patch)));
    expect(failure.message).toMatch(/did not delete "c\.txt".*the file still exists/);
    expect(failure.message).toContain(rolledBack("b.txt", "new.txt", "a.txt"));
    expect(texts()).toEqual(three);
    expect(disk()).toEqual(before);
    expect(editor.refusals).toEqual([]);
  });

  it("confirms but does not perform: it may still happen, so the outcome is unknown", async () => {
    const { editor, apply, texts, disk } = await start({ files: third, open: three });
    editor.behave("honest", "honest", "honest", "lies", "honest");
    const answer = await apply(throughEditor(renameAndChange));
    expect(answer).toMatchObject({ applied: false, outcome: "unknown" });
    expect(answer.warnings[0]).toContain("the file still exists; it may still be deleted");
    expect(answer.files).toMatchObject([{ path: "c.txt", kind: "delete" }]);
    expect(texts()).toEqual(three);
    expect(disk()).toEqual({ ...three, ...third });
  });

  it("performed before refusing the next one: the file is written again byte for byte, with its mode", async () => {
    const bytes = new Uint8Array([0, 255, 13, 10, 1]);
    const { editor, apply, root } = await start({ files: { "x.bin": bytes, "y.txt": "y\n" } });
    chmodSync(join(root, "x.bin"), 0o751);
    editor.behave("honest", "refuses");
    const failure = await failed(apply(throughEditor(patchOf("*** Delete File: x.bin", "*** Delete File: y.txt"))));
    expect(failure.message).toContain(rolledBack("x.bin"));
    expect(new Uint8Array(readFileSync(join(root, "x.bin")))).toEqual(bytes);
    expect(statSync(join(root, "x.bin")).mode & 0o7777).toBe(0o751);
  });

  it("performed before another file appeared under the name: that file stays, and the answer says so", async () => {
    const { editor, apply, disk, root } = await start({ files: { "x.txt": "x\n", "y.txt": "y\n" } });
    editor.behave("honest", "refuses");
    editor.beforeEdits(() => {
      if (editor.asked.length === 2) writeFileSync(join(root, "x.txt"), "somebody else's\n");
    });
    const { outcome, text, edits } = await told(
      apply(throughEditor(patchOf("*** Delete File: x.txt", "*** Delete File: y.txt"))),
    );
    expect(outcome).toBe("unknown");
    expect(text).toMatch(/still deleted.*: x\.txt\./);
    expect(edits.map(({ status }) => status)).toEqual(["applied", "failed"]);
    expect(disk()).toEqual({ "x.txt": "somebody else's\n", "y.txt": "y\n" });
  });

  it("performed on a document with unsaved text before refusing the next one: both texts are restored", async () => {
    const { editor, apply, texts, disk } = await start({
      files: { "x.txt": "on disk\n", "y.txt": "y\n" },
      open: { "x.txt": "unsaved\n" },
    });
    editor.behave("honest", "refuses", "honest");
    const patch = patchOf("*** Delete File: x.txt", "*** Delete File: y.txt");
    const failure = await failed(apply(throughEditor({ ...patch, options: { overwrite: true } })));
    expect(failure.message).toContain(rolledBack("x.txt"));
    expect(texts()).toEqual({ "x.txt": "unsaved\n" });
    expect(disk()).toEqual({ "x.txt": "on disk\n", "y.txt": "y\n" });
  });

  it("is asked for after the user has typed into the file: the file is dirty, and the rest is rolled back", async () => {
    const desk = await start({ open: { "a.txt": "old a\n", "x.txt": "x\n" } });
    desk.editor.beforeEdits(async () => {
      if (desk.editor.asked.length === 1) await desk.typeBefore("x.txt", "x", "typed ");
    });
    const patch = patchOf("*** Update File: a.txt", "@@", "-old a", "+new a", "*** Delete File: x.txt");
    const failure = await failed(desk.apply(patch));
    expect(failure.codes).toEqual(["dirty"]);
    expect(failure.message).toContain(rolledBack("a.txt"));
    expect(desk.texts()).toEqual({ "a.txt": "old a\n", "x.txt": "typed x\n" });
    expect(desk.disk()).toEqual({ "a.txt": "old a\n", "x.txt": "x\n" });
  });

  it("is asked for after another program has changed the file: the call is planned again and deletes the changed file", async () => {
    const { editor, apply, disk, root } = await start({ files: { "x.txt": "x\n" }, open: { "a.txt": "old a\n" } });
    editor.beforeEdits(() => writeFileSync(join(root, "x.txt"), "other\n"));
    const patch = patchOf("*** Update File: a.txt", "@@", "-old a", "+new a", "*** Delete File: x.txt");
    const answer = await apply(throughEditor(patch));
    expect(answer.outcome).toBe("applied");
    expect(answer.diff).toContain("-other\n");
    expect(disk()).toEqual({ "a.txt": "old a\n" });
  });

  it("performs on the file alone, keeping the document open: the call succeeds with a warning", async () => {
    const { apply, texts, disk } = await start({ open: { "x.txt": "x\n" }, onDelete: "keepsOpen" });
    const answer = await apply(patchOf("*** Delete File: x.txt"));
    expect(answer).toMatchObject({ applied: true, outcome: "applied" });
    expect(answer.warnings).toEqual([expect.stringMatching(/^x\.txt was deleted, but the editor still has it open/)]);
    expect(texts()).toEqual({ "x.txt": "x\n" });
    expect(disk()).toEqual({});
  });
});

describe("a document whose file no longer exists", () => {
  it.each([
    ["renamed", patchOf("*** Update File: a.txt", "*** Move to: b.txt")],
    ["deleted", patchOf("*** Delete File: a.txt")],
  ])("is not %s: nothing on disk could prove the change", async (_, patch) => {
    const { apply, texts, disk, root } = await start({ open: { "a.txt": "a\n" } });
    rmSync(join(root, "a.txt"));
    const failure = await failed(apply({ ...patch, options: { overwrite: true } }));
    expect(failure.codes).toEqual(["dirty"]);
    expect(failure.message).toContain("has no file on disk");
    expect(texts()).toEqual({ "a.txt": "a\n" });
    expect(disk()).toEqual({});
  });
});

describe("a file that is not open, changed and renamed,", () => {
  const files = { "x.txt": "one\r\nold\r\n" };
  const patch = throughEditor(patchOf("*** Update File: x.txt", "*** Move to: y.txt", "@@", "-old", "+new"));

  it("is opened, renamed and not saved: the call succeeds with a warning", async () => {
    const { apply, texts, disk } = await start({ files });
    const answer = await apply(patch);
    expect(answer).toMatchObject({ applied: true, outcome: "applied" });
    expect(answer.warnings).toEqual([expect.stringMatching(/^y\.txt was not open.*not saved/)]);
    expect(answer.files).toMatchObject([{ kind: "rename", newPath: "y.txt", version: null, onDisk: "differs" }]);
    expect(texts()).toEqual({ "y.txt": "one\r\nnew\r\n" });
    expect(disk()).toEqual({ "y.txt": files["x.txt"] });
  });

  it("is written by the editor: the disk proves both", async () => {
    const { apply, texts, disk } = await start({ files, unopened: "written" });
    const answer = await apply(patch);
    expect(answer).toMatchObject({ applied: true, outcome: "applied", warnings: [] });
    expect(answer.files).toMatchObject([{ onDisk: "same" }]);
    expect(texts()).toEqual({});
    expect(disk()).toEqual({ "y.txt": "one\r\nnew\r\n" });
  });

  it("is changed out of sight: the name is proved, the text is not", async () => {
    const { editor, apply, disk, uri } = await start({ files, unopened: "hidden" });
    const answer = await apply(patch);
    expect(answer).toMatchObject({ applied: false, outcome: "unknown" });
    expect(answer.warnings[0]).toMatch(/^x\.txt.*prove/);
    expect(editor.hidden.get(uri("y.txt"))).toBe("one\r\nnew\r\n");
    expect(disk()).toEqual({ "y.txt": files["x.txt"] });
  });

  it("is opened, and not renamed: its text is rolled back", async () => {
    const { editor, apply, texts, disk } = await start({ files });
    editor.behave("honest", "refuses", "honest");
    const failure = await failed(apply(patch));
    expect(failure.message).toContain(rolledBack("x.txt"));
    expect(texts()).toEqual(files);
    expect(disk()).toEqual(files);
  });

  it("is written by the editor, and not renamed: the answer says that it may hold the edit", async () => {
    const { editor, apply, disk } = await start({ files, unopened: "written" });
    editor.behave("honest", "refuses", "honest");
    const answer = await apply(patch);
    expect(answer).toMatchObject({ applied: false, outcome: "unknown" });
    expect(answer.warnings[0]).toContain("These files may contain the edit: x.txt.");
    expect(answer.files).toMatchObject([{ path: "x.txt", kind: "update" }]);
    expect(disk()).toEqual({ "x.txt": "one\r\nnew\r\n" });
  });

  it("can't be renamed back: the answer says what name and what text it has", async () => {
    const { editor, apply, texts, disk } = await start({ files: { ...files, "gone.txt": "x\n" } });
    editor.behave("honest", "honest", "refuses");
    const lines = patch.patch.split("\n").slice(1, -2);
    const answer = await apply(throughEditor(patchOf(...lines, "*** Delete File: gone.txt")));
    expect(answer).toMatchObject({ applied: false, outcome: "unknown" });
    expect(answer.warnings[0]).toMatch(/still have their new name.*: x\.txt\./);
    expect(answer.files).toMatchObject([{ path: "x.txt", newPath: "y.txt", added: 1, removed: 1 }]);
    expect(answer.edits.map(({ status }) => status)).toEqual(["applied", "applied", "failed"]);
    expect(texts()).toEqual({ "y.txt": "one\r\nnew\r\n" });
    expect(disk()).toEqual({ "y.txt": files["x.txt"], "gone.txt": "x\n" });
  });
});
