/**
 * The negotiation between a client and the built server: capabilities, position encodings, workspace folders and
 * traces.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { InitializeParams } from "vscode-languageserver/node";
import type { StatusResult } from "../server/lsp/protocol.js";
import { batch, type Desk, type DeskOptions, failed, layDesk, serverForDesks } from "./support/desk.js";

const program = serverForDesks();

const start = (options: DeskOptions = {}): Promise<Desk> => layDesk(program, options);

describe("initialize", () => {
  it("announces exactly the capabilities of the server", async () => {
    const { editor } = await start();
    const reviewed = ["keep", "redo", "comment", "reviewNext", "reviewPrevious", "reviewDiff"];
    const commands = ["apply", "preview", "undo", ...reviewed].map((name) => `multiEdit.${name}`);
    expect(editor.initialized.capabilities).toEqual({
      positionEncoding: "utf-16",
      textDocumentSync: { openClose: true, change: 2, save: true },
      executeCommandProvider: { commands: [...commands, "multiEdit.show"] },
      codeActionProvider: { codeActionKinds: ["quickfix"], resolveProvider: true },
      hoverProvider: true,
      workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
      experimental: {
        multiEdit: { version: 1, shapes: ["batch", "pi", "MultiEdit", "edit_file", "patch"], commands, review: true },
      },
    });
    expect(editor.initialized.serverInfo?.name).toBe("multi-edit-language-server");
  });

  it("registers for changes of settings only if the client supports it", async () => {
    const able = await start();
    const unable = await start({ capabilities: { workspace: { applyEdit: true } } });
    // By the time any request is answered, everything that the server sent earlier has arrived.
    await able.read({ path: "a" }).catch(() => undefined);
    await unable.read({ path: "a" }).catch(() => undefined);
    expect(able.editor.registrations).toMatchObject([
      {
        registrations: [{ method: "workspace/didChangeConfiguration", registerOptions: { section: "multiEdit" } }],
      },
    ]);
    expect(unable.editor.registrations).toEqual([]);
    expect(unable.editor.configurations).toEqual([]);
  });
});

describe("position encodings", () => {
  const text = "é😀e\u0301 old 😀 old\r\nold\n";
  it.each<[offered: string[] | undefined, chosen: string]>([
    [["utf-8", "utf-16", "utf-32"], "utf-8"],
    [["utf-16", "utf-8"], "utf-16"],
    [["utf-32", "utf-8", "utf-16"], "utf-32"],
    [["utf-7", "utf-32"], "utf-32"],
    [["utf-7"], "utf-16"],
    [["UTF-8"], "utf-16"],
    [[], "utf-16"],
    [undefined, "utf-16"],
  ])("of %j the server chooses %s, and both sides use it", async (offered, chosen) => {
    const desk = await start({ open: { "a.txt": text }, ...(offered === undefined ? {} : { encodings: offered }) });
    expect(desk.editor.initialized.capabilities.positionEncoding).toBe(chosen);
    // Text typed after wide characters is synced with positions in the chosen encoding.
    await desk.typeBefore("a.txt", "old", "😀");
    await desk.apply({ path: "a.txt", oldText: "old", newText: "ñew", replaceAll: true });
    expect(desk.texts()).toEqual({ "a.txt": "é😀e\u0301 😀ñew 😀 ñew\r\nñew\n" });
    expect(desk.editor.refusals).toEqual([]);
  });

  it("that are not a list count as absent", async () => {
    const general = { positionEncodings: "utf-8" as unknown as string[] };
    const { editor } = await start({ capabilities: { general } });
    expect(editor.initialized.capabilities.positionEncoding).toBe("utf-16");
  });
});

describe("workspace folders at the start", () => {
  const files = { "one/a.txt": "old\n", "two/b.txt": "old\n" };
  const edit = { path: "a.txt", oldText: "old", newText: "new" };
  type Params = Partial<InitializeParams>;
  const folderAt = (desk: DeskOptions, params: (uri: (path: string) => string) => Params): Promise<Desk> =>
    startWith({ files, folderNames: [], ...desk }, params);

  it.each<[string, (uri: (path: string) => string) => Params]>([
    ["workspaceFolders", (uri) => ({ rootUri: null, workspaceFolders: [{ uri: uri("one"), name: "one" }] })],
    ["rootUri alone", (uri) => ({ rootUri: uri("one"), workspaceFolders: undefined as never })],
    ["rootUri, and workspaceFolders null", (uri) => ({ rootUri: uri("one"), workspaceFolders: null })],
    [
      "workspaceFolders, whatever rootUri is",
      (uri) => ({
        rootUri: uri("two"),
        workspaceFolders: [{ uri: uri("one"), name: "one" }],
      }),
    ],
    ["a URI with a slash at its end", (uri) => ({ rootUri: `${uri("one")}/`, workspaceFolders: null })],
  ])("are those of %s", async (_name, params) => {
    const desk = await folderAt({}, params);
    expect((await desk.propose(edit)).files).toMatchObject([{ path: "a.txt", uri: desk.uri("one/a.txt") }]);
    const outside = await failed(desk.propose({ ...edit, path: join(desk.root, "two/b.txt") }));
    expect(outside.codes).toEqual(["outsideWorkspace"]);
  });

  it("may be a rootPath, as old clients send it", async () => {
    const desk = await start({ files, folderNames: [] });
    const old = await start({
      folderNames: [],
      params: { rootUri: null, workspaceFolders: null, rootPath: join(desk.root, "one") },
    });
    expect((await old.propose(edit)).files).toMatchObject([{ uri: desk.uri("one/a.txt") }]);
  });

  it("may be missing: then only open documents are inside", async () => {
    const desk = await start({ files, open: { "one/a.txt": "old, unsaved\n" }, folderNames: [] });
    const relative = await failed(desk.propose(edit));
    expect(relative.codes).toEqual(["outsideWorkspace"]);
    expect(relative.message).toContain("no workspace folder");
    for (const path of [join(desk.root, "one/a.txt"), desk.uri("one/a.txt")]) {
      const { edits } = await desk.propose({ ...edit, path, oldText: "old, unsaved" });
      expect(edits).toMatchObject([{ status: "applied" }]);
    }
    const closed = await failed(desk.propose({ ...edit, path: join(desk.root, "two/b.txt") }));
    expect(closed.codes).toEqual(["outsideWorkspace"]);
  });

  it("that are an empty list mean no folders, whatever rootUri is", async () => {
    const desk = await folderAt({}, (uri) => ({ rootUri: uri("one"), workspaceFolders: [] }));
    expect((await failed(desk.propose(edit))).codes).toEqual(["outsideWorkspace"]);
  });

  it("that are not directories of this machine contain no file", async () => {
    const desk = await start({
      files,
      params: { rootUri: null, workspaceFolders: [{ uri: "vscode-remote://there/one", name: "one" }] },
    });
    expect((await failed(desk.propose(edit))).codes).toEqual(["outsideWorkspace"]);
  });

  /** The params of `initialize` name the directory, which exists only after a first desk has created it. */
  async function startWith(options: DeskOptions, params: (uri: (path: string) => string) => Params): Promise<Desk> {
    const first = await start(options);
    const second = await start({ ...options, params: params(first.uri) });
    return { ...second, root: first.root, uri: first.uri };
  }
});

