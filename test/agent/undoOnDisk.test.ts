/** Undo of calls that wrote to disk without an editor, by another process, and the list of these calls. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { announced, ownStateHome } from "../support/agentPeer.js";
import { type Ran, type RunOptions, runCommand, runOnTerminal } from "../support/commands.js";
import { serverForDesks } from "../support/desk.js";
import { makeDirectory } from "../support/directory.js";
import { type EditorOptions, startEditor } from "../support/fakeEditor.js";
import { startAgent } from "../support/mcpAgent.js";

const program = serverForDesks();

const call = (path: string, oldText = "one", newText = "two"): string => JSON.stringify({ path, oldText, newText });

/** A directory that no editor has, and functions that run commands and read files in it. */
function layShelf(entries: Parameters<typeof makeDirectory>[0]) {
  const home = ownStateHome();
  const root = makeDirectory(entries);
  const run = (args: readonly string[], more: RunOptions = {}): Promise<Ran> =>
    runCommand(program, args, { cwd: root, ...more });
  const apply = async (input: string, more: RunOptions = {}): Promise<string> => {
    const { code, stdout, stderr } = await run(["apply", "--json"], { input, ...more });
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    return JSON.parse(stdout).transaction;
  };
  const text = (path: string): string => readFileSync(join(root, path), "utf8");
  return { root, run, apply, text, batches: join(home, "multi-edit-language-server", "batches"), home };
}

async function openIn(root: string, home: string, more: Partial<EditorOptions> = {}) {
  const server = [process.execPath, program.path, "--stdio"] as const;
  const editor = await startEditor({ server, folders: [root], clientInfo: { name: "Tester" }, ...more });
  onTestFinished(() => void editor.process.kill("SIGKILL"));
  await announced(home);
  return editor;
}

