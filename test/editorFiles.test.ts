/**
 * Changes to new files and to files that are not open, through an editor that opens, hides or refuses them; failures
 * are rolled back.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  batch,
  type Desk,
  type DeskOptions,
  failed,
  layDesk,
  serverForDesks,
  throughEditor,
  told,
} from "./support/desk.js";
import { rolledBack, rolledBackBegin } from "./support/rolledBack.js";

const program = serverForDesks();

const start = (options: DeskOptions = {}): Promise<Desk> => layDesk(program, { proofTimeout: 300, ...options });

const open = { "open.txt": "old\n" };
const edits = throughEditor(batch(["closed.txt", "old", "new"], ["open.txt", "old", "new"]));

describe("a file that is not open", () => {
  const files = { "closed.txt": "one\r\nold\r\n" };

  it("is opened, changed and not saved: the edit is applied, and a warning says that the file is unsaved", async () => {
    const { editor, apply, texts, disk, uri } = await start({ files, open });
    const answer = await apply(edits);
    expect(answer).toMatchObject({ applied: true, outcome: "applied", label: "2 files (2 edits)" });
    expect(answer.warnings).toHaveLength(1);
    expect(answer.warnings[0]).toMatch(/closed\.txt .*not saved/);
    expect(answer.files).toMatchObject([
      { path: "closed.txt", version: null, onDisk: "differs" },
      { path: "open.txt", version: 1, onDisk: "differs" },
    ]);
    expect(texts()).toEqual({ "open.txt": "new\n", "closed.txt": "one\r\nnew\r\n" });
    expect(disk()).toEqual({ ...files, ...open });
    // Changes that can be proved and rolled back go first.
    expect(editor.asked.map(({ edit }) => edit.documentChanges)).toMatchObject([
      [{ textDocument: { uri: uri("open.txt"), version: 1 } }],
      [{ textDocument: { uri: uri("closed.txt"), version: null } }],
    ]);
  });

  it("is written to disk by the editor: the disk is the proof", async () => {
    const { apply, texts, disk } = await start({ files, open, unopened: "written" });
    const answer = await apply(edits);
    expect(disk()).toEqual({ ...open, "closed.txt": "one\r\nnew\r\n" });
    expect(texts()).toEqual({ "open.txt": "new\n" });
    expect(answer).toMatchObject({ applied: true, outcome: "applied", warnings: [] });
    expect(answer.files[0]).toMatchObject({ path: "closed.txt", onDisk: "same" });
  });

  it("is changed without being synced: the outcome is unknown, and a warning says why", async () => {
    const { editor, apply, texts, disk, uri } = await start({ files, open, unopened: "hidden" });
    const answer = await apply(edits);
    expect(answer).toMatchObject({ applied: false, outcome: "unknown" });
    expect(answer.warnings.some((text) => text.includes("closed.txt") && text.includes("prove"))).toBe(true);
    // It is unknown whether the file changed, so the answer must not say that it did.
    expect(answer.warnings.join("\n")).not.toMatch(/closed\.txt was not open: the editor has changed it/);
    expect(texts()).toEqual({ "open.txt": "new\n" });
    expect(editor.hidden.get(uri("closed.txt"))).toBe("one\r\nnew\r\n");
    expect(disk()).toEqual({ ...files, ...open });
  });

  it("is not changed, though the editor says that it was: the outcome is unknown", async () => {
    const { editor, apply, texts, disk } = await start({ files, open });
    editor.behave("honest", "lies");
    const answer = await apply(edits);
    expect(answer).toMatchObject({ applied: false, outcome: "unknown" });
    expect(answer.warnings.join("\n")).not.toMatch(/closed\.txt was not open: the editor has changed it/);
    expect(texts()).toEqual({ "open.txt": "new\n" });
    expect(disk()).toEqual({ ...files, ...open });
  });

  it("is refused: the open documents are rolled back", async () => {
    const { editor, apply, texts, disk } = await start({ files, open });
    editor.behave("honest", "refuses", "honest");
    const failure = await failed(apply(edits));
    expect(failure.codes).toEqual(["clientRefused"]);
    expect(failure.message).toContain(rolledBack("open.txt"));
    expect(texts()).toEqual(open);
    expect(disk()).toEqual({ ...files, ...open });
  });

  it("was opened and changed, and a later one is refused: its text is rolled back, too", async () => {
    const { editor, apply, texts, disk } = await start({ files: { ...files, "last.txt": "old\n" } });
    editor.behave("honest", "refuses", "honest");
    const failure = await failed(apply(throughEditor(batch(["closed.txt", "old", "new"], ["last.txt", "old", "new"]))));
    expect(failure.message).toContain(rolledBack("closed.txt"));
    expect(texts()).toEqual({ "closed.txt": files["closed.txt"] });
    expect(disk()).toEqual({ ...files, "last.txt": "old\n" });
  });

  it("may have been changed out of sight, and a later one is refused: the answer claims only what is known", async () => {
    const { editor, apply, disk, uri } = await start({
      files: { ...files, "last.txt": "old\n" },
      unopened: "hidden",
    });
    editor.behave("honest", "refuses", "honest");
    const answer = await told(apply(throughEditor(batch(["closed.txt", "old", "new"], ["last.txt", "old", "new"]))));
    expect(answer.outcome).toBe("unknown");
    expect(answer.text).toContain("closed.txt");
    expect(answer.text).not.toMatch(/Nothing (?:else )?was changed/);
    expect(answer.text).not.toContain(`${rolledBackBegin}closed.txt`);
    // The file may contain the edit, but the server has not observed it.
    expect(answer.text).not.toMatch(/still contain the edit/);
    expect(editor.hidden.get(uri("closed.txt"))).toBe("one\r\nnew\r\n");
    expect(disk()).toEqual({ ...files, "last.txt": "old\n" });
  });

  it("no longer exists when the editor is asked: the call fails, and the file is not created again", async () => {
    const { editor, apply, texts, disk, root } = await start({ files, open });
    editor.beforeEdits(() => {
      if (editor.asked.length === 2) rmSync(join(root, "closed.txt"));
    });
    const failure = await failed(apply(edits));
    expect(failure.message).toContain(rolledBack("open.txt"));
    expect(texts()).toEqual(open);
    expect(disk()).toEqual(open);
  });
});

describe("a new file", () => {
  const create = throughEditor(batch(["open.txt", "old", "new"], ["dir/new.txt", "", "text\n"]));

  it("is created first and gets its text in a second request", async () => {
    const { editor, apply, texts, disk, uri } = await start({ open });
    const answer = await apply(create);
    expect(answer).toMatchObject({ applied: true, outcome: "applied" });
    expect(answer.files).toMatchObject([
      { path: "open.txt", kind: "update" },
      { path: "dir/new.txt", kind: "create", version: null },
    ]);
    expect(answer.warnings).toHaveLength(1);
    expect(answer.warnings[0]).toMatch(/dir\/new\.txt .*not saved/);
    expect(editor.asked.map(({ edit }) => edit.documentChanges)).toMatchObject([
      [{ textDocument: { uri: uri("open.txt"), version: 1 } }],
      [{ kind: "create", uri: uri("dir/new.txt") }],
      [{ textDocument: { uri: uri("dir/new.txt") }, edits: [{ newText: "text\n" }] }],
    ]);
    expect(texts()).toEqual({ "open.txt": "new\n", "dir/new.txt": "text\n" });
    expect(disk()).toEqual({ ...open, "dir/new.txt": "" });
    expect(editor.refusals).toEqual([]);
  });

  it("without text is created in one request", async () => {
    const { editor, apply, disk } = await start();
    expect(await apply(throughEditor(batch(["new.txt", "", ""])))).toMatchObject({ applied: true, outcome: "applied" });
    expect(editor.asked).toHaveLength(1);
    expect(disk()).toEqual({ "new.txt": "" });
  });

  it("is edited by the edits that follow", async () => {
    const { apply, texts } = await start();
    await apply(throughEditor(batch(["new.txt", "", "one\ntwo\n"], ["new.txt", "two", "three"])));
    expect(texts()).toEqual({ "new.txt": "one\nthree\n" });
  });

  it("is refused: the rest is rolled back, and the directory that it needed is removed", async () => {
    const { editor, apply, texts, disk, root } = await start({ open });
    editor.behave("honest", "refuses", "honest");
    const failure = await failed(apply(create));
    expect(failure.codes).toEqual(["clientRefused"]);
    expect(failure.message).toContain(rolledBack("open.txt"));
    expect(texts()).toEqual(open);
    expect(disk()).toEqual(open);
    expect(existsSync(join(root, "dir"))).toBe(false);
  });

  it("is created but gets no text: it is deleted again, and the rest is rolled back", async () => {
    const { editor, apply, texts, disk } = await start({ open });
    editor.behave("honest", "honest", "refuses", "honest");
    const failure = await failed(apply(create));
    expect(failure.message).toContain(rolledBack("open.txt"));
    expect(texts()).toEqual(open);
    expect(disk()).toEqual(open);
    expect(editor.refusals).toEqual([]);
  });

  it.each(["cannot be deleted", "is not deleted"])(
    "is created, gets no text and %s: the answer says that it exists",
    async (why) => {
      const resourceOperations = why === "cannot be deleted" ? (["create"] as const) : (["create", "delete"] as const);
      const workspaceEdit = { documentChanges: true, resourceOperations: [...resourceOperations] };
      const { editor, apply, disk } = await start({
        capabilities: { workspace: { applyEdit: true, workspaceEdit } },
        params: { initializationOptions: { proofTimeout: 200 } },
      });
      editor.behave("honest", "refuses");
      const { text } = await told(apply(throughEditor(batch(["new.txt", "", "text\n"]))));
      expect(disk()).toEqual({ "new.txt": "" });
      expect(text).not.toMatch(/Nothing was changed|its text is unchanged/);
      expect(text).toMatch(/new\.txt.*(?:still|left|empty|exists)/);
    },
  );

  it("is deleted again when a later one is refused", async () => {
    const { editor, apply, texts, disk } = await start({ open });
    editor.behave("honest", "honest", "honest", "refuses", "honest");
    const failure = await failed(apply({ ...create, edits: [...create.edits, ...batch(["late.txt", "", "x"]).edits] }));
    expect(failure.message).toContain("dir/new.txt");
    expect(failure.message).toContain("open.txt");
    expect(texts()).toEqual(open);
    expect(disk()).toEqual(open);
  });

  it("in which the user has typed meanwhile is not deleted", async () => {
    const { editor, apply, texts, typeBefore } = await start();
    editor.behave("honest", "honest", "refuses", "honest");
    editor.beforeEdits(async () => {
      if (editor.asked.length === 3) await typeBefore("new.txt", "text", "typed ");
    });
    const { text } = await told(apply(throughEditor(batch(["new.txt", "", "text\n"], ["late.txt", "", "x"]))));
    expect(texts()).toEqual({ "new.txt": "typed text\n" });
    expect(text).toMatch(/still contain the edit.*: new\.txt\./);
  });

  it("that exists by the time the editor would create it is not emptied", async () => {
    const { editor, apply, disk, root } = await start({ open });
    editor.beforeEdits(async () => {
      if (editor.asked.length !== 2) return;
      mkdirSync(join(root, "dir"), { recursive: true });
      writeFileSync(join(root, "dir/new.txt"), "somebody else's\n");
    });
    const failure = await failed(apply(create));
    expect(failure.message).toContain(rolledBack("open.txt"));
    expect(disk()).toEqual({ ...open, "dir/new.txt": "somebody else's\n" });
  });

  it("in an editor that hides it: the outcome is unknown", async () => {
    const { editor, apply, uri } = await start({ unopened: "hidden" });
    const answer = await apply(throughEditor(batch(["new.txt", "", "text\n"])));
    expect(answer).toMatchObject({ applied: false, outcome: "unknown" });
    expect(editor.hidden.get(uri("new.txt"))).toBe("text\n");
  });
});