describe("workspace folders that change", () => {
  const edit = { path: "a.txt", oldText: "old", newText: "new" };
  const change = (desk: Desk, added: readonly string[], removed: readonly string[]): Promise<void> => {
    const folder = (name: string) => ({ uri: desk.uri(name), name });
    const event = { added: added.map(folder), removed: removed.map(folder) };
    return desk.editor.notify("workspace/didChangeWorkspaceFolders", { event });
  };

  it("decide the meaning of relative paths from the next request on", async () => {
    const files = { "one/x.txt": "", "two/a.txt": "old\n" };
    const desk = await start({ files, folderNames: ["one"] });
    expect((await failed(desk.propose(edit))).codes).toEqual(["fileNotFound"]);
    await change(desk, ["two"], []);
    expect((await desk.propose(edit)).files).toMatchObject([{ uri: desk.uri("two/a.txt"), path: "a.txt" }]);
    await change(desk, [], ["two"]);
    expect((await failed(desk.propose(edit))).codes).toEqual(["fileNotFound"]);
    await change(desk, [], ["one"]);
    expect((await failed(desk.propose(edit))).codes).toEqual(["outsideWorkspace"]);
  });

  it("make a path ambiguous that exists in two of them, and a new file goes into the first", async () => {
    const files = { "one/a.txt": "old\n", "two/a.txt": "old\n" };
    const desk = await start({ files, folderNames: ["one"] });
    await change(desk, ["two"], []);
    const both = await failed(desk.propose(edit));
    expect(both.codes).toEqual(["ambiguousPath"]);
    for (const name of ["one/a.txt", "two/a.txt"]) expect(both.message).toContain(join(desk.root, name));
    const create = { path: "new.txt", oldText: "", newText: "text\n" };
    expect((await desk.propose(create)).files).toMatchObject([{ uri: desk.uri("one/new.txt"), kind: "create" }]);
    await change(desk, [], ["one"]);
    expect((await desk.propose(edit)).files).toMatchObject([{ uri: desk.uri("two/a.txt") }]);
    expect((await desk.propose(create)).files).toMatchObject([{ uri: desk.uri("two/new.txt") }]);
  });

  it("count once if they are added twice, and stay if one event both removes and adds them", async () => {
    const desk = await start({ files: { "one/a.txt": "old\n" }, folderNames: ["one"] });
    await change(desk, ["one"], []);
    expect((await desk.propose(edit)).files).toHaveLength(1);
    await change(desk, ["one"], ["one"]);
    expect((await desk.propose(edit)).files).toHaveLength(1);
    await change(desk, [], ["one"]);
    expect((await failed(desk.propose(edit))).codes).toEqual(["outsideWorkspace"]);
  });

  it("may be created after they were announced", async () => {
    const desk = await start({ folderNames: ["one"] });
    mkdirSync(join(desk.root, "one"));
    writeFileSync(join(desk.root, "one/a.txt"), "old\n");
    expect((await desk.propose(edit)).files).toHaveLength(1);
  });

  it("are named to the user at once if they do not exist on the server's machine", async () => {
    const away = { uri: "vscode-vfs://github/project", name: "away" };
    const desk = await start({ files: { "a.txt": "old\n" }, folderNames: [".", "none"] });
    const warned = (): string[] => desk.editor.notices.map(({ message }) => /folder (".*?")/.exec(message)?.[1] ?? "");
    const absent = async () => ((await desk.editor.request("multiEdit/status", null)) as StatusResult).absentFolders;
    expect(await absent()).toEqual([desk.uri("none")]);
    expect(warned()).toEqual([JSON.stringify(join(desk.root, "none"))]);
    await desk.editor.notify("workspace/didChangeWorkspaceFolders", { event: { added: [away], removed: [] } });
    expect(await absent()).toEqual([desk.uri("none"), away.uri]);
    expect(warned().slice(1)).toEqual([JSON.stringify(away.uri)]);
    mkdirSync(join(desk.root, "none"));
    await change(desk, ["none"], ["none"]);
    expect(await absent()).toEqual([away.uri]);
    expect(warned()).toHaveLength(2);
  });

  it.each([
    [{}],
    [{ event: null }],
    [{ event: { added: {}, removed: 7 } }],
    [{ event: { added: [null, { uri: 3 }] } }],
  ])("stay as they are if the client sends %j", async (params) => {
    const desk = await start({ files: { "a.txt": "old\n" } });
    await desk.editor.notify("workspace/didChangeWorkspaceFolders", params);
    expect((await desk.propose(edit)).files).toHaveLength(1);
  });
});

