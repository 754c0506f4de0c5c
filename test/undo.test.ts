/** Taking back what was applied, over the wire: all of it or none, and only where nobody has written over it. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { limits } from "../server/text/limits.js";
import {
  batch,
  type Desk,
  type DeskOptions,
  failed,
  layDesk,
  patchOf,
  serverForDesks,
  throughEditor,
  told,
} from "./support/desk.js";
import type { Behaviour } from "./support/editorAnswers.js";
import { three, threeAfter, threeEdits } from "./support/threeDocuments.js";

const program = serverForDesks();

const start = (options: DeskOptions = {}): Promise<Desk> => layDesk(program, options);

describe("taking back", () => {
  it.each(["multiEdit/undo", "multiEdit.undo"])("%s gives every text back, to the byte", async (name) => {
    const desk = await start({ open: three });
    const applied = await desk.apply(threeEdits);
    expect(desk.texts()).toEqual(threeAfter);
    const answer = name.includes("/")
      ? await desk.undo()
      : await desk.editor.request("workspace/executeCommand", { command: name });
    expect(answer).toMatchObject({
      applied: true,
      outcome: "applied",
      label: "Undo 3 files (3 edits)",
      text: "Undo 3 files (3 edits)\nM a.txt\nM b.txt\nM c.txt",
      transaction: applied.transaction,
      edits: [],
    });
    expect(desk.texts()).toEqual(three);
  });

  it("answers with the diff of what it did, and with the edit in it", async () => {
    const { apply, undo, uri } = await start({ open: { "a.txt": "one\nold\n" } });
    await apply(batch(["a.txt", "old", "new"]));
    const { diff, edit, files } = await undo();
    expect(diff).toBe("diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-new\n+old\n");
    const range = { start: { line: 1, character: 0 }, end: { line: 1, character: 3 } };
    const textDocument = { uri: uri("a.txt"), version: 2 };
    expect(edit).toEqual({ documentChanges: [{ textDocument, edits: [{ range, newText: "old" }] }] });
    expect(files).toMatchObject([{ path: "a.txt", version: 2, added: 1, removed: 1, onDisk: "same" }]);
  });

  it("takes the last one first, or the one that is named", async () => {
    const { apply, undo, texts } = await start({ open: { "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n" } });
    const { transaction: first } = await apply(batch(["a.txt", "2", "two"]));
    const { transaction: second } = await apply(batch(["a.txt", "5", "five"]));
    const { transaction: third } = await apply(batch(["a.txt", "8", "eight"]));
    expect(new Set([first, second, third]).size).toBe(3);
    expect((await undo(first)).transaction).toBe(first);
    expect(texts()["a.txt"]).toBe("1\n2\n3\n4\nfive\n6\n7\neight\n9\n");
    expect((await undo()).transaction).toBe(third);
    expect((await undo()).transaction).toBe(second);
    expect(texts()["a.txt"]).toBe("1\n2\n3\n4\n5\n6\n7\n8\n9\n");
  });

  it("is refused in words for what was taken back, for what nobody knows, and where there is nothing", async () => {
    const desk = await start({ open: { "a.txt": "old\n" }, settings: { atomic: "all" } });
    const refusal = async (params: unknown) => failed(desk.editor.request("multiEdit/undo", params));
    expect(await refusal(null)).toMatchObject({ rpcCode: -32803, codes: ["undoConflict"] });
    expect(await refusal({ transaction: "0-1" })).toMatchObject({ codes: ["undoConflict"] });
    const { transaction } = await desk.apply(batch(["a.txt", "old", "new"]));
    await desk.undo();
    const again = await refusal({ transaction });
    expect([again.codes, again.message]).toEqual([["undoConflict"], expect.stringContaining("already")]);
    expect(await refusal({})).toMatchObject({ codes: ["undoConflict"] });
    expect(desk.texts()).toEqual({ "a.txt": "old\n" });
  });

  it("is refused for params that name something else, and then nothing is taken back", async () => {
    const desk = await start({ open: { "a.txt": "old\n" } });
    await desk.apply(batch(["a.txt", "old", "new"]));
    const wrong: readonly (readonly [unknown, string])[] = [
      [{ transaktion: "x" }, "unknownField"],
      [{ id: "x" }, "unknownField"],
      [{ dryRun: true }, "unknownField"],
      [{ transaction: "x", preview: true }, "unknownField"],
      [{ transaction: 7 }, "invalidParams"],
      ["x", "invalidParams"],
      [[{}, {}], "invalidParams"],
    ];
    for (const [params, code] of wrong) {
      const { codes, rpcCode } = await failed(desk.editor.request("multiEdit/undo", params));
      expect([codes, rpcCode], JSON.stringify(params)).toEqual([[code], -32602]);
    }
    expect(desk.texts()).toEqual({ "a.txt": "new\n" });
  });

  it("has nothing to do with proposals that nobody applied, previews, and calls without an effect", async () => {
    const { editor, apply, propose, undo, texts } = await start({ open: { "a.txt": "old\nmore\n" } });
    const { transaction } = await apply(batch(["a.txt", "old", "new"]));
    await propose(batch(["a.txt", "more", "less"]));
    const preview = (await editor.request("multiEdit/preview", batch(["a.txt", "more", "less"]))) as object;
    expect("transaction" in preview).toBe(false);
    expect("transaction" in (await apply(batch(["a.txt", "more", "x"], ["a.txt", "x", "more"])))).toBe(false);
    expect((await undo()).transaction).toBe(transaction);
    expect(texts()).toEqual({ "a.txt": "old\nmore\n" });
  });

  it("knows the latest transactions and no more, and the status lists them", async () => {
    const { editor, apply, undo } = await start({ open: { "a.txt": "0\n" }, settings: {} });
    const ids: (string | undefined)[] = [];
    for (let i = 0; i <= limits.transactions; i++) {
      ids.push((await apply(batch(["a.txt", `${i}`, `${i + 1}`]))).transaction);
    }
    await undo();
    expect((await failed(undo(ids[0]))).codes).toEqual(["undoConflict"]);
    const { transactions } = (await editor.request("multiEdit/status", undefined)) as { transactions: object[] };
    expect(transactions).toEqual(
      ids.slice(1).map((transaction, i) => ({
        transaction,
        label: "a.txt (1 edit)",
        state: i === limits.transactions - 1 ? "undone" : "applied",
      })),
    );
  });

  it("is asked about where the user wants to be asked", async () => {
    const { editor, apply, undo, texts } = await start({
      open: { "a.txt": "old\n" },
      settings: { confirm: "always" },
    });
    editor.answerQuestionsWith("Apply", "Reject");
    await apply(batch(["a.txt", "old", "new"]));
    const failure = await failed(undo());
    expect([failure.codes, failure.diff]).toEqual([["userRejected"], expect.stringContaining("-new\n+old\n")]);
    expect(editor.questions[1]!.message).toContain("Undo a.txt (1 edit)");
    expect(texts()).toEqual({ "a.txt": "new\n" });
  });
});

describe("a text that moved on", () => {
  const text = "1\n2\n3\nold\n5\n6\n7\n";

  it.each([
    ["before the place", "1", "typed 1"],
    ["behind the place", "6", "typed 6"],
  ])("%s: what was typed stays", async (_where, before, typed) => {
    const desk = await start({ open: { "a.txt": text } });
    await desk.apply(batch(["a.txt", "old", "new"]));
    await desk.typeBefore("a.txt", before, "typed ");
    expect(await desk.undo()).toMatchObject({ outcome: "applied" });
    expect(desk.texts()).toEqual({ "a.txt": text.replace(before, typed) });
  });

  it.each([
    ["into the place", "ew"],
    ["right before it", "new"],
    ["right behind it", "\n5"],
  ])("%s: nothing is taken back in any file, and the line is named", async (_where, before) => {
    const desk = await start({ open: { "a.txt": text, "b.txt": "old\n" } });
    await desk.apply(batch(["a.txt", "old", "new"], ["b.txt", "old", "new"]));
    await desk.typeBefore("a.txt", before, "x");
    const typed = desk.texts();
    const failure = await failed(desk.undo());
    expect(failure.failures).toMatchObject([{ code: "undoConflict", path: "a.txt", line: 4 }]);
    expect(failure.message).toContain("line 4");
    expect(desk.texts()).toEqual(typed);
    // Once the typing is gone, it can be taken back.
    const { editor, uri } = desk;
    const at = typed["a.txt"]!.indexOf("x");
    await editor.type({ uri: uri("a.txt"), from: at, to: at + 1, insert: "" });
    expect(await desk.undo()).toMatchObject({ outcome: "applied" });
    expect(desk.texts()).toEqual({ "a.txt": text, "b.txt": "old\n" });
  });

  it("names every file that stands in the way", async () => {
    const desk = await start({ open: { "a.txt": "old\n", "b.txt": "old\n", "c.txt": "old\n" } });
    await desk.apply(batch(["a.txt", "old", "new"], ["b.txt", "old", "new"], ["c.txt", "old", "new"]));
    await desk.typeBefore("a.txt", "new", "x");
    await desk.editor.close(desk.uri("c.txt"));
    const { failures } = await failed(desk.undo());
    expect(failures.map(({ code, path }) => [code, path])).toEqual([
      ["undoConflict", "a.txt"],
      // Closed without being saved, so that the edit is gone.
      ["undoConflict", "c.txt"],
    ]);
  });

  it("while it is being taken back: the typing stays", async () => {
    const desk = await start({ open: { "a.txt": text }, proofTimeout: 400 });
    await desk.apply(batch(["a.txt", "old", "new"]));
    desk.editor.beforeEdits(async () => {
      if (desk.editor.asked.length === 2) await desk.typeBefore("a.txt", "7", "typed ");
    });
    expect(await desk.undo()).toMatchObject({ outcome: "applied" });
    expect(desk.texts()).toEqual({ "a.txt": text.replace("7", "typed 7") });
  });

  it("because it is saved and closed: the file gets its text back", async () => {
    const desk = await start({ open: { "a.txt": text } });
    await desk.apply(batch(["a.txt", "old", "new"]));
    writeFileSync(join(desk.root, "a.txt"), text.replace("old", "new"));
    await desk.editor.close(desk.uri("a.txt"));
    expect(await desk.undo()).toMatchObject({ outcome: "applied" });
    expect(desk.disk()).toEqual({ "a.txt": text });
  });
});

describe("whole files", () => {
  const files = { "old.txt": "one\ntwo\n", "gone.txt": "gone\n", "binary.bin": "\0\u0001", "b.txt": "b\n" };

  it.each(["written", "opened"] as const)(
    "a new file is deleted, and its folders, where the editor's new files are %s",
    async (unopened) => {
      const { apply, undo, disk, texts, root } = await start({ files, unopened, proofTimeout: 300 });
      await apply(throughEditor(batch(["deep/er/new.txt", "", "new\n"], ["b.txt", "b", "B"])));
      expect(existsSync(join(root, "deep/er/new.txt"))).toBe(true);
      const answer = await undo();
      // What the editor has opened is undone in the editor.
      const onDisk = unopened === "written" ? ["Changed on disk: no editor has them open."] : [];
      const text = ["Undo 2 files (2 edits)", ...onDisk, "M b.txt", "D deep/er/new.txt"].join("\n");
      expect(answer).toMatchObject({ outcome: "applied", text });
      expect(existsSync(join(root, "deep"))).toBe(false);
      expect(disk()).toEqual(files);
      expect({ "b.txt": "b\n", ...texts() }).toEqual({ "b.txt": "b\n" });
    },
  );

  it("a deleted file is there again, a binary one as well, with its permissions", async () => {
    const { apply, undo, disk } = await start({ files });
    const applied = await apply(patchOf("*** Delete File: gone.txt", "*** Delete File: binary.bin"));
    expect(Object.keys(disk())).toEqual(["b.txt", "old.txt"]);
    const answer = await undo(applied.transaction);
    const onDisk = "Changed on disk: no editor has them open.";
    expect(answer.text).toBe(`Undo ${applied.label}\n${onDisk}\nA gone.txt\nA binary.bin`);
    expect(answer.diff).toContain("+gone\n");
    expect(disk()).toEqual(files);
  });

  it.each(["open", "closed"] as const)(
    "a file that was moved and changed has its old name and text, %s",
    async (state) => {
      const { apply, undo, disk, texts, root } = await start({
        files,
        ...(state === "open" ? { open: { "old.txt": files["old.txt"] } } : {}),
      });
      await apply(
        patchOf(
          "*** Update File: old.txt",
          "*** Move to: deep/new.txt",
          "@@",
          "-two",
          "+zwei",
          "*** Delete File: b.txt",
        ),
      );
      expect(existsSync(join(root, "old.txt"))).toBe(false);
      expect(await undo()).toMatchObject({ outcome: "applied" });
      expect(disk()).toEqual(files);
      expect(existsSync(join(root, "deep"))).toBe(false);
      expect(texts()).toEqual(state === "open" ? { "old.txt": files["old.txt"] } : {});
    },
  );

  it("a file that made room for another one is there again, and so is that one", async () => {
    const { apply, undo, disk } = await start({ files });
    const call = patchOf("*** Update File: old.txt", "*** Move to: b.txt", "@@", "-two", "+zwei");
    await apply({ ...call, options: { overwrite: true } });
    expect(disk()).toMatchObject({ "b.txt": "one\nzwei\n" });
    expect(await undo()).toMatchObject({ outcome: "applied" });
    expect(disk()).toEqual(files);
  });

  it("files that passed their names on have them again", async () => {
    const { apply, undo, disk } = await start({ files });
    await apply(
      patchOf("*** Update File: b.txt", "*** Move to: c.txt", "*** Update File: old.txt", "*** Move to: b.txt"),
    );
    expect(Object.keys(disk())).toEqual(["b.txt", "binary.bin", "c.txt", "gone.txt"]);
    expect(await undo()).toMatchObject({ outcome: "applied" });
    expect(disk()).toEqual(files);
  });

  it("unsaved text that was deleted with its file comes back with it, unsaved", async () => {
    const desk = await start({ open: { "a.txt": "one\n" }, proofTimeout: 400 });
    await desk.typeBefore("a.txt", "one", "typed ");
    await desk.apply({ ...patchOf("*** Delete File: a.txt"), options: { overwrite: true } });
    expect([desk.texts(), desk.disk()]).toEqual([{}, {}]);
    expect(await desk.undo()).toMatchObject({ outcome: "applied" });
    expect([desk.texts(), desk.disk()]).toEqual([{ "a.txt": "typed one\n" }, { "a.txt": "one\n" }]);
  });

  it.each<[string, (desk: Desk) => unknown]>([
    ["a file has the old name by now", ({ root }) => writeFileSync(join(root, "gone.txt"), "somebody's\n")],
    ["a new file was changed", ({ root }) => writeFileSync(join(root, "new.txt"), "somebody's\n")],
  ])("%s: nothing is taken back", async (_what, act) => {
    const desk = await start({ files: { "gone.txt": "gone\n", "b.txt": "b\n" } });
    await desk.apply(
      patchOf("*** Delete File: gone.txt", "*** Add File: new.txt", "+new", "*** Update File: b.txt", "@@", "-b", "+B"),
    );
    act(desk);
    const disk = desk.disk();
    expect((await failed(desk.undo())).codes).toEqual(["undoConflict"]);
    expect(desk.disk()).toEqual(disk);
  });

  it("what the editor can't do any more is said before anything is done", async () => {
    const { apply, undo, disk } = await start({
      files,
      capabilities: {
        workspace: { applyEdit: true, workspaceEdit: { documentChanges: true, resourceOperations: ["create"] } },
      },
    });
    await apply(throughEditor(batch(["new.txt", "", "new\n"], ["b.txt", "b", "B"])));
    const after = disk();
    expect((await failed(undo())).codes).toEqual(["clientCapability"]);
    expect(disk()).toEqual(after);
  });
});

describe("an editor that does not go along", () => {
  it.each<[Behaviour, string]>([
    ["refuses", "clientRefused"],
    ["answersErrors", "clientRefused"],
  ])(
    "and %s the second text: the first one has its edit again, and all of it can be taken back later",
    async (behaviour, code) => {
      const { editor, apply, undo, texts } = await start({ open: three, proofTimeout: 200 });
      await apply(threeEdits);
      editor.behave("honest", behaviour, "honest");
      const answer = await told(undo());
      expect([answer.outcome, answer.codes]).toEqual(["failed", [code]]);
      expect(texts()).toEqual(threeAfter);
      expect(await undo()).toMatchObject({ outcome: "applied" });
      expect(texts()).toEqual(three);
    },
  );

  it("and lies: what is not certain is said", async () => {
    const { editor, apply, undo, texts } = await start({ open: three, proofTimeout: 200 });
    await apply(threeEdits);
    editor.behave("honest", "lies", "honest");
    const answer = await told(undo());
    expect([answer.outcome, answer.text]).toEqual(["unknown", expect.stringContaining("Taken back: ")]);
    expect(texts()).toEqual(threeAfter);
  });
});

describe("what the client applies itself", () => {
  const applied = (desk: Desk): Promise<void> =>
    vi.waitUntil(() => desk.editor.applied.length > 0).then(() => undefined);

  it("becomes a transaction when its text is synced, under the id of the proposal", async () => {
    const desk = await start({ open: three });
    const { transaction, label, edit } = await desk.propose(threeEdits);
    await desk.editor.apply(edit!);
    await applied(desk);
    expect(desk.editor.applied).toMatchObject([{ transaction, label, files: [{}, {}, {}] }]);
    await desk.typeBefore("a.txt", "three", "typed ");
    expect(await desk.undo()).toMatchObject({ outcome: "applied", transaction });
    expect(desk.texts()).toEqual({ ...three, "a.txt": "one\r\nold a\r\ntyped three\r\n" });
  });

  it("is told by the client where there is no text to see", async () => {
    const files = { "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" };
    const desk = await start({ files });
    const { transaction, edit } = await desk.propose(
      patchOf(
        ...["*** Update File: a.txt", "*** Move to: deep/a.txt", "@@", "-a", "+A", "*** Delete File: b.txt"],
        ...["*** Add File: new.txt", "+new", "*** Update File: c.txt", "@@", "-c", "+C"],
      ),
    );
    await desk.editor.apply(edit!);
    await desk.editor.notify("multiEdit/didApply", { transaction });
    await applied(desk);
    expect(await desk.undo(transaction)).toMatchObject({ outcome: "applied" });
    expect(desk.disk()).toEqual(files);
  });

  it("is looked for when something is to be taken back", async () => {
    const desk = await start({ files: { "a.txt": "a\n" } });
    const { transaction, edit } = await desk.propose(patchOf("*** Update File: a.txt", "*** Move to: b.txt"));
    await desk.editor.apply(edit!);
    expect(await desk.undo()).toMatchObject({ transaction });
    expect(desk.disk()).toEqual({ "a.txt": "a\n" });
  });

  it("is no transaction as long as it is not applied, or only a part of it", async () => {
    const desk = await start({ open: three, files: { "d.txt": "d\n" }, settings: {} });
    const { transaction, edit } = await desk.propose({
      edits: [...threeEdits.edits, { path: "d.txt", oldText: "d", newText: "D" }],
    });
    expect((await failed(desk.undo())).codes).toEqual(["undoConflict"]);
    await desk.editor.apply({ documentChanges: edit!.documentChanges!.slice(0, 3) });
    const refusal = await failed(desk.undo(transaction));
    expect([refusal.codes, refusal.message]).toEqual([["undoConflict"], expect.stringContaining("proposed")]);
    expect(desk.texts()).toEqual(threeAfter);
    await desk.editor.apply({ documentChanges: edit!.documentChanges!.slice(3) });
    expect(await desk.undo(transaction)).toMatchObject({ outcome: "applied" });
    expect(desk.texts()).toMatchObject(three);
  });

  it("is no second transaction where the server applies the same edit", async () => {
    const desk = await start({ open: { "a.txt": "old\n" }, settings: {} });
    await desk.propose(batch(["a.txt", "old", "new"]));
    const { transaction } = await desk.apply(batch(["a.txt", "old", "new"]));
    expect(await desk.editor.request("multiEdit/status", null)).toMatchObject({ transactions: [{ transaction }] });
  });

  it("has no id in previews, without an effect, and where the server could not take it back", async () => {
    const desk = await start({
      open: { "a.txt": "old\n" },
      capabilities: { workspace: { workspaceEdit: { documentChanges: true } } },
    });
    expect("transaction" in (await desk.propose(batch(["a.txt", "old", "new"])))).toBe(false);
    const other = await start({ open: { "a.txt": "old\n" } });
    expect("transaction" in (await other.propose(batch(["a.txt", "old", "x"], ["a.txt", "x", "old"])))).toBe(false);
    const preview = (await other.editor.request("multiEdit/preview", batch(["a.txt", "old", "new"]))) as object;
    expect("transaction" in preview).toBe(false);
  });
});

describe("multiEdit/didApply", () => {
  it("tells after a batch and after taking it back where the text is now", async () => {
    const { editor, apply, undo, uri } = await start({
      open: { "a.txt": "one\n😀 old old\n" },
      encodings: ["utf-8"],
      files: { "gone.txt": "" },
    });
    const { transaction, label } = await apply({
      edits: [{ path: "a.txt", oldText: "old", newText: "newer", replaceAll: true }],
    });
    const range = (from: number, to: number) => ({
      start: { line: 1, character: from },
      end: { line: 1, character: to },
    });
    expect(editor.applied).toEqual([
      { transaction, label, files: [{ uri: uri("a.txt"), version: 2, ranges: [range(5, 10), range(11, 16)] }] },
    ]);
    await undo();
    expect(editor.applied.slice(1)).toEqual([
      {
        transaction,
        label: `Undo ${label}`,
        files: [{ uri: uri("a.txt"), version: 3, ranges: [range(5, 8), range(9, 12)] }],
      },
    ]);
  });

  it("tells of new, moved and closed files, not of deleted ones, and not of calls that fail or do nothing", async () => {
    const { editor, apply, uri } = await start({ files: { "a.txt": "a\n", "b.txt": "b\n" } });
    await apply(
      patchOf("*** Update File: a.txt", "*** Move to: c.txt", "*** Delete File: b.txt", "*** Add File: d.txt", "+d"),
    );
    const whole = { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } };
    expect(editor.applied.map(({ files }) => files)).toEqual([
      [
        { uri: uri("d.txt"), version: null, ranges: [whole] },
        { uri: uri("c.txt"), version: null, ranges: [] },
      ],
    ]);
    await failed(apply(batch(["c.txt", "nowhere", "x"])));
    await apply(batch(["c.txt", "a", "x"], ["c.txt", "x", "a"]));
    expect(editor.applied).toHaveLength(1);
  });
});

describe("any batch", () => {
  const texts = fc.array(fc.constantFrom("a", "b\n", "\r\n", "\r", "\n", "é", "😀", "word ", "x"), { maxLength: 30 });
  const edit = fc.record({
    oldText: fc.constantFrom("a", "b\n", "\r\n", "\r", "\n", "é", "😀", "word ", "x", "xa", "a\r"),
    newText: fc.constantFrom("", "a", "B\n", "\r\n", "\r", "\n", "é!", "😀😀", "words", "y"),
    replaceAll: fc.boolean(),
  });

  it("that was applied can be taken back, to the byte, in every encoding", async () => {
    for (const encoding of ["utf-8", "utf-16", "utf-32"]) {
      const { editor, apply, undo, uri } = await start({ open: {}, encodings: [encoding] });
      let version = 1;
      let wentThrough = 0;
      await fc.assert(
        fc.asyncProperty(texts, fc.array(edit, { minLength: 1, maxLength: 4 }), async (parts, edits) => {
          const text = parts.join("");
          await editor.open({ uri: uri("a.txt"), text, version: version++ });
          const call = { path: uri("a.txt"), edits, options: { atomic: "none" } };
          const answer = await told(apply(call));
          if (answer.outcome === "failed" || editor.documents.get(uri("a.txt"))!.text === text) return;
          expect(answer.outcome).toBe("applied");
          wentThrough++;
          expect((await undo()).outcome).toBe("applied");
          expect(editor.documents.get(uri("a.txt"))!.text).toBe(text);
        }),
        { numRuns: 150 },
      );
      expect(wentThrough).toBeGreaterThan(30);
    }
  });
});
