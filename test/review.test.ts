/** The review across the process: hunks, what undoes and keeps them, and what the editor is shown. */
import { describe, expect, it, vi } from "vitest";
import { batch, failed, patchOf, serverForDesks } from "./support/desk.js";
import { layReviewDesk, type ReviewDesk } from "./support/reviewDesk.js";

const program = serverForDesks();

const ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";
const tenAfter = "1\nB\n3\n4\n5\n6\nG\n8\n9\n10\n";
const twoEdits = batch(["a.txt", "2\n", "B\n"], ["a.txt", "7\n", "G\n"]);

const start = (options = {}): Promise<ReviewDesk> => layReviewDesk(program, { open: { "a.txt": ten }, ...options });

describe("hunks", () => {
  it("are told after a call, and follow the text", async () => {
    const desk = await start();
    await desk.apply(twoEdits);
    expect(desk.hunks()).toEqual(['a.txt:2-2 pending "2\\n" > "B\\n"', 'a.txt:7-7 pending "7\\n" > "G\\n"']);
    await desk.typeBefore("a.txt", "1\n", "top\n");
    await vi.waitUntil(() => desk.hunks()[0]?.startsWith("a.txt:3-3"));
    expect((await desk.list()).map(({ version }) => version)).toEqual([3, 3]);
    await desk.typeBefore("a.txt", "G", "typed ");
    await vi.waitUntil(() => desk.hunks()[1]?.includes("changed"));
    const [, hunk] = await desk.list();
    expect(hunk).toMatchObject({ state: "changed", newText: "G\n", message: "you: 1 line changed" });
    expect(hunk?.ranges).toEqual([{ start: { line: 7, character: 6 }, end: { line: 8, character: 0 } }]);
  });

  it("are none with the review off", async () => {
    const desk = await layReviewDesk(
      program,
      { open: { "a.txt": ten }, settings: { review: "off" } },
      { isDrawn: false },
    );
    await desk.apply(twoEdits);
    expect(await desk.list()).toEqual([]);
    expect((await failed(desk.ask("multiEdit/undo", { all: true }))).codes).toEqual(["undoConflict"]);
    expect(desk.published()).toBe(0);
  });

  it("are undone and kept one by one, and the call with the rest", async () => {
    const desk = await start();
    const { transaction } = await desk.apply(twoEdits);
    const [first, second] = await desk.list();
    await desk.typeBefore("a.txt", "4\n", "typed\n");
    expect(await desk.ask("multiEdit/undo", { hunks: [first!.id] })).toMatchObject({ outcome: "applied" });
    expect(desk.texts()["a.txt"]).toBe(tenAfter.replace("B", "2").replace("4", "typed\n4"));
    expect((await desk.history()).map(({ state }) => state)).toEqual(["partlyUndone"]);
    expect(desk.hunks()).toEqual(['a.txt:8-8 pending "7\\n" > "G\\n"']);
    await desk.typeBefore("a.txt", "10\n", "more\n");
    expect(await desk.undo(transaction)).toMatchObject({ outcome: "applied", transaction });
    expect(desk.texts()["a.txt"]).toBe(ten.replace("4", "typed\n4").replace("10", "more\n10"));
    expect(await desk.history()).toMatchObject([{ state: "undone", transaction, added: 2, removed: 2 }]);
    await desk.ask("multiEdit/redo", {});
    expect(desk.texts()["a.txt"]).toBe(tenAfter.replace("4", "typed\n4").replace("10", "more\n10"));
    expect(await desk.ask("multiEdit/keep", { hunks: [second!.id] })).toEqual({ kept: [second!.id] });
    expect(desk.hunks()).toHaveLength(1);
    expect(await desk.ask("multiEdit/keep", { all: true })).toEqual({ kept: [first!.id] });
    expect((await desk.history()).map(({ state }) => state)).toEqual(["kept"]);
    expect((await desk.list({ all: true })).map(({ state }) => state)).toEqual(["kept", "kept"]);
  });

  it("in which somebody has typed are left, or named", async () => {
    const desk = await start();
    await desk.apply(twoEdits);
    await desk.typeBefore("a.txt", "G", "typed ");
    const [, second] = await desk.list();
    const refusal = await failed(desk.ask("multiEdit/undo", { hunks: [second!.id] }));
    expect([refusal.codes, refusal.failures[0]?.line]).toEqual([["undoConflict"], 7]);
    const { warnings } = await desk.ask("multiEdit/undo", { uri: desk.uri("a.txt") });
    expect(warnings).toEqual(["Left as they are, because somebody has typed there since: a.txt:7."]);
    expect(desk.texts()["a.txt"]).toBe(ten.replace("7", "typed G"));
    const again = await failed(desk.ask("multiEdit/undo", { all: true }));
    expect(again.message).toContain("a.txt:7");
  });

  it("of a later call keep the first text, and the earlier call can't be undone before it", async () => {
    const desk = await start();
    const one = await desk.apply(batch(["a.txt", "2\n", "B\n"]));
    const two = await desk.apply(batch(["a.txt", "1\nB\n3\n", "x\n"]));
    expect(desk.hunks()).toEqual(['a.txt:1-1 pending "1\\n2\\n3\\n" > "x\\n"']);
    const refusal = await failed(desk.undo(one.transaction));
    expect([refusal.codes, refusal.failures[0]?.line]).toEqual([["undoConflict"], 1]);
    expect(refusal.message).toContain(two.transaction);
    await desk.undo(two.transaction);
    expect(desk.texts()["a.txt"]).toBe(ten.replace("2", "B"));
    await desk.undo(one.transaction);
    expect(desk.texts()["a.txt"]).toBe(ten);
    await desk.ask("multiEdit/redo", { transaction: one.transaction });
    await desk.ask("multiEdit/redo", { transaction: two.transaction });
    expect(desk.texts()["a.txt"]).toBe(ten.replace("1\n2\n3", "x"));
  });

  it("vanish if the user undoes the edit in the editor", async () => {
    const desk = await start();
    await desk.apply(twoEdits);
    await desk.editor.type({ uri: desk.uri("a.txt"), from: 2, to: 4, insert: "2\n" });
    await vi.waitUntil(() => desk.hunks().length === 1);
    expect((await desk.list({ all: true })).map(({ state }) => state)).toEqual(["undone", "pending"]);
  });

  it("are whole files, too", async () => {
    const files = { "b.txt": "b\n", "c.txt": "c\n" };
    const desk = await start({ files });
    await desk.apply(
      patchOf(
        "*** Add File: new.txt",
        "+new",
        "*** Delete File: b.txt",
        "*** Update File: c.txt",
        "*** Move to: d.txt",
      ),
    );
    expect(desk.hunks().sort()).toEqual(["b.txt delete pending", "d.txt rename pending", "new.txt create pending"]);
    const [gone, moved, made] = await desk.list();
    await desk.ask("multiEdit/undo", { hunks: [gone!.id] });
    expect(desk.disk()).toEqual({ "a.txt": ten, "b.txt": "b\n", "d.txt": "c\n", "new.txt": "new\n" });
    await desk.ask("multiEdit/undo", { hunks: [moved!.id, made!.id] });
    expect(desk.disk()).toEqual({ "a.txt": ten, ...files });
    expect(desk.hunks()).toEqual([]);
  });

  it("are undone by the lines of a range", async () => {
    const desk = await start();
    await desk.apply(twoEdits);
    const range = { start: { line: 5, character: 0 }, end: { line: 7, character: 0 } };
    await desk.ask("multiEdit/undo", { uri: desk.uri("a.txt"), range });
    expect(desk.texts()["a.txt"]).toBe(ten.replace("2", "B"));
    expect((await failed(desk.ask("multiEdit/undo", { uri: desk.uri("a.txt"), all: true }))).codes).toEqual([
      "invalidParams",
    ]);
  });

  it("are as they were after a call that is rolled back", async () => {
    const desk = await start({ open: { "a.txt": ten, "b.txt": "x\n" }, proofTimeout: 200 });
    await desk.apply(batch(["a.txt", "2\n", "B\n"]));
    desk.editor.behave("honest", "refuses", "honest");
    await failed(desk.apply(batch(["a.txt", "1\nB\n3\n", "C\n"], ["b.txt", "x", "y"])));
    expect((await desk.list()).map(({ state, newText }) => [state, newText])).toEqual([["pending", "B\n"]]);
  });
});