describe("undo without an editor", () => {
  it("gives back changed, moved, deleted and created files, with their bytes and modes", async () => {
    const { root, run, apply, text } = layShelf({
      "a.txt": "\ufeffone\r\nmore\r\n",
      "b.txt": "gone\n",
      "c.txt": "move\n",
    });
    chmodSync(join(root, "b.txt"), 0o640);
    const patch = [
      "*** Begin Patch",
      "*** Update File: a.txt\n@@\n-one\n+two",
      "*** Delete File: b.txt",
      "*** Update File: c.txt\n*** Move to: sub/deep/c.txt\n@@\n-move\n+moved",
      "*** Add File: new/d.txt\n+new",
      "*** End Patch\n",
    ].join("\n");
    const transaction = await apply(patch);
    expect(readdirSync(root).sort()).toEqual(["a.txt", "new", "sub"]);
    const undone = await run(["undo", "--json"]);
    expect(undone.code).toBe(0);
    expect(JSON.parse(undone.stdout)).toMatchObject({ outcome: "applied", transaction, files: [{}, {}, {}, {}] });
    expect(readdirSync(root).sort()).toEqual(["a.txt", "b.txt", "c.txt"]);
    expect([text("a.txt"), text("b.txt"), text("c.txt")]).toEqual(["\ufeffone\r\nmore\r\n", "gone\n", "move\n"]);
    expect(statSync(join(root, "b.txt")).mode & 0o777).toBe(0o640);
    expect(await run(["undo"])).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/^There is nothing to undo here\./),
    });
    expect(await run(["undo", transaction])).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("already been undone"),
    });
  });

  it("gives back a file that another one was moved onto", async () => {
    const { run, apply, text, root } = layShelf({ "a.txt": "one\n", "b.txt": "other\n" });
    const patch = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n-one\n+two\n*** End Patch\n";
    const applied = await run(["apply", "--overwrite"], { input: patch });
    expect([applied.code, readdirSync(root), text("b.txt")]).toEqual([0, ["b.txt"], "two\n"]);
    expect(await run(["undo"])).toMatchObject({ code: 0 });
    expect([text("a.txt"), text("b.txt")]).toEqual(["one\n", "other\n"]);
    await apply(call("a.txt"));
  });

  it("accepts a created file that is gone and a deleted one that is back, and does nothing twice", async () => {
    const { root, run, apply, text } = layShelf({ "a.txt": "one\n", "b.txt": "gone\n" });
    const patch = [
      "*** Begin Patch",
      "*** Update File: a.txt\n@@\n-one\n+two",
      "*** Delete File: b.txt",
      "*** Add File: new.txt\n+new",
      "*** End Patch\n",
    ].join("\n");
    for (const isAll of [false, true]) {
      const transaction = await apply(patch);
      rmSync(join(root, "new.txt"));
      writeFileSync(join(root, "b.txt"), "gone\n");
      if (isAll) writeFileSync(join(root, "a.txt"), "one\n");
      expect(await run(["undo"])).toMatchObject({ code: 0 });
      expect([readdirSync(root).sort(), text("a.txt"), text("b.txt")]).toEqual([["a.txt", "b.txt"], "one\n", "gone\n"]);
      expect(await run(["undo", transaction])).toMatchObject({ code: 5 });
    }
  });

  it("undoes one call after the other, the latest first, or the one that is named", async () => {
    const { run, apply, text } = layShelf({ "a.txt": "one\n", "b.txt": "one\n" });
    const first = await apply(call("b.txt"));
    await apply(call("a.txt"));
    await apply(call("a.txt", "two", "three"));
    expect(await run(["undo"])).toMatchObject({ code: 0 });
    expect(text("a.txt")).toBe("two\n");
    expect(await run(["undo", first])).toMatchObject({ code: 0 });
    expect([text("a.txt"), text("b.txt")]).toEqual(["two\n", "one\n"]);
    expect(await run(["undo"])).toMatchObject({ code: 0 });
    expect(text("a.txt")).toBe("one\n");
  });

  it("changes nothing if somebody has written since, and says where", async () => {
    const { run, apply, text, root } = layShelf({ "a.txt": "1\none\n3\n", "b.txt": "one\n" });
    const edits = ["a.txt", "b.txt"].map((path) => ({ path, oldText: "one", newText: "two" }));
    await apply(JSON.stringify({ edits }));
    writeFileSync(join(root, "a.txt"), "1\ntwo, by me\n3\n");
    const { code, stderr } = await run(["undo"]);
    expect([code, stderr]).toEqual([5, expect.stringMatching(/"a\.txt" can't be undone: .*line 2/)]);
    expect([text("a.txt"), text("b.txt")]).toEqual(["1\ntwo, by me\n3\n", "two\n"]);
    const { stdout } = await run(["undo", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { failures: [{ code: "undoConflict", path: "a.txt", line: 2 }] },
    });
  });

  it.each([
    ["a deleted file is there again", (at: string) => writeFileSync(at, "mine\n"), "*** Delete File: a.txt"],
    ["a new file has been changed", (at: string) => writeFileSync(at, "mine\n"), "*** Add File: a.txt\n+new"],
    ["a changed file is gone", (at: string) => rmSync(at), "*** Update File: a.txt\n@@\n-one\n+two"],
  ])("changes nothing if %s", async (_, act, section) => {
    const { run, apply, root, text } = layShelf({
      ...(section.includes("Add") ? {} : { "a.txt": "one\n" }),
      "b.txt": "one\n",
    });
    await apply(`*** Begin Patch\n${section}\n*** Update File: b.txt\n@@\n-one\n+two\n*** End Patch\n`);
    act(join(root, "a.txt"));
    const { code, stderr } = await run(["undo"]);
    expect([code, stderr]).toEqual([5, expect.stringContaining('"a.txt" can\'t be undone')]);
    expect(text("b.txt")).toBe("two\n");
  });

  it("keeps what was written elsewhere in the file", async () => {
    const { run, apply, text, root } = layShelf({ "a.txt": "1\n2\n3\none\n5\n6\n7\n" });
    await apply(call("a.txt"));
    writeFileSync(join(root, "a.txt"), "mine\n1\n2\n3\ntwo\n5\n6\n7\n");
    expect(await run(["undo"])).toMatchObject({ code: 0 });
    expect(text("a.txt")).toBe("mine\n1\n2\n3\none\n5\n6\n7\n");
  });

  it("is refused outside the folder of the call, and says where it is possible", async () => {
    const { run, apply, root } = layShelf({ "sub/a.txt": "one\n", "b.txt": "one\n" });
    const edits = ["sub/a.txt", "b.txt"].map((path) => ({ path, oldText: "one", newText: "two" }));
    const transaction = await apply(JSON.stringify({ edits }));
    const { code, stderr } = await run(["undo", transaction], { cwd: join(root, "sub") });
    expect([code, stderr]).toEqual([5, expect.stringContaining(`Undo it in "${root}".`)]);
    const inside = await apply(call("sub/a.txt", "two", "three"));
    expect(await run(["undo", inside], { cwd: join(root, "sub") })).toMatchObject({ code: 0 });
  });

  it("is refused if a directory of the file has been replaced by a link", async () => {
    const { run, apply, root } = layShelf({ "sub/a.txt": "one\n", "other/a.txt": "two\n" });
    await apply(call("sub/a.txt"));
    rmSync(join(root, "sub"), { recursive: true });
    symlinkSync(join(root, "other"), join(root, "sub"));
    expect(await run(["undo"])).toMatchObject({ code: 5 });
    expect(readFileSync(join(root, "other/a.txt"), "utf8")).toBe("two\n");
  });

  it("is impossible if the user has switched the copies off", async () => {
    const { run, batches } = layShelf({ "a.txt": "one\n" });
    const env = { MULTI_EDIT_HISTORY: "off" };
    const { code, stdout } = await run(["apply", "--json"], { input: call("a.txt"), env });
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.not.objectContaining({ transaction: expect.anything() })]);
    expect(() => readdirSync(batches)).toThrow("ENOENT");
    expect(await run(["undo"])).toMatchObject({ code: 5 });
  });

  it("is left out with a warning if no copy can be kept", async () => {
    const { run, batches, text } = layShelf({ "a.txt": "one\n" });
    mkdirSync(batches, { recursive: true, mode: 0o700 });
    chmodSync(batches, 0o755);
    const { code, stdout } = await run(["apply", "--json"], { input: call("a.txt") });
    expect([code, text("a.txt")]).toEqual([0, "two\n"]);
    expect(JSON.parse(stdout)).toMatchObject({ warnings: [expect.stringContaining("can't undo this call")] });
  });

  it("works for an agent through MCP", async () => {
    const { root, text } = layShelf({ "a.txt": "one\n" });
    const agent = await startAgent(program, root);
    await agent.call("multi_edit", { edits: [{ path: "a.txt", oldText: "one", newText: "two" }] });
    expect(text("a.txt")).toBe("two\n");
    expect(await agent.call("undo_last_edit", {})).toMatchObject({ isError: false });
    expect(text("a.txt")).toBe("one\n");
  });
});

