/** The server's own requests and commands over the wire: their params, answers and errors. */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CancellationTokenSource, ResponseError } from "vscode-jsonrpc/node";
import { batch, type Desk, type DeskOptions, failed, layDesk, serverForDesks } from "./support/desk.js";

const program = serverForDesks();

const start = (options: DeskOptions = {}): Promise<Desk> => layDesk(program, options);
const open = { "a.txt": "one\ntwo\nthree\n" };
const edit = { path: "a.txt", oldText: "two", newText: "TWO" };
const diff = "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n";

describe("multiEdit/apply and multiEdit/preview", () => {
  it.each(["multiEdit/apply", "multiEdit/preview"])(
    "%s answers with the whole result and changes nothing",
    async (method) => {
      const { editor, texts, uri } = await start({ open, files: { "b.txt": "old\r\n" } });
      const answer = await editor.request(method, batch(["a.txt", "two", "TWO"], ["b.txt", "old", "new"]));
      const other = "diff --git a/b.txt b/b.txt\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-old\r\n+new\r\n";
      const range = { start: { line: 1, character: 0 }, end: { line: 1, character: 3 } };
      const first = { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } };
      const shape = { firstChangedLine: 1, added: 1, removed: 1 };
      expect(answer).toEqual({
        applied: false,
        outcome: "proposed",
        label: "2 files (2 edits)",
        text: "2 files (2 edits)\nM a.txt\nM b.txt",
        edit: {
          documentChanges: [
            { textDocument: { uri: uri("a.txt"), version: 1 }, edits: [{ range, newText: "TWO" }] },
            { textDocument: { uri: uri("b.txt"), version: null }, edits: [{ range: first, newText: "new" }] },
          ],
        },
        diff: `${diff}${other}`,
        files: [
          {
            path: "a.txt",
            uri: uri("a.txt"),
            kind: "update",
            version: 1,
            ...shape,
            firstChangedLine: 2,
            diff,
            onDisk: "same",
          },
          {
            path: "b.txt",
            uri: uri("b.txt"),
            kind: "update",
            version: null,
            hash: createHash("sha256").update("old\r\n").digest("hex"),
            ...shape,
            diff: other,
          },
        ],
        edits: [
          { index: 0, path: "a.txt", status: "applied", rung: "exact", places: [{ startLine: 2, endLine: 2 }] },
          { index: 1, path: "b.txt", status: "applied", rung: "exact", places: [{ startLine: 1, endLine: 1 }] },
        ],
        warnings: [],
        // The id with which the change can be undone after the client has applied it.
        ...(method === "multiEdit/apply" ? { transaction: expect.any(String) } : {}),
      });
      expect(texts()).toEqual(open);
      expect(editor.asked).toEqual([]);
    },
  );

  it("also take the params as the only item of an array", async () => {
    const { editor } = await start({ open });
    expect(await editor.request("multiEdit/apply", [edit])).toMatchObject({ diff });
  });

  it("refuse params that can't be read", async () => {
    const { editor, texts } = await start({ open });
    const unreadable: Record<string, unknown> = {
      "a bare string": "*** Begin Patch\n*** End Patch",
      "two params": [edit, edit],
      none: undefined,
      "an empty array": [],
      "an array of null": [null],
      "an empty object": {},
      "no edits": { path: "a.txt", edits: [] },
      "a misspelt key": { ...edit, replaceALL: true },
    };
    for (const [what, params] of Object.entries(unreadable)) {
      const failure = await failed(editor.request("multiEdit/apply", params));
      expect(failure.rpcCode, what).toBe(-32602);
      expect(failure.message, what).not.toBe("");
    }
    expect(texts()).toEqual(open);
  });

  it("list every failure of a call, and the edits that were found", async () => {
    const { propose } = await start({ open });
    const failure = await failed(
      propose(batch(["a.txt", "gone", "x"], ["a.txt", "two", "TWO"], ["b.txt", "old", "new"], ["../c", "old", "new"])),
    );
    expect(failure.rpcCode).toBe(-32803);
    expect(failure.failures.map(({ code, index }) => [code, index])).toEqual([
      ["noMatch", 0],
      ["fileNotFound", 2],
      ["outsideWorkspace", 3],
    ]);
    expect(failure.edits.map(({ index, status }) => [index, status])).toEqual([
      [0, "failed"],
      [1, "notAttempted"],
      [2, "failed"],
      [3, "failed"],
    ]);
    expect(failure.message).toMatch(/\bedits? 1\b/i);
  });
});

