/** One batch over open and closed files, which is applied completely or not at all, even if the server is killed. */

import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import { type ApplyWorkspaceEditParams, CancellationToken } from "vscode-languageserver/node";
import { TextDocument, type TextEdit } from "vscode-languageserver-textdocument";
import { execute } from "../server/lsp/apply/applyLoop.js";
import type { Run } from "../server/lsp/apply/step.js";
import { commitPart, stagePart } from "../server/lsp/apply/steps/disk.js";
import { nobody, worldOf } from "../server/lsp/session.js";
import type { FileChange } from "../server/plan/outcome.js";
import { openDiskSession } from "../server/session/diskSession.js";
import { ChangeSet } from "../server/text/changeSet.js";
import { limits } from "../server/text/limits.js";
import { createResolver } from "../server/workspace/paths.js";
import { uriOfPath } from "../server/workspace/pathText.js";
import { defaultSettings } from "../server/workspace/settings.js";
import { failed, layDesk, serverForDesks } from "./support/desk.js";
import { makeDirectory } from "./support/directory.js";
import { rolledBack } from "./support/rolledBack.js";

const program = serverForDesks();

const edits = (...paths: readonly string[]) => paths.map((path) => ({ path, oldText: "old", newText: "new" }));

describe("a batch over open and closed files", () => {
  it("changes the text in the editor and the bytes on disk", async () => {
    const desk = await layDesk(program, { files: { "b.txt": "old b\r\n" }, open: { "a.txt": "old a, unsaved\n" } });
    const result = await desk.apply({ edits: edits("a.txt", "b.txt") });
    expect(result).toMatchObject({ applied: true, outcome: "applied", warnings: [] });
    expect(desk.texts()).toEqual({ "a.txt": "new a, unsaved\n" });
    expect(desk.disk()).toMatchObject({ "b.txt": "new b\r\n" });
    expect(result.files.map(({ path, onDisk, version }) => [path, onDisk, version])).toEqual([
      ["a.txt", "differs", 1],
      ["b.txt", "same", null],
    ]);
  });

  it("creates, moves and deletes files, even in a new folder, and can be undone as a whole", async () => {
    const files = { "moved.txt": "old\n", "gone.txt": "gone\n" };
    const desk = await layDesk(program, { files, open: { "a.txt": "old\n" } });
    const patch = [
      "*** Begin Patch",
      "*** Update File: a.txt",
      "@@",
      "-old",
      "+new",
      "*** Add File: deep/er/made.txt",
      "+made",
      "*** Update File: moved.txt",
      "*** Move to: deep/name.txt",
      "@@",
      "-old",
      "+new",
      "*** Delete File: gone.txt",
      "*** End Patch",
    ].join("\n");
    const { transaction } = await desk.apply({ patch });
    expect(desk.texts()).toEqual({ "a.txt": "new\n" });
    expect(desk.disk()).toEqual({ "a.txt": "old\n", "deep/er/made.txt": "made\n", "deep/name.txt": "new\n" });
    expect(await desk.undo(transaction)).toMatchObject({ applied: true });
    expect(desk.texts()).toEqual({ "a.txt": "old\n" });
    expect(desk.disk()).toEqual({ "a.txt": "old\n", ...files });
    expect(existsSync(join(desk.root, "deep"))).toBe(false);
  });

  it("keeps the mode and every byte around the edit", async () => {
    const desk = await layDesk(program);
    const path = join(desk.root, "tool.sh");
    writeFileSync(path, "\ufeff# old\r\nkept \t\nlast", { mode: 0o750 });
    await desk.apply({ edits: edits("tool.sh") });
    expect(readFileSync(path, "utf8")).toBe("\ufeff# new\r\nkept \t\nlast");
    expect(statSync(path).mode & 0o777).toBe(0o750);
  });

  it("changes nothing if the editor refuses its part", async () => {
    const desk = await layDesk(program, {
      files: { "b.txt": "old\n" },
      open: { "a.txt": "old\n" },
    });
    desk.editor.behave("refuses");
    const { codes } = await failed(desk.apply({ edits: edits("b.txt", "a.txt") }));
    expect(codes).toEqual(["clientRefused"]);
    expect(desk.disk()).toEqual({ "a.txt": "old\n", "b.txt": "old\n" });
  });

  it("asks the editor for nothing if a file can't be written", async () => {
    const desk = await layDesk(program, { files: { "b.txt": "old\n" }, open: { "a.txt": "old\n" } });
    // A Vim swap file, recognizable by its first bytes, means that Vim may have unsaved changes to `b.txt`.
    const swap = Buffer.alloc(4096);
    swap.write("b0VIM 9.0");
    writeFileSync(join(desk.root, ".b.txt.swp"), swap);
    const { codes } = await failed(desk.apply({ edits: edits("a.txt", "b.txt") }));
    expect(codes).toEqual(["locked"]);
    expect(desk.texts()).toEqual({ "a.txt": "old\n" });
    expect(desk.disk()["b.txt"]).toBe("old\n");
  });

  const meanwhile: readonly (readonly [what: string, act: (path: string) => void, left: string | undefined])[] = [
    [
      "saved by another program",
      (path) => {
        writeFileSync(`${path}~`, "theirs\n");
        renameSync(`${path}~`, path);
      },
      "theirs\n",
    ],
    ["deleted", (path) => rmSync(path), undefined],
    ["given another mode", (path) => chmodSync(path, 0o755), "old\n"],
  ];

  it.each(meanwhile)("does not touch a file that was %s while the editor was being asked", async (_, act, left) => {
    const desk = await layDesk(program, { files: { "b.txt": "old\n", "c.txt": "old\n" }, open: { "a.txt": "old\n" } });
    const path = join(desk.root, "c.txt");
    let isDone = false;
    desk.editor.beforeEdits(() => {
      if (!isDone) act(path);
      isDone = true;
    });
    const { codes, message } = await failed(desk.apply({ edits: edits("a.txt", "b.txt", "c.txt") }));
    expect(codes).toEqual(["contentModified"]);
    expect(message).toContain("Everything was rolled back.");
    expect(desk.texts()).toEqual({ "a.txt": "old\n" });
    const rest = { "a.txt": "old\n", "b.txt": "old\n" };
    expect(desk.disk()).toEqual(left === undefined ? rest : { ...rest, "c.txt": left });
    if (left === "old\n") expect(statSync(path).mode & 0o777).toBe(0o755);
  });

  it("is undone as a whole however long its label is", async () => {
    const desk = await layDesk(program, { files: { "b.txt": "old\n", "c.txt": "old\n" }, open: { "a.txt": "old\n" } });
    const label = "l".repeat(limits.label);
    await desk.apply({ edits: edits("a.txt", "b.txt", "c.txt"), options: { label } });
    let isDone = false;
    desk.editor.beforeEdits(() => {
      if (!isDone) writeFileSync(join(desk.root, "c.txt"), "theirs\n");
      isDone = true;
    });
    const { codes } = await failed(desk.undo());
    expect(codes).toEqual(["contentModified"]);
    expect(desk.texts()).toEqual({ "a.txt": "new\n" });
    expect(desk.disk()).toEqual({ "a.txt": "old\n", "b.txt": "new\n", "c.txt": "theirs\n" });
  });

  it("does not write a file that the user opens while the editor is being asked", async () => {
    const desk = await layDesk(program, { files: { "b.txt": "old\n", "c.txt": "old\n" }, open: { "a.txt": "old\n" } });
    desk.editor.beforeEdits(async () => {
      if (!("c.txt" in desk.texts())) await desk.editor.open({ uri: desk.uri("c.txt"), text: "old, typed\n" });
    });
    const call = { edits: edits("a.txt", "b.txt", "c.txt") };
    const { codes, message } = await failed(desk.apply(call));
    expect([codes, message]).toEqual([
      ["contentModified"],
      expect.stringContaining("c.txt has changed: it has been opened in the editor"),
    ]);
    expect(desk.texts()).toEqual({ "a.txt": "old\n", "c.txt": "old, typed\n" });
    expect(desk.disk()).toEqual({ "a.txt": "old\n", "b.txt": "old\n", "c.txt": "old\n" });
    expect(await desk.apply(call)).toMatchObject({ outcome: "applied" });
    expect(desk.texts()).toEqual({ "a.txt": "new\n", "c.txt": "new, typed\n" });
  });

  it("is refused if the first of two Vim processes has ended and the second still has the file open", async () => {
    const desk = await layDesk(program, { files: { "b.txt": "old\n" } });
    const swap = Buffer.alloc(4096);
    swap.write("b0VIM 9.0");
    writeFileSync(join(desk.root, ".b.txt.swo"), swap);
    const { codes } = await failed(desk.apply({ edits: edits("b.txt") }));
    expect(codes).toEqual(["locked"]);
  });

  it("is applied by the editor if an open file makes its name free for a new one", async () => {
    const desk = await layDesk(program, { open: { "a.txt": "old\n" } });
    const patch =
      "*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n old\n*** Add File: a.txt\n+new\n*** End Patch";
    expect(await desk.apply({ patch })).toMatchObject({ outcome: "applied" });
    expect(desk.texts()).toEqual({ "a.txt": "new\n", "b.txt": "old\n" });
  });
});

