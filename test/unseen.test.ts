/** Files of which the editor may hold unsaved changes that the server can't see. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { announced, ownStateHome } from "./support/agentPeer.js";
import { runCommand } from "./support/commands.js";
import { type Desk, type DeskOptions, failed, layDesk, serverForDesks } from "./support/desk.js";

const program = serverForDesks();
const cell = (desk: Desk): string =>
  pathToFileURL(join(desk.root, "n.ipynb")).href.replace("file:", "vscode-notebook-cell:");
const edit = { path: "n.ipynb", oldText: "one", newText: "two" };
const files = { "n.ipynb": "one\n", "a.txt": "one\n" };

/** The paths that the only session of a home announces as unsaved. */
const announcedUnsaved = (home: string): unknown => {
  const folder = join(home, "multi-edit-language-server/sessions");
  const [record = ""] = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return JSON.parse(readFileSync(join(folder, record), "utf8")).unsaved;
};

const start = (options: DeskOptions = {}): Promise<Desk> => layDesk(program, { files, ...options });

describe("a file of which a document of another scheme is open", () => {
  it("is locked for every change, and free again when the document is closed", async () => {
    const desk = await start();
    const uri = `${cell(desk)}#W0sZmlsZQ`;
    await desk.editor.open({ uri, text: "unsaved cell" });
    const patch = "*** Begin Patch\n*** Delete File: n.ipynb\n*** End Patch";
    for (const call of [edit, { patch }]) {
      const refusal = await failed(desk.apply(call));
      expect([refusal.codes, refusal.message]).toEqual([["locked"], expect.stringContaining("vscode-notebook-cell:")]);
      expect((await failed(desk.propose(call))).codes).toEqual(["locked"]);
    }
    expect(desk.disk()).toEqual(files);
    expect((await desk.read({ path: "n.ipynb" })).text).toBe("one\n");
    await desk.editor.close(uri);
    expect(await desk.apply(edit)).toMatchObject({ outcome: "applied" });
    expect(desk.disk()["n.ipynb"]).toBe("two\n");
  });

  it("is not undone while the document is open", async () => {
    const desk = await start();
    await desk.apply(edit);
    const uri = `${cell(desk)}#W0sZmlsZQ`;
    await desk.editor.open({ uri, text: "unsaved cell" });
    expect((await failed(desk.undo())).codes).toEqual(["locked"]);
    expect(desk.disk()["n.ipynb"]).toBe("two\n");
  });

  it("is not locked by a document that only shows the file as it was", async () => {
    const desk = await start();
    await desk.editor.open({ uri: cell(desk).replace("vscode-notebook-cell:", "git:"), text: "old" });
    expect(await desk.apply(edit)).toMatchObject({ outcome: "applied" });
  });

  it("is locked for another process as well", async () => {
    const home = ownStateHome();
    const desk = await start({ clientInfo: { name: "Notebooks" } });
    await desk.editor.open({ uri: `${cell(desk)}#W0sZmlsZQ`, text: "unsaved cell" });
    await announced(home);
    for (const mode of ["--mode=disk", "--mode=auto"]) {
      const { code, stderr } = await runCommand(program, ["apply", mode], {
        cwd: desk.root,
        input: JSON.stringify(edit),
      });
      expect([code, stderr]).toEqual([4, expect.stringMatching(/open in Notebooks|unsaved changes/)]);
    }
    expect(desk.disk()).toEqual(files);
  });
});

describe("a document of a scheme that the server does not read", () => {
  const uri = "term://~/proj//89:/bin/bash";
  const status = async ({ editor }: Desk): Promise<unknown> => editor.request("multiEdit/status", null);

  it.each([uri, "chat:/1"])(
    "%s is neither listed nor read nor changed, and the failure names the setting",
    async (other) => {
      const desk = await start();
      await desk.editor.open({ uri: other, text: "TOKEN=hunter2\n" });
      const scheme = other.slice(0, 4);
      for (const ask of [desk.read({ path: other }), desk.apply({ path: other, oldText: "TOKEN", newText: "x" })]) {
        const refusal = await failed(ask);
        expect(refusal.codes).toEqual(["fileNotFound"]);
        expect(refusal.message).toContain(`does not read documents of the scheme "${scheme}"`);
        expect(refusal.message).toContain('setting "schemes"');
      }
      expect(await status(desk)).toMatchObject({ open: [] });
      expect(JSON.stringify(await status(desk))).not.toContain("89:");
    },
  );

  it.each(["chat://x/1", "oil://ROOT/", "chat:/no/such/file.ts"])(
    "%s belongs to no file, so it is not reported as unsaved",
    async (other) => {
      const home = ownStateHome();
      const desk = await start({ clientInfo: { name: "Chats" } });
      await desk.editor.open({ uri: other.replace("ROOT", desk.root), text: "TOKEN=hunter2\n" });
      await desk.editor.open({ uri: desk.uri("a.txt"), text: "unsaved\n" });
      await announced(home);
      await vi.waitFor(() => expect(announcedUnsaved(home)).toEqual([join(desk.root, "a.txt")]));
      expect(await status(desk)).toMatchObject({ unsynced: [] });
    },
  );

  it("is read if the user's setting names the scheme, and locks no file", async () => {
    const desk = await start({ args: [] });
    await desk.editor.setSettings({ save: "never", schemes: ["Chat"] });
    await desk.editor.open({ uri: "chat:/1", text: "one\n" });
    await desk.editor.open({ uri: "pad:/1", text: "one\n" });
    expect(await desk.apply({ path: "chat:/1", oldText: "one", newText: "two" })).toMatchObject({ outcome: "applied" });
    expect(desk.texts()).toEqual({ "chat:/1": "two\n", "pad:/1": "one\n" });
    expect((await failed(desk.read({ path: "chat:/2" }))).message).toContain("No document");
  });
});