describe("a trace", () => {
  interface Line {
    readonly message: string;
    readonly verbose?: string;
  }
  const listen = (desk: Desk): Line[] => {
    const lines: Line[] = [];
    desk.editor.connection.onNotification("$/logTrace", (line: Line) => void lines.push(line));
    return lines;
  };
  const open = { "a.txt": "old\n" };
  const edit = { path: "a.txt", oldText: "old", newText: "new" };

  it("follows $/setTrace: one line per request, details as well with verbose, and nothing with off", async () => {
    const desk = await start({ open, params: { trace: "off" } });
    const lines = listen(desk);
    await desk.propose(edit);
    expect(lines).toEqual([]);
    await desk.editor.notify("$/setTrace", { value: "messages" });
    await desk.propose(edit);
    expect(lines).toHaveLength(1);
    expect(lines[0]!.message).toContain("a.txt (1 edit)");
    expect(lines[0]!.verbose).toBeUndefined();
    await desk.editor.notify("$/setTrace", { value: "verbose" });
    await failed(desk.propose(batch(["a.txt", "gone", "new"])));
    await desk.propose(edit);
    expect(lines).toHaveLength(3);
    expect(lines[1]!.message).toContain("failed");
    expect(lines[1]!.verbose).toContain("was not found");
    expect(lines[2]!.verbose).toContain("-old\n+new\n");
    await desk.editor.notify("$/setTrace", { value: "off" });
    await desk.propose(edit);
    await failed(desk.propose({ path: "a.txt" }));
    expect(lines).toHaveLength(3);
  });

  it("may be requested in initialize", async () => {
    const desk = await start({ open, params: { trace: "messages" } });
    const lines = listen(desk);
    await desk.propose(edit);
    expect(lines).toHaveLength(1);
  });

  it("does not change if an unknown value is set", async () => {
    const desk = await start({ open, params: { trace: "off" } });
    const lines = listen(desk);
    await desk.editor.notify("$/setTrace", { value: "loud" });
    await desk.editor.notify("$/setTrace", {});
    await desk.propose(edit);
    expect(lines).toEqual([]);
  });
});