describe("the commands", () => {
  const run = ({ editor }: Desk, command: string, ...more: unknown[]): Promise<unknown> =>
    editor.request("workspace/executeCommand", { command, ...(more.length === 0 ? {} : { arguments: more[0] }) });

  it("multiEdit.apply changes the text and reports the changes", async () => {
    const desk = await start({ open });
    expect(await run(desk, "multiEdit.apply", [edit])).toMatchObject({ applied: true, outcome: "applied", diff });
    expect(desk.texts()).toEqual({ "a.txt": "one\nTWO\nthree\n" });
    // The editor's current text is not on disk, although its previous text was.
    expect(await desk.read({ path: "a.txt" })).toMatchObject({ onDisk: "differs" });
  });

  it("multiEdit.preview answers with the same proposal as the request, and changes nothing", async () => {
    const desk = await start({ open });
    const proposal = await run(desk, "multiEdit.preview", [edit]);
    const { transaction: _, ...proposed } = await desk.propose(edit);
    expect(proposal).toEqual(proposed);
    expect(desk.texts()).toEqual(open);
    expect(desk.editor.asked).toEqual([]);
  });

  it("fail with arguments that can't be read", async () => {
    const desk = await start({ open });
    for (const given of [undefined, null, [], [null], ["a patch"], [{ path: "a.txt" }]]) {
      for (const command of ["multiEdit.apply", "multiEdit.preview"]) {
        const failure = await failed(run(desk, command, given));
        expect(failure.rpcCode, JSON.stringify(given)).toBe(-32602);
        expect(failure.failures.length, JSON.stringify(given)).toBeGreaterThan(0);
      }
    }
    expect(desk.texts()).toEqual(open);
  });

  it("are exactly the announced ones", async () => {
    const desk = await start({ open });
    for (const command of ["multiEdit.frobnicate", "apply", "", "x".repeat(1_000), "__proto__", "constructor"]) {
      const failure = await failed(run(desk, command, [edit]));
      expect(failure.rpcCode, command).toBe(-32602);
      expect(failure.message, command).toMatch(/no command/);
      expect(failure.message.length, command).toBeLessThan(200);
    }
  });

  it("fail without a name", async () => {
    const { editor } = await start({ open });
    const failure = await failed(editor.request("workspace/executeCommand", {}));
    expect(failure.rpcCode).toBe(-32602);
  });
});

