/** The notification about a change applied by the client or the server, and the recipients of the notification. */
import { describe, expect, it, vi } from "vitest";
import { batch, type Desk, type DeskOptions, failed, layDesk, patchOf, serverForDesks } from "./support/desk.js";
import { three, threeAfter, threeEdits } from "./support/threeDocuments.js";

const program = serverForDesks();

const start = (options: DeskOptions = {}): Promise<Desk> => layDesk(program, options);

describe("an edit that the client applies itself", () => {
  const applied = (desk: Desk): Promise<void> =>
    vi.waitUntil(() => desk.editor.applied.length > 0).then(() => undefined);

  it("becomes a transaction, under the id of the proposal, as soon as its text is synced", async () => {
    const desk = await start({ open: three });
    const { transaction, label, edit } = await desk.propose(threeEdits);
    await desk.editor.apply(edit!);
    await applied(desk);
    expect(desk.editor.applied).toMatchObject([{ transaction, label, files: [{}, {}, {}] }]);
    await desk.typeBefore("a.txt", "three", "typed ");
    expect(await desk.undo()).toMatchObject({ outcome: "applied", transaction });
    expect(desk.texts()).toEqual({ ...three, "a.txt": "one\r\nold a\r\ntyped three\r\n" });
  });

  it("is reported by the client if no synced text would show it", async () => {
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

  it("is looked for when the caller asks for an undo", async () => {
    const desk = await start({ files: { "a.txt": "a\n" } });
    const { transaction, edit } = await desk.propose(patchOf("*** Update File: a.txt", "*** Move to: b.txt"));
    await desk.editor.apply(edit!);
    expect(await desk.undo()).toMatchObject({ transaction });
    expect(desk.disk()).toEqual({ "a.txt": "a\n" });
  });

  it("is not a transaction until all of it has been applied", async () => {
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

  it("does not become a second transaction if the server applies the same edit", async () => {
    const desk = await start({ open: { "a.txt": "old\n" }, settings: {} });
    await desk.propose(batch(["a.txt", "old", "new"]));
    const { transaction } = await desk.apply(batch(["a.txt", "old", "new"]));
    expect(await desk.editor.request("multiEdit/status", null)).toMatchObject({ transactions: [{ transaction }] });
  });

  it("has no id if it is a preview, has no effect, or could not be undone by the server", async () => {
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
  it("reports, after a batch and after its undo, the ranges of the new text", async () => {
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

  it("reports new, moved and closed files, but neither deleted files nor calls that fail or change nothing", async () => {
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
