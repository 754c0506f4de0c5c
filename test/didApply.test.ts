/** The notification about a change applied by the client or the server, and the recipients of the notification. */
import { describe, expect, it, vi } from "vitest";
import { announced, friend, ownStateHome } from "./support/agentPeer.js";
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
  it("reports, after a batch and after its undo, the file, its lines and the ranges of the new text", async () => {
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
    const file = { uri: uri("a.txt"), kind: "update", added: 1, removed: 1 };
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/);
    expect(editor.applied).toEqual([
      {
        transaction,
        label,
        kind: "applied",
        at,
        files: [{ ...file, version: 2, ranges: [range(5, 10), range(11, 16)] }],
      },
    ]);
    await undo();
    expect(editor.applied.slice(1)).toEqual([
      {
        transaction,
        label: `Undo ${label}`,
        kind: "undone",
        at,
        files: [{ ...file, version: 3, ranges: [range(5, 8), range(9, 12)] }],
      },
    ]);
    const [applied, undone] = editor.applied.map((one) => Date.parse(one.at));
    expect(undone).toBeGreaterThanOrEqual(applied!);
    expect(Math.abs(Date.now() - undone!)).toBeLessThan(3_600_000);
  });

  it("reports new, moved, deleted and closed files, but no calls that fail or change nothing", async () => {
    const { editor, apply, undo, uri } = await start({ files: { "a.txt": "a\n", "b.txt": "b\nb\n" } });
    await apply(
      patchOf("*** Update File: a.txt", "*** Move to: c.txt", "*** Delete File: b.txt", "*** Add File: d.txt", "+d"),
    );
    const whole = (lines: number) => ({ start: { line: 0, character: 0 }, end: { line: lines, character: 0 } });
    const closed = { version: null, added: 0, removed: 0, ranges: [] };
    expect(editor.applied.map(({ files }) => files)).toEqual([
      [
        { ...closed, uri: uri("d.txt"), kind: "create", added: 1, ranges: [whole(1)] },
        { ...closed, uri: uri("c.txt"), kind: "rename", oldUri: uri("a.txt") },
        { ...closed, uri: uri("b.txt"), kind: "delete", removed: 2 },
      ],
    ]);
    await failed(apply(batch(["c.txt", "nowhere", "x"])));
    await apply(batch(["c.txt", "a", "x"], ["c.txt", "x", "a"]));
    expect(editor.applied).toHaveLength(1);
    await undo();
    expect(editor.applied[1]?.files).toEqual([
      { ...closed, uri: uri("b.txt"), kind: "create", added: 2, ranges: [whole(2)] },
      { ...closed, uri: uri("a.txt"), kind: "rename", oldUri: uri("c.txt") },
      { ...closed, uri: uri("d.txt"), kind: "delete", removed: 1 },
    ]);
  });

  it("leaves out a file that is deleted only to make room for a renamed one", async () => {
    const { editor, apply, uri } = await start({ files: { "a.txt": "a\n", "b.txt": "b\n" } });
    await apply({
      ...patchOf("*** Update File: a.txt", "*** Move to: b.txt", "@@", "-a", "+A"),
      options: { overwrite: true },
    });
    expect(editor.applied.map(({ files }) => files)).toMatchObject([
      [{ uri: uri("b.txt"), kind: "rename", oldUri: uri("a.txt"), added: 1, removed: 1 }],
    ]);
  });

  it("names the agent that sent the call, and the one that undid it", async () => {
    const home = ownStateHome();
    const { editor } = await start({ open: { "a.txt": "old\n" }, settings: { save: "never" } });
    const [session] = await announced(home);
    await (await friend(session, { name: "first" })).ask(1, "multiEdit/apply", batch(["a.txt", "old", "new"]));
    await (await friend(session, { name: "second" })).ask(1, "multiEdit/undo", {});
    // The answer reaches the agent through another connection than the notification takes.
    await expect
      .poll(() => editor.applied)
      .toMatchObject([
        { kind: "applied", agent: "first" },
        { kind: "undone", agent: "second" },
      ]);
  });

  it("counts the lines of an edit that the client applies itself", async () => {
    const desk = await start({ open: { "a.txt": "one\ntwo\n" } });
    const { edit } = await desk.propose(batch(["a.txt", "one\n", "1\n1\n"]));
    await desk.editor.apply(edit!);
    await vi.waitUntil(() => desk.editor.applied.length > 0);
    expect(desk.editor.applied).toMatchObject([{ kind: "applied", files: [{ kind: "update", added: 2, removed: 1 }] }]);
    expect("agent" in desk.editor.applied[0]!).toBe(false);
  });
});