describe("a file that another editor opens while this one is being asked", () => {
  it("is not written, and everything is rolled back", async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "multi-edit-two-")));
    for (const path of ["a.txt", "b.txt"]) writeFileSync(join(root, path), "old\n");
    const [first, second] = [await connect(root), await connect(root)];
    const uriOf = (path: string): string => pathToFileURL(join(root, path)).href;
    const open = (path: string, text: string) => ({ uri: uriOf(path), languageId: "text", version: 1, text });
    await first.connection.sendNotification("textDocument/didOpen", { textDocument: open("a.txt", "old\n") });
    let text = "old\n";
    let version = 1;
    first.connection.onRequest("workspace/applyEdit", async ({ edit }: ApplyWorkspaceEditParams) => {
      await second.connection.sendNotification("textDocument/didOpen", { textDocument: open("b.txt", "typed old\n") });
      // By the time this request is answered, the notification has been handled.
      await second.connection.sendRequest("multiEdit/status");
      const [change] = edit.documentChanges ?? [];
      if (change === undefined || !("edits" in change)) throw new Error("the first change should be an edit of a text");
      const before = TextDocument.create(uriOf("a.txt"), "text", version, text);
      text = TextDocument.applyEdits(before, change.edits as TextEdit[]);
      const textDocument = { uri: uriOf("a.txt"), version: ++version };
      await first.connection.sendNotification("textDocument/didChange", { textDocument, contentChanges: [{ text }] });
      return { applied: true };
    });
    const call = { command: "multiEdit.apply", arguments: [{ edits: edits("a.txt", "b.txt") }] };
    const { codes, message } = await failed(first.connection.sendRequest("workspace/executeCommand", call));
    expect(codes).toEqual(["locked"]);
    expect(message).toContain(rolledBack("a.txt"));
    expect(text).toBe("old\n");
    expect(readFileSync(join(root, "b.txt"), "utf8")).toBe("old\n");
    for (const { connection } of [first, second]) {
      await connection.sendRequest("shutdown");
      await connection.sendNotification("exit");
      connection.dispose();
    }
  });
});