describe("a file that the client reports as unsaved but does not sync", () => {
  it("is locked until the client reports that it is saved, in this editor and for other processes", async () => {
    const home = ownStateHome();
    const desk = await start({ clientInfo: { name: "Tabs" } });
    const report = (...uris: string[]): Promise<void> => desk.editor.notify("multiEdit/didChangeUnsynced", { uris });
    await report(desk.uri("a.txt"));
    const call = { ...edit, path: "a.txt" };
    const refusal = await failed(desk.apply(call));
    expect([refusal.codes, refusal.message]).toEqual([
      ["locked"],
      expect.stringContaining('The editor has unsaved changes to "a.txt" that it does not send to the server. Ask'),
    ]);
    await announced(home);
    const ran = await runCommand(program, ["apply", "--mode=disk"], { cwd: desk.root, input: JSON.stringify(call) });
    expect(ran.code).toBe(4);
    expect(desk.disk()).toEqual(files);
    expect(await desk.editor.request("multiEdit/status", null)).toMatchObject({ unsynced: [desk.uri("a.txt")] });
    await report();
    expect(await desk.apply(call)).toMatchObject({ outcome: "applied" });
  });

  it("is not locked if the report makes no sense", async () => {
    const desk = await start();
    for (const params of [null, 7, { uris: "a.txt" }, { uris: [7, null, "a.txt", "untitled:x"] }])
      await desk.editor.notify("multiEdit/didChangeUnsynced", params);
    expect(await desk.apply({ ...edit, path: "a.txt" })).toMatchObject({ outcome: "applied" });
    await desk.editor.notify("multiEdit/didChangeUnsynced", { uris: [] });
  });
});

describe("a file of which the editor has an unsaved draft", () => {
  it("is created with a warning that names the draft", async () => {
    const desk = await start();
    const uri = desk.uri("later.txt").replace("file://", "untitled:");
    await desk.editor.open({ uri, text: "typed\n" });
    const { warnings } = await desk.apply({ path: "later.txt", oldText: "", newText: "made\n" });
    expect(warnings).toEqual([expect.stringContaining(uri)]);
    expect(desk.disk()["later.txt"]).toBe("made\n");
    writeFileSync(join(desk.root, "later.txt"), "");
  });
});

describe("one call that would make a Git directory", () => {
  it("is refused as a whole, and so are files in one that exists", async () => {
    const desk = await start({ files: { "gd/HEAD": "", "gd/objects/x": "", "gd/refs/x": "", "gd/config": "one\n" } });
    const plant = ["HEAD", "config", "objects/x", "refs/x"].map((name) => ({
      path: `plant/${name}`,
      oldText: "",
      newText: "x\n",
    }));
    const planted = await failed(desk.apply({ edits: plant }));
    expect(new Set(planted.codes)).toEqual(new Set(["protectedPath"]));
    const before = desk.disk();
    for (const ask of [desk.apply, desk.propose])
      expect((await failed(ask({ ...edit, path: "gd/config" }))).message).toContain("for a repository's own directory");
    expect((await failed(desk.read({ path: "gd/config" }))).codes).toEqual(["protectedPath"]);
    expect(desk.disk()).toEqual(before);
    // Without the one file that completes it, the others make no Git directory.
    expect(await desk.apply({ edits: plant.slice(0, 3) })).toMatchObject({ outcome: "applied" });
    expect((await failed(desk.apply(plant[3]))).codes).toEqual(["protectedPath"]);
  });
});