describe("an undo on disk that needs consent", () => {
  /** A call on disk, after which the user has changed the settings; `type` runs a command on a terminal. */
  async function laySettings(settings: object) {
    const shelf = layShelf({ "a.txt": "one\n" });
    await shelf.apply(call("a.txt"));
    const env = { XDG_CONFIG_HOME: join(shelf.home, "config") };
    const own = join(env.XDG_CONFIG_HOME, "multi-edit-language-server");
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, "settings.json"), JSON.stringify(settings));
    const line = `'${process.execPath}' '${program.path}' undo`;
    const type = (args = "", more: NodeJS.ProcessEnv = {}): Promise<Ran> =>
      runOnTerminal(`${line} ${args}`, { cwd: shelf.root, env: { ...env, ...more } });
    return { ...shelf, env, type };
  }

  it("is refused if nobody can be asked, and done if the user types it", async () => {
    const { run, type, env, text } = await laySettings({ confirm: "always" });
    const { code, stderr } = await run(["undo"], { env });
    expect([code, stderr]).toEqual([4, expect.stringContaining("no editor is there to ask")]);
    expect(text("a.txt")).toBe("two\n");
    expect(await type()).toMatchObject({ code: 0 });
    expect(text("a.txt")).toBe("one\n");
  });

  it("is not the user's own if an agent has a terminal", async () => {
    const { type, text } = await laySettings({ confirm: "always" });
    for (const asAgent of [type("", { GEMINI_CLI: "1" }), type("--agent=one"), type("", { MULTI_EDIT_AGENT: "one" })]) {
      const { code, stdout } = await asAgent;
      expect([code, stdout]).toEqual([4, expect.stringContaining("no editor is there to ask")]);
    }
    expect(text("a.txt")).toBe("two\n");
  });

  it("is refused, whoever asks for it, if the file is protected by now", async () => {
    const { type, text } = await laySettings({ protectedNames: ["+a.txt"] });
    const { code, stdout } = await type();
    expect([code, stdout]).toEqual([1, expect.stringContaining("is protected")]);
    expect(text("a.txt")).toBe("two\n");
  });
});

describe("undo through an editor", () => {
  it("of a call that wrote to disk goes through the editor that has opened the file since", async () => {
    const { run, apply, root, home, text } = layShelf({ "a.txt": "0\n1\n2\none\n4\n", "b.txt": "one\n" });
    const edits = ["a.txt", "b.txt"].map((path) => ({ path, oldText: "one", newText: "two" }));
    const transaction = await apply(JSON.stringify({ edits }));
    const editor = await openIn(root, home);
    const uri = pathToFileURL(join(root, "a.txt")).href;
    await editor.open({ uri, text: "mine\n0\n1\n2\ntwo\n4\n" });
    const { code, stderr } = await run(["undo"]);
    expect([code, stderr]).toEqual([0, expect.stringContaining("through the editor")]);
    expect([editor.documents.get(uri)?.text, text("a.txt"), text("b.txt")]).toEqual([
      "mine\n0\n1\n2\none\n4\n",
      "0\n1\n2\ntwo\n4\n",
      "one\n",
    ]);
    expect(await run(["undo", transaction])).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("already been undone"),
    });
  });

  it("takes the latest call, whether an editor or the disk had it", async () => {
    const { run, apply, root, home, text } = layShelf({ "a.txt": "one\n", "b.txt": "one\n" });
    await apply(call("a.txt"));
    const editor = await openIn(root, home);
    const uri = pathToFileURL(join(root, "b.txt")).href;
    await editor.open({ uri, text: "one\n" });
    await apply(call("b.txt"));
    expect(await run(["undo"])).toMatchObject({ code: 0 });
    expect([editor.documents.get(uri)?.text, text("a.txt")]).toEqual(["one\n", "two\n"]);
    expect(await run(["undo"])).toMatchObject({ code: 0 });
    expect(text("a.txt")).toBe("one\n");
  });
});

