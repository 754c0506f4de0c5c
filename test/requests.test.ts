/** The server's own requests and commands over the wire: their params, options, answers and errors. */
import { createHash } from "node:crypto";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CancellationTokenSource, ResponseError } from "vscode-jsonrpc/node";
import { batch, type Desk, type DeskOptions, failed, layDesk, serverForDesks, throughEditor } from "./support/desk.js";

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
        // By which it can be taken back once the client has applied it.
        ...(method === "multiEdit/apply" ? { transaction: expect.any(String) } : {}),
      });
      expect(texts()).toEqual(open);
      expect(editor.asked).toEqual([]);
    },
  );

  it("take the params as the only item of an array, too", async () => {
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

  it("list every failure of a call, and what is in order", async () => {
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

  it("multiEdit.apply changes the text and answers with what it did", async () => {
    const desk = await start({ open });
    expect(await run(desk, "multiEdit.apply", [edit])).toMatchObject({ applied: true, outcome: "applied", diff });
    expect(desk.texts()).toEqual({ "a.txt": "one\nTWO\nthree\n" });
    // The text that the editor holds now is not on disk, although the one before it was.
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

  it("are those that were announced and no others", async () => {
    const desk = await start({ open });
    for (const command of ["multiEdit.frobnicate", "apply", "", "x".repeat(1_000), "__proto__", "constructor"]) {
      const failure = await failed(run(desk, command, [edit]));
      expect(failure.rpcCode, command).toBe(-32602);
      expect(failure.message, command).toMatch(/no command/);
      expect(failure.message.length, command).toBeLessThan(200);
    }
  });

  it("without a name are none", async () => {
    const { editor } = await start({ open });
    const failure = await failed(editor.request("workspace/executeCommand", {}));
    expect(failure.rpcCode).toBe(-32602);
  });
});

describe("options", () => {
  it("versions: the right one passes, with whatever spelling of the URI", async () => {
    const desk = await start({ open });
    const spelt = desk.uri("a.txt").replace("a.txt", "./%61.txt");
    for (const uri of [desk.uri("a.txt"), spelt]) {
      expect(await desk.propose({ ...edit, options: { versions: { [uri]: 1 } } })).toMatchObject({ warnings: [] });
    }
  });

  it.each<[string, (uri: string) => string]>([
    ["its own spelling", (uri) => uri],
    ["an escaped letter", (uri) => uri.replace("a.txt", "%61.txt")],
    ["a dot in the path", (uri) => uri.replace("a.txt", "./a.txt")],
    ["a symbolic link", (uri) => uri.replace("a.txt", "link.txt")],
  ])("versions: a stale one fails the call, with %s", async (_how, spell) => {
    const desk = await start({ open });
    symlinkSync(join(desk.root, "a.txt"), join(desk.root, "link.txt"));
    await desk.typeBefore("a.txt", "one", "x");
    const versions = { [spell(desk.uri("a.txt"))]: 1 };
    const doors = [
      [desk.propose, -32801],
      // VS Code's client library drops the answer to a command that says ContentModified, and throws nothing.
      [desk.apply, -32803],
    ] as const;
    for (const [door, rpcCode] of doors) {
      const failure = await failed(door({ ...edit, options: { versions } }));
      expect([failure.rpcCode, failure.codes]).toEqual([rpcCode, ["contentModified"]]);
      expect(failure.failures[0]!.path).toBe("a.txt");
    }
    expect(desk.texts()).toEqual({ "a.txt": `x${open["a.txt"]}` });
  });

  it("versions: a file that is not open has none", async () => {
    const desk = await start({ files: open });
    const failure = await failed(desk.propose({ ...edit, options: { versions: { [desk.uri("a.txt")]: 1 } } }));
    expect([failure.rpcCode, failure.codes]).toEqual([-32801, ["contentModified"]]);
  });

  it("versions: count for documents that the call does not touch, too, and an unknown one is warned about", async () => {
    const desk = await start({ open: { ...open, "b.txt": "" } });
    const propose = (path: string, version: number) =>
      desk.propose({ ...edit, options: { versions: { [desk.uri(path)]: version } } });
    expect((await propose("b.txt", 1)).warnings).toEqual([]);
    const failure = await failed(propose("b.txt", 7));
    expect([failure.rpcCode, failure.codes]).toEqual([-32801, ["contentModified"]]);
    const { warnings } = await propose("c.txt", 7);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("c.txt");
  });

  it("summary: no edit, and a diff of at most 16,000 characters that ends with a line", async () => {
    const line = (i: number): string => `old line ${String(i).padStart(4, "0")}\n`;
    const lines = Array.from({ length: 800 }, (_, i) => line(i)).join("");
    const { propose } = await start({ open: { "a.txt": lines } });
    const call = { path: "a.txt", oldText: "old", newText: "new", replaceAll: true };
    const full = await propose(call);
    const summary = await propose({ ...call, options: { result: "summary" } });
    expect(full.diff.length).toBeGreaterThan(16_000);
    expect("edit" in summary).toBe(false);
    expect(full.diff.startsWith(summary.diff)).toBe(true);
    expect(summary.diff.endsWith("\n")).toBe(true);
    expect(summary.diff.length).toBeLessThanOrEqual(16_000);
    // No further line would have fitted.
    const next = full.diff.indexOf("\n", summary.diff.length) + 1;
    expect(next).toBeGreaterThan(16_000);
    expect(summary.warnings.join()).toContain((full.diff.length - summary.diff.length).toLocaleString("en"));
    expect(summary.files.map(({ added, removed }) => [added, removed])).toEqual([[800, 800]]);
    expect(JSON.stringify(summary).length).toBeLessThan(16_000 * 2 + 800 * 40);
  });

  it("summary: of one very long line keeps whole lines only", async () => {
    const { propose } = await start({ open: { "a.txt": `${"x".repeat(40_000)}old\n` } });
    const { diff: cut } = await propose({ ...edit, oldText: "old", options: { result: "summary" } });
    expect(cut).toMatch(/^diff --git .*\n--- .*\n\+\+\+ .*\n@@ .* @@\n$/);
  });

  it("summary: that leaves out nothing but the edit says so", async () => {
    const { propose, apply, texts } = await start({ open });
    const summary = await propose({ ...edit, options: { result: "summary" } });
    expect(summary.diff).toBe(diff);
    expect(summary.warnings).toHaveLength(1);
    expect(summary.warnings[0]).toMatch(/summary.*no edit/);
    expect(summary.warnings[0]).not.toContain("characters");
    expect("edit" in (await apply({ ...edit, options: { result: "summary" } }))).toBe(false);
    expect(texts()).toEqual({ "a.txt": "one\nTWO\nthree\n" });
  });

  it("label: is what the editor shows", async () => {
    const { editor, apply } = await start({ open });
    expect(await apply({ ...edit, options: { label: "Shout" } })).toMatchObject({ label: "Shout" });
    expect(editor.asked.map(({ label }) => label)).toEqual(["Shout"]);
  });

  it("root: relative paths start there, and it must be inside", async () => {
    const desk = await start({ files: { "sub/a.txt": open["a.txt"], "other/a.txt": open["a.txt"] } });
    for (const root of [join(desk.root, "sub"), desk.uri("sub")]) {
      const { files } = await desk.propose({ ...edit, options: { root } });
      expect(files).toMatchObject([{ path: "sub/a.txt", uri: desk.uri("sub/a.txt") }]);
    }
    expect((await failed(desk.propose({ ...edit, options: { root: "/" } }))).codes).toEqual(["outsideWorkspace"]);
    expect((await failed(desk.propose({ ...edit, options: { root: "sub" } }))).codes).toEqual(["invalidParams"]);
  });

  const three = batch(["a.txt", "one", "ONE"], ["a.txt", "gone", "x"], ["b.txt", "old", "new"]);
  it.each<["file" | "none", Record<string, string>]>([
    ["file", { "a.txt": open["a.txt"], "b.txt": "new\n" }],
    ["none", { "a.txt": "ONE\ntwo\nthree\n", "b.txt": "new\n" }],
  ])("atomic: %s lets through what it may", async (atomic, expected) => {
    const { apply, texts } = await start({ open: { ...open, "b.txt": "old\n" } });
    const answer = await apply({ ...three, options: { atomic } });
    expect(answer).toMatchObject({ applied: true, outcome: "applied" });
    expect(answer.edits.map(({ failure }) => failure?.code)).toEqual([undefined, "noMatch", undefined]);
    expect(texts()).toEqual(expected);
  });

  it("atomic: that leaves nothing to apply fails the call", async () => {
    const { apply } = await start({ open });
    const failure = await failed(apply({ ...batch(["a.txt", "gone", "x"]), options: { atomic: "none" } }));
    expect(failure.codes).toEqual(["noMatch"]);
  });

  it("order and lenient: decide where an old text is found", async () => {
    const { propose } = await start({ open });
    const chain = batch(["a.txt", "one", "uno"], ["a.txt", "uno", "eins"]);
    expect(await propose(chain)).toMatchObject({ outcome: "proposed" });
    expect((await failed(propose({ ...chain, options: { order: "original" } }))).codes).toEqual(["noMatch"]);
    const loose = batch(["a.txt", "one  \ntwo", "1"]);
    expect(await propose(loose)).toMatchObject({ edits: [{ rung: "trailingBlanks" }] });
    expect((await failed(propose({ ...loose, options: { lenient: false } }))).codes).toEqual(["noMatch"]);
  });

  it("that can't be read fail the call", async () => {
    const { propose } = await start({ open });
    for (const options of [{ atomic: "some" }, { versions: { x: 1.5 } }, { confirm: "yes" }, 7, { lenint: false }]) {
      expect((await failed(propose({ ...edit, options }))).rpcCode, JSON.stringify(options)).toBe(-32602);
    }
  });
});

describe("multiEdit/read", () => {
  const text = "one\r\ntwo\n\nfour";

  it("answers with the text as the editor has it, saved or not", async () => {
    const desk = await start({ open: { "a.txt": text } });
    const uri = desk.uri("a.txt");
    const saved = { uri, version: 1, text, startLine: 1, totalLines: 4, onDisk: "same" };
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

  it("answers with the lines that are asked for, as far as there are any", async () => {
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
      expect(answer, `${startLine}-${endLine}`).toMatchObject({ text: expected, startLine: from, totalLines: 4 });
    }
  });

  it("counts an empty text as one line, and no line behind the last line's end", async () => {
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

describe("a document whose changes make no sense", () => {
  const range = { start: { line: 90, character: 0 }, end: { line: 90, character: 0 } };
  const breakIt = (desk: Desk): Promise<void> =>
    desk.editor.notify("textDocument/didChange", {
      textDocument: { uri: desk.uri("a.txt"), version: 2 },
      contentChanges: [{ range, text: "?" }],
    });

  it("is refused at every door, and the rest of the call with it", async () => {
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

  it("is known again once it is opened again", async () => {
    const desk = await start({ open });
    await breakIt(desk);
    await desk.editor.close(desk.uri("a.txt"));
    await desk.editor.open({ uri: desk.uri("a.txt"), text: "two\n" });
    expect(await desk.apply(edit)).toMatchObject({ outcome: "applied" });
    expect(desk.texts()).toEqual({ "a.txt": "TWO\n" });
  });

  it("is known again once it is told as a whole", async () => {
    const desk = await start({ open });
    await breakIt(desk);
    await desk.editor.notify("textDocument/didChange", {
      textDocument: { uri: desk.uri("a.txt"), version: 3 },
      contentChanges: [{ text: "two, anew\n" }],
    });
    expect((await desk.read({ path: "a.txt" })).text).toBe("two, anew\n");
    expect((await desk.propose(edit)).files).toMatchObject([{ version: 3 }]);
  });
});

describe("a client that can do less", () => {
  const workspace = { applyEdit: true };
  const creation = batch(["a.txt", "two", "TWO"], ["new.txt", "", "text\n"]);

  it.each<[string, DeskOptions]>([
    ["no workspaceEdit", { capabilities: { workspace } }],
    ["nothing in it", { capabilities: { workspace: { ...workspace, workspaceEdit: {} } } }],
    [
      "documentChanges: false",
      { capabilities: { workspace: { ...workspace, workspaceEdit: { documentChanges: false } } } },
    ],
  ])("%s: it gets changes instead of documentChanges", async (_what, options) => {
    const desk = await start({ open, ...options });
    const { edit: made } = await desk.propose(edit);
    expect(Object.keys(made!)).toEqual(["changes"]);
    expect(Object.keys(made!.changes!)).toEqual([desk.uri("a.txt")]);
    expect(await desk.apply(edit)).toMatchObject({ outcome: "applied" });
    expect(desk.editor.asked.map((one) => Object.keys(one.edit))).toEqual([["changes"]]);
    expect(desk.texts()).toEqual({ "a.txt": "one\nTWO\nthree\n" });
  });

  it.each<[string, DeskOptions]>([
    ["Neovim, which is known to", { clientInfo: { name: "Neovim" }, capabilities: { workspace } }],
    [
      "one with resource operations",
      { capabilities: { workspace: { ...workspace, workspaceEdit: { resourceOperations: ["rename"] } } } },
    ],
  ])("%s: it gets documentChanges though it does not announce them", async (_what, options) => {
    const desk = await start({ open, ...options });
    expect(Object.keys((await desk.propose(edit)).edit!)).toEqual(["documentChanges"]);
  });

  it.each([[undefined], [[]], [["rename", "delete"]]])(
    "with the file operations %j: a creation fails before anything happens",
    async (operations) => {
      const workspaceEdit = {
        documentChanges: true,
        ...(operations === undefined ? {} : { resourceOperations: operations as ("rename" | "delete")[] }),
      };
      const desk = await start({ open, capabilities: { workspace: { ...workspace, workspaceEdit } } });
      for (const door of [desk.propose, desk.apply]) {
        const failure = await failed(door(throughEditor(creation)));
        expect([failure.rpcCode, failure.codes]).toEqual([-32803, ["clientCapability"]]);
        expect(failure.failures[0]!.path).toBe("new.txt");
        expect(failure.edits.map(({ status }) => status)).not.toContain("applied");
      }
      expect(desk.editor.asked).toEqual([]);
      expect(desk.texts()).toEqual(open);
      expect(desk.disk()).toEqual(open);
    },
  );

  it("no workspace/applyEdit: the command fails, the request and the preview do not", async () => {
    const desk = await start({ open, capabilities: { workspace: { workspaceEdit: { documentChanges: true } } } });
    const failure = await failed(desk.apply(edit));
    expect([failure.rpcCode, failure.codes]).toEqual([-32803, ["clientCapability"]]);
    expect(failure.message).toContain("multiEdit/apply");
    expect(desk.editor.asked).toEqual([]);
    expect(await desk.propose(edit)).toMatchObject({ outcome: "proposed" });
  });

  it("no workspace/applyEdit: nobody is asked to confirm what can't be done", async () => {
    const desk = await start({ open, capabilities: { workspace: {} } });
    expect((await failed(desk.apply({ ...edit, options: { confirm: true } }))).codes).toEqual(["clientCapability"]);
    expect(desk.editor.questions).toEqual([]);
  });
});

describe("a document that is no file", () => {
  it.each(["untitled:Untitled-1", "git:/a/b.txt?ref=HEAD", "vscode-notebook-cell:/x.ipynb#W0"])(
    "%s is edited by its exact URI",
    async (uri) => {
      const desk = await start({ open: { [uri]: "one\ntwo\n" } });
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
  it("ends a large batch while it is planned, and nothing has changed", async () => {
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

  it("that comes when the editor has the first edit: the answer is true of the texts", async () => {
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