describe("a server that is killed after it asks the editor and before it writes the files", () => {
  it("leaves the disk as it was, and the next server says so", async () => {
    const root = mkdtempSync(join(tmpdir(), "multi-edit-killed-"));
    const closed = ["b.txt", "c.txt", "d.txt"];
    for (const path of ["a.txt", ...closed]) writeFileSync(join(root, path), "old\n");
    const first = await connect(root);
    const uri = pathToFileURL(join(root, "a.txt")).href;
    const textDocument = { uri, languageId: "text", version: 1, text: "old, unsaved\n" };
    await first.connection.sendNotification("textDocument/didOpen", { textDocument });
    // The editor is asked once the disk part is ready; the server is killed before the editor answers.
    const asked = new Promise<void>((resolve) => {
      first.connection.onRequest("workspace/applyEdit", () => {
        resolve();
        return new Promise(() => undefined);
      });
    });
    const call = { edits: edits("a.txt", ...closed) };
    first.connection
      .sendRequest("workspace/executeCommand", { command: "multiEdit.apply", arguments: [call] })
      .catch(() => undefined);
    await asked;
    expect(readdirSync(root).length).toBeGreaterThan(4);
    const gone = new Promise((resolve) => first.child.once("exit", resolve));
    first.child.kill("SIGKILL");
    await gone;
    first.connection.dispose();

    const second = await connect(root);
    expect(await second.shown).toContain("was interrupted");
    expect(readdirSync(root).sort()).toEqual(["a.txt", ...closed]);
    for (const path of closed) expect(readFileSync(join(root, path), "utf8")).toBe("old\n");
    await second.connection.sendRequest("shutdown");
    await second.connection.sendNotification("exit");
    second.connection.dispose();
  });
});