describe("multiEdit/read", () => {
  const text = "one\r\ntwo\n\nfour";

  it("answers with the editor's text, saved or not", async () => {
    const desk = await start({ open: { "a.txt": text } });
    const uri = desk.uri("a.txt");
    const saved = { uri, version: 1, text, startLine: 1, endLine: 4, totalLines: 4, onDisk: "same" };
    for (const path of ["a.txt", "./a.txt", join(desk.root, "a.txt"), uri])
      expect(await desk.read({ path })).toEqual(saved);
    await desk.typeBefore("a.txt", "four", "un");
    expect(await desk.read({ path: "a.txt" })).toEqual({
      ...saved,
      version: 2,
      text: "one\r\ntwo\n\nunfour",
      onDisk: "differs",
    });
    writeFileSync(join(desk.root, "a.txt"), "one\r\ntwo\n\nunfour");
    expect(await desk.read({ path: "a.txt" })).toMatchObject({ version: 2, onDisk: "same" });
  });

  it("answers with those of the requested lines that exist", async () => {
    const { read } = await start({ open: { "a.txt": text } });
    const asked: [startLine: number | undefined, endLine: number | undefined, text: string, from: number][] = [
      [2, 3, "two\n\n", 2],
      [1, 1, "one\r\n", 1],
      [4, undefined, "four", 4],
      [undefined, 2, "one\r\ntwo\n", 1],
      [3, 90, "\nfour", 3],
      [5, 9, "", 5],
      [90, undefined, "", 5],
    ];
    for (const [startLine, endLine, expected, from] of asked) {
      const answer = await read({ path: "a.txt", startLine, endLine });
      const last = from - 1 + expected.split(/(?<=\n)/).filter((line) => line !== "").length;
      const lines = { text: expected, startLine: from, endLine: last, totalLines: 4 };
      expect(answer, `${startLine}-${endLine}`).toMatchObject(lines);
    }
  });

  it("answers with as many whole lines as fit, but at least one", async () => {
    const { read } = await start({ open: { "a.txt": text } });
    const asked: [startLine: number, maxLength: number, text: string, endLine: number][] = [
      [1, 100, text, 4],
      [1, 10, "one\r\ntwo\n\n", 3],
      [1, 9, "one\r\ntwo\n", 2],
      [1, 8, "one\r\n", 1],
      [2, 1, "two\n", 2],
      [4, 4, "four", 4],
      [9, 1, "", 4],
    ];
    for (const [startLine, maxLength, expected, endLine] of asked) {
      const answer = await read({ path: "a.txt", startLine, maxLength });
      expect(answer, `${startLine}, ${maxLength}`).toMatchObject({ text: expected, endLine, totalLines: 4 });
    }
    expect((await failed(read({ path: "a.txt", maxLength: 0 }))).codes).toEqual(["invalidParams"]);
  });

  it("counts an empty text as one line, and no line after the last line ending", async () => {
    const { read } = await start({ open: { "empty.txt": "", "ended.txt": "one\ntwo\n" } });
    expect(await read({ path: "empty.txt" })).toMatchObject({ text: "", startLine: 1, totalLines: 1 });
    expect(await read({ path: "ended.txt" })).toMatchObject({ text: "one\ntwo\n", totalLines: 2 });
  });

  it("reads a file that is not open from the disk, and one that is open only from the editor", async () => {
    const desk = await start({ files: { "a.txt": `\ufeff${text}` } });
    expect(await desk.read({ path: "a.txt" })).toEqual({
      uri: desk.uri("a.txt"),
      version: null,
      text,
      startLine: 1,
      endLine: 4,
      totalLines: 4,
      onDisk: "same",
    });
    await desk.editor.open({ uri: desk.uri("b.txt"), text: "never saved\n" });
    expect(await desk.read({ path: "b.txt" })).toMatchObject({ text: "never saved\n", version: 1, onDisk: "differs" });
  });

  it("fails with a code", async () => {
    const desk = await start({ open: { "a.txt": text } });
    mkdirSync(join(desk.root, "dir"));
    const asked: [params: unknown, code: string][] = [
      [{ path: "missing.txt" }, "fileNotFound"],
      [{ path: "dir" }, "isDirectory"],
      [{ path: "/etc/hostname" }, "outsideWorkspace"],
      [{ path: "" }, "invalidParams"],
      [{}, "invalidParams"],
      ["a.txt", "invalidParams"],
      [null, "invalidParams"],
      [{ path: "a.txt", startLine: 0 }, "invalidParams"],
      [{ path: "a.txt", startLine: 1.5 }, "invalidParams"],
      [{ path: "a.txt", startLine: 3, endLine: 2 }, "invalidParams"],
      [{ path: "a.txt", endLine: "2" }, "invalidParams"],
      [{ path: "a.txt", offset: 2, limit: 1 }, "unknownField"],
      [{ file_path: "a.txt" }, "unknownField"],
    ];
    for (const [params, code] of asked) {
      const failure = await failed(desk.read(params));
      expect(failure.codes, JSON.stringify(params)).toEqual([code]);
      expect(failure.rpcCode, JSON.stringify(params)).toBe(
        ["invalidParams", "unknownField"].includes(code) ? -32602 : -32803,
      );
    }
    expect(await desk.read({ path: "a.txt", endLine: 1, workDoneToken: 1 })).toMatchObject({ startLine: 1 });
  });
});

