import { describe, expect, it, vi } from "vitest";
import type { CodeAction } from "vscode-languageserver/node";
import { limits } from "../server/text/limits.js";
import { friend } from "./support/agentPeer.js";
import { batch, failed, patchOf, serverForDesks, throughEditor } from "./support/desk.js";
import { layReviewDesk, type ReviewDesk, withAgent } from "./support/reviewDesk.js";

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

  it("of which all calls are undone at once are redone call by call", async () => {
    const desk = await start();
    const one = await desk.apply(batch(["a.txt", "2\n", "B\n"]));
    const two = await desk.apply(batch(["a.txt", "B\n", "BB\n"]));
    await desk.ask("multiEdit/undo", { all: true });
    expect(desk.texts()["a.txt"]).toBe(ten);
    await desk.ask("multiEdit/redo", { transaction: one.transaction });
    expect(desk.texts()["a.txt"]).toBe(ten.replace("2", "B"));
    await desk.ask("multiEdit/redo", { transaction: two.transaction });
    expect(desk.texts()["a.txt"]).toBe(ten.replace("2", "BB"));
  });

  it("of a renamed file are shown where they are once the new name is undone", async () => {
    const desk = await start({ files: { "b.txt": "1\n2\n" } });
    await desk.apply(patchOf("*** Update File: b.txt", "*** Move to: c.txt", "@@", "-2", "+B"));
    const { id } = (await desk.list()).find(({ kind }) => kind === "rename")!;
    await desk.ask("multiEdit/undo", { hunks: [id] });
    expect(desk.hunks()).toEqual(['b.txt:2-2 pending "2\\n" > "B\\n"']);
  });

  it.each<[string, string, object]>([
    ["whole texts", ten, { tells: "wholeText" }],
    ["UTF-8 positions", `😀 ${ten.replace("7", "é 7")}`, { encodings: ["utf-8"] }],
    ["CRLF", ten.replaceAll("\n", "\r\n"), {}],
    ["a byte order mark", `\ufeff${ten}`, {}],
    ["a final line end that returns", ten, { finalLineEnd: "returns" }],
    ["no final line end", ten.trimEnd(), {}],
  ])("follow and are undone in an editor with %s", async (_, text, options) => {
    const desk = await start({ open: { "a.txt": text }, ...options });
    await desk.apply(batch(["a.txt", "2", "B\nBB"], ["a.txt", "7", "G"], ["a.txt", "10", "T\nTT"]));
    await desk.typeBefore("a.txt", "5", "typed ");
    expect((await desk.list()).map(({ range, state }) => [range.start.line, range.end.line, state])).toEqual([
      [1, 3, "pending"],
      [7, 8, "pending"],
      [10, text.endsWith("0") ? 11 : 12, "pending"],
    ]);
    const { transaction = "" } = (await desk.list())[0]!;
    for (const { id } of await desk.list()) await desk.ask("multiEdit/undo", { hunks: [id] });
    expect(desk.texts()["a.txt"]).toBe(text.replace("5", "typed 5"));
    await desk.ask("multiEdit/redo", { transaction });
    expect(desk.texts()["a.txt"]).toMatch(/B\r?\nBB.*typed 5.*G\r?\n.*T\r?\nTT/s);
  });

  it("vanish if the user undoes the edit in the editor", async () => {
    const desk = await start();
    await desk.apply(twoEdits);
    await desk.editor.type({ uri: desk.uri("a.txt"), from: 2, to: 4, insert: "2\n" });
    await vi.waitUntil(() => desk.hunks().length === 1);
    expect((await desk.list({ all: true })).map(({ state }) => state)).toEqual(["undone", "pending"]);
  });

  it("follow what the editor undoes and redoes in several steps", async () => {
    const desk = await start();
    await desk.apply(batch(["a.txt", "2\n", "B\nC\n"]));
    const uri = desk.uri("a.txt");
    // As Neovim sends it.
    await desk.editor.type({ uri, from: 2, to: 3, insert: "2" });
    await desk.editor.type({ uri, from: 4, to: 6, insert: "" });
    await vi.waitUntil(() => desk.hunks().length === 0);
    await new Promise((resolve) => setTimeout(resolve, 2 * limits.reviewMs));
    await desk.editor.type({ uri, from: 4, to: 4, insert: "C\n" });
    await desk.editor.type({ uri, from: 2, to: 3, insert: "B" });
    await vi.waitUntil(() => desk.hunks().length === 1);
    expect(desk.hunks()).toEqual(['a.txt:2-3 pending "2\\n" > "B\\nC\\n"']);
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

  it("of a file that a call has made and another one changed are undone with it", async () => {
    const desk = await start();
    await desk.apply(patchOf("*** Add File: new.txt", "+one", "+two"));
    await desk.apply(batch(["new.txt", "two", "TWO"]));
    expect(desk.hunks().sort()).toEqual(["new.txt create pending", 'new.txt:2-2 pending "two\\n" > "TWO\\n"']);
    await desk.ask("multiEdit/undo", { all: true });
    expect([desk.disk(), desk.hunks()]).toEqual([{ "a.txt": ten }, []]);
  });

  it.each(["disk", "editor"])("of whole files are redone with their call: %s", async (unopened) => {
    const files = { "b.txt": "b\n", "c.txt": "c\n", "deep/e.txt": "e\n" };
    const desk = await start({ files });
    const patch = patchOf(
      ...[
        "*** Add File: new/new.txt",
        "+new",
        "*** Delete File: b.txt",
        "*** Update File: c.txt",
        "*** Move to: d.txt",
      ],
      ...[
        "@@",
        "-c",
        "+C",
        "*** Update File: deep/e.txt",
        "@@",
        "-e",
        "+E",
        "*** Update File: a.txt",
        "@@",
        "-4",
        "+D",
      ],
    );
    const { transaction } = await desk.apply(unopened === "disk" ? patch : throughEditor(patch));
    const after = [desk.disk(), desk.texts()];
    for (let i = 0; i < 2; i++) {
      await desk.undo(transaction);
      expect(desk.disk()).toMatchObject({ "a.txt": ten, "b.txt": "b\n" });
      expect(await desk.ask("multiEdit/redo", { transaction })).toMatchObject({ outcome: "applied" });
      expect([desk.disk(), desk.texts()]).toEqual(after);
    }
    expect((await failed(desk.ask("multiEdit/redo", { transaction }))).codes).toEqual(["undoConflict"]);
    expect((await failed(desk.ask("multiEdit/undo", { hunks: ["1-1.1"] }))).codes).toEqual(["undoConflict"]);
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

describe("an agent", () => {
  it("hears once what became of its edits, and the user's comments, at the head of its next answer", async () => {
    const { desk, apply, ask } = await withAgent(start);
    await apply(twoEdits);
    const [first, second] = await desk.list();
    expect([first?.agent, first?.message]).toEqual(["claude-code", '"claude-code": 1 line changed']);
    expect((await ask("multiEdit/read", { path: "a.txt" })).result.note).toBeUndefined();
    await desk.ask("multiEdit/undo", { hunks: [first!.id] });
    await desk.ask("multiEdit/keep", { hunks: [second!.id] });
    expect(await desk.ask("multiEdit/comment", { hunk: second!.id, text: "use\ncents" })).toEqual({ about: "a.txt:7" });
    const note =
      'Since your last edit, the user undid a.txt:2 (your edit 1), kept 1 change, and says of a.txt:7: "use cents".';
    const { result } = await apply(batch(["a.txt", "10", "ten"]));
    expect([result.note, result.text.split("\n")[0]]).toEqual([note, note]);
    expect((await apply(batch(["a.txt", "ten", "10"]))).result.note).toBeUndefined();
  });

  it("hears it with a failure, too, and of the editor's own undo", async () => {
    const { desk, apply } = await withAgent(start);
    await apply(twoEdits);
    await desk.editor.type({ uri: desk.uri("a.txt"), from: 2, to: 4, insert: "2\n" });
    const { error } = await apply(batch(["a.txt", "nowhere", "x"]));
    expect(error?.message).toMatch(/^Since your last edit, the user undid a\.txt:2 \(your edit 1\)\.\n/);
  });

  it("is not told of its own undo, and neither keeps nor comments", async () => {
    const { desk, apply, ask } = await withAgent(start);
    const { result } = await apply(twoEdits);
    await ask("multiEdit/undo", { transaction: result.transaction });
    expect((await ask("multiEdit/read", { path: "a.txt" })).result.note).toBeUndefined();
    expect(desk.hunks()).toEqual([]);
    expect((await ask("multiEdit/keep", { all: true })).error?.message).toContain("Only the user");
    expect((await ask("multiEdit/comment", { text: "well done" })).error?.message).toContain("Only the user");
  });

  it("is told of an undo that came by another program", async () => {
    const { desk, apply, ask, session } = await withAgent(start);
    const { result } = await apply(twoEdits);
    const other = await friend(session, { name: "multi-edit", version: "1" });
    await other.ask("undo", "multiEdit/undo", { transaction: result.transaction });
    expect(desk.texts()["a.txt"]).toBe(ten);
    const { note } = (await ask("multiEdit/read", { path: "a.txt" })).result;
    expect(note).toBe("Since your last edit, the user undid a.txt:2 (your edit 1), a.txt:7 (your edit 2).");
  });

  it("gets a comment on other lines, and one from a command line, which is about the hunk that was shown last", async () => {
    const { desk, apply } = await withAgent(start);
    await apply(twoEdits);
    const comment = { command: "multiEdit.comment", arguments: ["why?"] };
    await desk.editor.request("workspace/executeCommand", { command: "multiEdit.reviewNext" });
    await desk.editor.request("workspace/executeCommand", { command: "multiEdit.reviewNext" });
    expect(desk.editor.shown.map(({ selection }) => selection?.start.line)).toEqual([1, 6]);
    expect(await desk.editor.request("workspace/executeCommand", comment)).toEqual({ about: "a.txt:7" });
    const range = { start: { line: 3, character: 0 }, end: { line: 4, character: 0 } };
    await desk.ask("multiEdit/comment", { uri: desk.uri("a.txt"), range, text: "and here?" });
    const { result } = await apply(batch(["a.txt", "10", "ten"]));
    expect(result.note).toBe(
      'Since your last edit, the user says of a.txt:7: "why?", and says of a.txt:4-5: "and here?".',
    );
  });
});

describe("a client without a plugin", () => {
  const lay = (): Promise<ReviewDesk> => layReviewDesk(program, { open: { "a.txt": ten } }, { isDrawn: false });

  it("gets hints, a hover with the former text, and actions", async () => {
    const { desk, apply } = await withAgent(lay);
    const uri = desk.uri("a.txt");
    const hints = desk.nextDiagnostics(uri);
    await apply(twoEdits);
    expect(await hints).toEqual([
      '2-3 4 review: "claude-code": 1 line changed',
      '7-8 4 review: "claude-code": 1 line changed',
    ]);
    expect(await desk.hover(uri, 2)).toBe('"claude-code": 1 line changed\n\n```diff\n-2\n+B\n```');
    expect(await desk.hover(uri, 4)).toBeUndefined();
    expect((await desk.actions(uri, 7)).map(({ title }) => title)).toEqual([
      ...["Undo this change", "Keep this change", "Undo all changes in this file", "Keep all changes in this file"],
      ...["Undo this call (2 changes)", "Keep this call (2 changes)"],
      ...['Undo all changes of "claude-code"', 'Keep all changes of "claude-code"', "Show all changes as a diff"],
    ]);
    expect(await desk.actions(uri, 4)).toEqual([]);
    await desk.run(uri, 7, "Undo this change");
    expect(desk.texts()["a.txt"]).toBe(ten.replace("2", "B"));
    await vi.waitUntil(() => desk.shows(uri) === 1);
    await desk.run(uri, 2, "Show all");
    expect(desk.editor.shown.at(-1)?.text).toContain("-2\n+B\n");
    await desk.run(uri, 2, "Keep this change");
    expect(desk.shows(uri)).toBe(0);
    expect(await desk.actions(uri, 2)).toEqual([]);
  });

  it("that accepts no edits from the server gets the edit with the action", async () => {
    const capabilities = { workspace: { workspaceEdit: { documentChanges: true } }, textDocument: {} };
    const desk = await layReviewDesk(program, { files: { "b.txt": ten }, capabilities }, { isDrawn: false });
    await desk.apply(batch(["b.txt", "2\n", "B\n"], ["b.txt", "7\n", "G\n"]));
    const uri = desk.uri("b.txt");
    await desk.editor.open({ uri, text: `top\n${tenAfter}` });
    const [undoThis, keepThis] = await desk.actions(uri, 3);
    expect([undoThis?.command, keepThis?.command?.command]).toEqual([undefined, "multiEdit.keep"]);
    const { edit } = (await desk.editor.request("codeAction/resolve", { ...undoThis, edit: undefined })) as CodeAction;
    // This client can't resolve actions, so that it gets the edit at once.
    expect(undoThis?.edit).toEqual(edit);
    await desk.editor.apply(edit!);
    expect(desk.texts()["b.txt"]).toBe(`top\n${tenAfter.replace("B", "2")}`);
    expect((await desk.list()).map(({ range }) => range.start.line)).toEqual([7]);
  });

  it("is shown none any more once the review is switched off", async () => {
    const desk = await lay();
    await desk.apply(twoEdits);
    await vi.waitUntil(() => desk.shows(desk.uri("a.txt")) === 2);
    await desk.editor.setSettings({ review: "off" });
    await vi.waitUntil(() => desk.shows(desk.uri("a.txt")) === 0);
    expect(await desk.list()).toEqual([]);
  });

  it("is sent nothing for documents without hunks", async () => {
    const desk = await lay();
    await desk.typeBefore("a.txt", "1", "x");
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(desk.published()).toBe(0);
  });
});

describe("an edit that the client applies itself", () => {
  it("has hunks once it is synced", async () => {
    const desk = await start();
    await desk.apply(batch(["a.txt", "2\n", "B\n"]));
    const { edit } = await desk.propose(batch(["a.txt", "1\nB\n3\n", "x\n"]));
    await desk.editor.apply(edit!);
    await vi.waitUntil(() => desk.hunks()[0]?.includes('> "x'));
    expect(desk.hunks()).toEqual(['a.txt:1-1 pending "1\\n2\\n3\\n" > "x\\n"']);
  });
});