describe("an internal error before the disk part is committed", () => {
  /** A session in this process, and a change to `a.txt` in its folder. */
  async function layPart() {
    const root = makeDirectory({ "a.txt": "old\n" });
    const user = { settings: defaultSettings, isStricterOnly: false, problems: [] };
    const start = { directory: root, user, version: "0.0.0", outside: nobody, log: () => undefined };
    const session = await openDiskSession(start);
    const file = join(root, "a.txt");
    const uri = uriOfPath(file);
    const document = { uri, path: "a.txt", version: null, text: "old\n", exists: true, loneCrEndsLine: true };
    const planned: FileChange = {
      document: { ...document, bom: false, bomSynced: false },
      change: ChangeSet.of(4, [{ from: 0, to: 3, insert: "new" }]),
      text: "new\n",
      kind: "update",
      overwritten: false,
      edits: 1,
      operations: [],
    };
    const resolved = await (await createResolver(worldOf(session, undefined))).resolve(uri);
    if (!resolved.ok) throw new Error(resolved.failure.message);
    const site = { session, options: {}, places: new Map([[uri, resolved.place]]) };
    const part = async () => {
      const staged = await stagePart(site, [{ kind: "text", planned }], { token: CancellationToken.None, queue: {} });
      if (!staged.ok) throw new Error(staged.failures[0]?.message);
      return staged;
    };
    return { root, session, planned, site, part };
  }

  /** Checks that no other files are left behind and that the next batch succeeds. */
  async function expectFree({ root, site, part }: Awaited<ReturnType<typeof layPart>>): Promise<void> {
    expect(readdirSync(root)).toEqual(["a.txt"]);
    const next = await part();
    expect(await commitPart(site, next, { hasWaited: false })).toMatchObject([{ outcome: { kind: "verified" } }]);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("new\n");
  }

  it("leaves no traces if the server can't look for other editors", async () => {
    const laid = await layPart();
    const staged = await laid.part();
    const { outside } = laid.session;
    laid.session.outside = { ...outside, holders: () => Promise.reject(new Error("a fault")) };
    await expect(commitPart(laid.site, staged, { hasWaited: true })).rejects.toThrow("a fault");
    laid.session.outside = outside;
    await expectFree(laid);
  });

  it("abandons its files only once if another editor has opened one, so that no second error hides the first", async () => {
    const laid = await layPart();
    const part = await laid.part();
    const abandon = (): never => {
      part.staged.abandon();
      throw new Error("a fault");
    };
    const { outside } = laid.session;
    const holders: typeof outside.holders = async (paths) =>
      new Map(paths.map((path) => [path, { kind: "open", by: "Helix" }]));
    laid.session.outside = { ...outside, holders };
    const faulty = { ...part, staged: { ...part.staged, abandon } };
    await expect(commitPart(laid.site, faulty, { hasWaited: true })).rejects.toThrow("a fault");
    laid.session.outside = outside;
    await expectFree(laid);
  });

  it("leaves no traces if the editor's part can't be started", async () => {
    const laid = await layPart();
    const { site, planned } = laid;
    const document = { ...planned.document, uri: "untitled:b" };
    // A plan never creates a document that is not a file.
    const run: Run = {
      ...site,
      plan: { ok: true, files: [], outcomes: [], warnings: [], tasks: [], asks: [], places: site.places },
      tasks: [{ kind: "create", planned: { ...planned, kind: "create", document } }],
      disk: await laid.part(),
      shownTo: site.session,
      warnings: [],
      replan: { plan: () => Promise.reject(new Error("no replanning is expected")), confirmation: undefined },
      done: [],
      budget: { bytes: 0 },
    };
    await expect(execute(run)).rejects.toThrow("only files have a path");
    await expectFree(laid);
  });
});

/** Starts a server on a folder and waits for its first message to the user. */
async function connect(root: string) {
  const child = spawn(process.execPath, [program.path, "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  const shown = new Promise<string>((resolve) => {
    connection.onNotification("window/showMessage", ({ message }: { message: string }) => resolve(message));
  });
  connection.onNotification("window/logMessage", () => undefined);
  connection.listen();
  await connection.sendRequest("initialize", {
    processId: process.pid,
    rootUri: null,
    workspaceFolders: [{ uri: pathToFileURL(root).href, name: "root" }],
    capabilities: { workspace: { applyEdit: true, workspaceEdit: { documentChanges: true } } },
  });
  await connection.sendNotification("initialized", {});
  return { child, connection, shown };
}