describe("a document that was synced with an invalid change", () => {
  const range = { start: { line: 90, character: 0 }, end: { line: 90, character: 0 } };
  const breakIt = (desk: Desk): Promise<void> =>
    desk.editor.notify("textDocument/didChange", {
      textDocument: { uri: desk.uri("a.txt"), version: 2 },
      contentChanges: [{ range, text: "?" }],
    });

  it("is refused at every door, together with the rest of the call", async () => {
    const desk = await start({ open: { ...open, "b.txt": "old\n" } });
    await breakIt(desk);
    for (const ask of [() => desk.propose(edit), () => desk.apply(edit), () => desk.read({ path: "a.txt" })]) {
      const failure = await failed(ask());
      expect([failure.rpcCode, failure.codes]).toEqual([-32803, ["desynced"]]);
    }
    const both = await failed(desk.apply(batch(["b.txt", "old", "new"], ["a.txt", "two", "TWO"])));
    expect(both.codes).toEqual(["desynced"]);
    expect(desk.texts()).toEqual({ ...open, "b.txt": "old\n" });
    expect(await desk.apply(batch(["b.txt", "old", "new"]))).toMatchObject({ outcome: "applied" });
    expect(desk.editor.messages.map(({ message }) => message).join()).toContain("out of sync");
  });

  it("is accepted again after it is opened again", async () => {
    const desk = await start({ open });
    await breakIt(desk);
    await desk.editor.close(desk.uri("a.txt"));
    await desk.editor.open({ uri: desk.uri("a.txt"), text: "two\n" });
    expect(await desk.apply(edit)).toMatchObject({ outcome: "applied" });
    expect(desk.texts()).toEqual({ "a.txt": "TWO\n" });
  });

  it("is accepted again after its whole text is synced", async () => {
    const desk = await start({ open });
    await breakIt(desk);
    await desk.editor.notify("textDocument/didChange", {
      textDocument: { uri: desk.uri("a.txt"), version: 3 },
      contentChanges: [{ text: "anew\none\ntwo\n" }],
    });
    expect((await desk.read({ path: "a.txt" })).text).toBe("anew\none\ntwo\n");
    expect((await desk.propose(edit)).files).toMatchObject([{ version: 3 }]);
  });
});

describe("a document that is not a file", () => {
  it.each(["untitled:Untitled-1", "git:/a/b.txt?ref=HEAD", "vscode-notebook-cell:/x.ipynb#W0"])(
    "%s is edited by its exact URI, if the settings allow its scheme",
    async (uri) => {
      const desk = await start({ args: [] });
      await desk.editor.setSettings({ save: "never", schemes: ["git", "vscode-notebook-cell"] });
      await desk.editor.open({ uri, text: "one\ntwo\n" });
      const answer = await desk.apply({ ...edit, path: uri });
      expect(answer).toMatchObject({ outcome: "applied", files: [{ uri, path: uri, version: 1 }], warnings: [] });
      expect("onDisk" in answer.files[0]!).toBe(false);
      expect(desk.texts()).toEqual({ [uri]: "one\nTWO\n" });
      expect(await desk.read({ path: uri })).toMatchObject({ uri, version: 2, text: "one\nTWO\n", onDisk: "differs" });
    },
  );

  it("that is not open is not found, and is not created", async () => {
    const { propose } = await start({ open: { "untitled:Untitled-1": "two\n" } });
    for (const oldText of ["two", ""]) {
      const failure = await failed(propose({ ...edit, path: "untitled:untitled-1", oldText }));
      expect(failure.codes).toEqual(["fileNotFound"]);
    }
  });
});

describe("$/cancelRequest", () => {
  it("ends a large batch while it is planned, and nothing changes", async () => {
    const text = Array.from({ length: 20_000 }, (_, i) => `line ${i} of a long text\n`).join("");
    const edits = Array.from({ length: 5_000 }, (_, i) => ["a.txt", `line ${i} of`, `row ${i} of`] as const);
    const desk = await start({ open: { "a.txt": text } });
    const source = new CancellationTokenSource();
    for (const door of [desk.propose, desk.apply]) {
      const answer = failed(door(batch(...edits), source.token));
      source.cancel();
      const failure = await answer;
      expect([failure.rpcCode, failure.codes]).toEqual([-32800, ["cancelled"]]);
    }
    expect(desk.texts()["a.txt"] === text).toBe(true);
    expect(desk.editor.asked).toEqual([]);
    expect(await desk.apply(batch(["a.txt", "line 7 of", "row 7 of"]))).toMatchObject({ outcome: "applied" });
  });

  it("may arrive when the editor has the first edit: the answer then describes the texts correctly", async () => {
    const desk = await start({ open: { "a.txt": "old\n", "b.txt": "old\n" } });
    const source = new CancellationTokenSource();
    desk.editor.beforeEdits(() => {
      if (desk.editor.asked.length === 2) source.cancel();
    });
    const outcome = await desk.apply(batch(["a.txt", "old", "new"], ["b.txt", "old", "new"]), source.token).then(
      (answer) => answer.outcome,
      (error: unknown) => (error instanceof ResponseError ? error.code : "?"),
    );
    const expected = outcome === "applied" ? "new\n" : "old\n";
    expect(["applied", -32800]).toContain(outcome);
    expect(desk.texts()).toEqual({ "a.txt": expected, "b.txt": expected });
  });
});