describe("log and status", () => {
  it("fail as other commands do if there is no session that the user named", async () => {
    const { run, apply } = layShelf({ "a.txt": "one\n" });
    await apply(call("a.txt"));
    for (const command of [["log"], ["status"], ["undo"], ["read", "a.txt"]]) {
      const ran = await run([...command, "--session=0123456789ab"]);
      expect([ran.code, ran.stdout], command[0]).toEqual([3, ""]);
      expect(ran.stderr).toContain('There is no session "0123456789ab".');
    }
    const { code, stdout } = await run(["log", "--json", "--session=0123456789ab"]);
    expect([code, JSON.parse(stdout)]).toMatchObject([3, { error: { failures: [{ code: "noSession" }] } }]);
  });

  it("list the calls of editors and those on disk, the latest first, with agent, time, files and state", async () => {
    const { run, apply, root, home } = layShelf({ "a.txt": "one\n", "sub/b.txt": "one\n" });
    const agent = { env: { MULTI_EDIT_AGENT: "r2d2" } };
    const before = Date.now();
    const onDisk = await apply(call("a.txt"), agent);
    const undone = await apply(call("sub/b.txt"));
    await run(["undo"]);
    const editor = await openIn(root, home);
    await editor.open({ uri: pathToFileURL(join(root, "sub/b.txt")).href, text: "one\n" });
    const inEditor = await apply(call("sub/b.txt"));
    const [session] = await announced(home);
    const { transactions } = JSON.parse((await run(["log", "--json"])).stdout);
    const by = { name: "multi-edit", version: expect.any(String) };
    expect(transactions).toEqual([
      {
        ...{ transaction: inEditor, label: "sub/b.txt (1 edit)", state: "applied", at: expect.any(String) },
        ...{ files: ["sub/b.txt"], by, session: session.id, editor: "Tester" },
      },
      {
        ...{ transaction: undone, label: "sub/b.txt (1 edit)", state: "undone", at: expect.any(String) },
        ...{ files: ["sub/b.txt"], by },
      },
      {
        ...{ transaction: onDisk, label: "a.txt (1 edit)", state: "applied", at: expect.any(String) },
        ...{ files: ["a.txt"], by: { ...by, agent: "r2d2" } },
      },
    ]);
    for (const { at } of transactions) expect(Date.parse(at) - before).toBeGreaterThanOrEqual(0);
    const shown = (await run(["log"])).stdout;
    expect(shown).toMatch(
      new RegExp(`^${inEditor}  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d  sub/b\\.txt \\(1 edit\\)\n`),
    );
    expect(shown).toContain(`by multi-edit ${transactions[0].by.version}, in Tester\n    sub/b.txt\n${undone}`);
    expect(shown).toContain(", on disk, undone\n");
    const status = await run(["status"]);
    expect([status.code, status.stdout]).toEqual([
      0,
      expect.stringContaining(`Editors that have ${root}:\n${session.id}`),
    ]);
    expect(status.stdout).toContain(`The latest calls:\n${inEditor}`);
    expect(JSON.parse((await run(["status", "--json"])).stdout)).toMatchObject({
      directory: root,
      sessions: [{ id: session.id, client: "Tester", open: [{ onDisk: "differs" }] }],
      transactions: [{ transaction: inEditor }, { transaction: undone }, { transaction: onDisk }],
    });
  });

  it("say so if there is nothing, and clear the copies", async () => {
    const { run, apply, batches, root } = layShelf({ "a.txt": "one\n" });
    expect(await run(["log"])).toEqual({ code: 0, stdout: "", stderr: "No calls yet.\n" });
    expect((await run(["status"])).stdout).toContain(`No editor has ${root} in a workspace folder.`);
    await apply(call("a.txt"));
    expect(readdirSync(batches).map((name) => statSync(join(batches, name)).mode & 0o777)).toEqual([0o600]);
    expect(await run(["log", "--clear"])).toMatchObject({ code: 0, stderr: "Removed the copies of 1 call.\n" });
    expect(readdirSync(batches)).toEqual([]);
    expect(await run(["log", "--clear"])).toMatchObject({ code: 0, stderr: "No copies were kept.\n" });
    expect(await run(["undo"])).toMatchObject({ code: 5 });
  });
});
