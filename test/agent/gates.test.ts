/** The user's gates, `confirm` and `protectedNames`, tried from every door that might lead around them. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { announced, ownConfigHome, ownStateHome, sessionsIn } from "../support/agentPeer.js";
import { type Ran, runCommand, suspend } from "../support/commands.js";
import { hastyServer, serverForDesks } from "../support/desk.js";
import { makeDirectory } from "../support/directory.js";
import { type FakeEditor, startEditor } from "../support/fakeEditor.js";
import { startAgent } from "../support/mcpAgent.js";
import { startStub } from "../support/sessionStub.js";

const program = serverForDesks();

const plainServer = (): readonly [string, ...string[]] => [process.execPath, program.path, "--stdio"];

async function open(folder: string, settings: object, server = plainServer()): Promise<FakeEditor> {
  const editor = await startEditor({ server, folders: [folder], settings, clientInfo: { name: "Guard" } });
  onTestFinished(() => void editor.process.kill("SIGKILL"));
  return editor;
}

interface LaidOptions {
  readonly settings?: object;
  readonly files?: Readonly<Record<string, string>>;
  readonly server?: readonly [string, ...string[]];
}

/** A folder in an editor whose user rejects everything; `files` are closed. */
async function lay({ settings = {}, files = { "a.txt": "one\n", "secret.txt": "one\n" }, server }: LaidOptions = {}) {
  const home = ownStateHome();
  const config = ownConfigHome(home);
  const folder = makeDirectory(files);
  const editor = await open(folder, settings, server ?? plainServer());
  editor.answerQuestionsWith("Reject");
  const [session] = await announced(home);
  const text = (path: string): string => readFileSync(join(folder, path), "utf8");
  return { home, config, folder, editor, session, text };
}

const call = (path: string) => ({ path, oldText: "one", newText: "two" });

function command(cwd: string, path: string, ...args: string[]): Promise<Ran> {
  return runCommand(program, ["apply", ...args], { cwd, input: JSON.stringify(call(path)) });
}

/** The text of an MCP tool's answer to an edit of the file. */
async function mcp(cwd: string, path: string): Promise<string> {
  const agent = await startAgent(program, cwd);
  const told = await agent.call("multi_edit", { edits: [call(path)] });
  return `${told.isError ? "refused" : "done"}: ${told.texts.join("\n")}`;
}

describe("the ways around confirm: the user is asked, says no, and nothing changes", () => {
  const always = { settings: { confirm: "always" } };

  it("the command line with --mode=disk", async () => {
    const { folder, editor, text } = await lay(always);
    const { code, stderr } = await command(folder, "a.txt", "--mode=disk");
    expect([code, stderr]).toEqual([4, expect.stringContaining("The user rejected")]);
    expect(editor.questions.map(({ message }) => message)).toEqual([expect.stringContaining("a.txt (1 edit)")]);
    expect(text("a.txt")).toBe("one\n");
  });

  it("and if the user agrees, it is done with one question", async () => {
    const { folder, editor, text } = await lay(always);
    editor.answerQuestionsWith("Apply");
    expect(await command(folder, "a.txt", "--mode=disk")).toMatchObject({ code: 0 });
    expect([editor.questions.length, text("a.txt")]).toEqual([1, "two\n"]);
  });

  it("MCP, for a closed file", async () => {
    const { folder, editor, text } = await lay(always);
    expect(await mcp(folder, "a.txt")).toMatch(/^refused: .*The user rejected/);
    expect([editor.questions.length, text("a.txt")]).toEqual([1, "one\n"]);
  });

  it("another editor with the folder open, whose own settings ask nothing", async () => {
    const { home, folder, text } = await lay(always);
    const other = await open(folder, { confirm: "never" });
    other.answerQuestionsWith("Reject");
    await announced(home, 2);
    const done = other.request("workspace/executeCommand", { command: "multiEdit.apply", arguments: [call("a.txt")] });
    await expect(done).rejects.toThrow("The user rejected");
    expect([other.questions.length, text("a.txt")]).toEqual([1, "one\n"]);
  });

  it("a session that is stopped", async () => {
    const { folder, editor, text } = await lay(always);
    suspend(editor);
    const { code } = await command(folder, "a.txt", "--mode=disk");
    expect([code, text("a.txt")]).toEqual([4, "one\n"]);
  });

  it("a session whose record was deleted: it comes back", async () => {
    const { home, folder, editor, session, text } = await lay({ ...always, server: hastyServer(program, 20) });
    rmSync(join(sessionsIn(home), `${session.id}.json`));
    expect((await announced(home))[0].id).toBe(session.id);
    const { code } = await command(folder, "a.txt", "--mode=disk");
    expect([code, editor.questions.length, text("a.txt")]).toEqual([4, 1, "one\n"]);
  });

  it("agents switched off: every change from outside is locked, at the command line, over MCP and in another editor", async () => {
    const { home, folder, editor, text } = await lay({ settings: { confirm: "always", agent: { enabled: false } } });
    for (const args of [["--mode=disk"], ["--mode=auto"]]) {
      const { code, stderr } = await command(folder, "a.txt", ...args);
      expect([code, stderr]).toEqual([4, expect.stringContaining("agents are switched off in this editor")]);
    }
    expect(await mcp(folder, "a.txt")).toMatch(/^refused: .*agents are switched off in this editor/);
    const other = await open(folder, {});
    other.answerQuestionsWith("Apply");
    await announced(home, 2);
    const done = other.request("workspace/executeCommand", { command: "multiEdit.apply", arguments: [call("a.txt")] });
    await expect(done).rejects.toThrow("agents are switched off in this editor");
    expect([editor.questions, text("a.txt")]).toEqual([[], "one\n"]);
    // The editor's own calls are not from outside.
    editor.answerQuestionsWith("Apply");
    await editor.request("workspace/executeCommand", { command: "multiEdit.apply", arguments: [call("a.txt")] });
    expect(text("a.txt")).toBe("two\n");
  });

  it("an option in the call that says not to ask", async () => {
    const { folder, editor, text } = await lay(always);
    const given = { ...call("a.txt"), options: { confirm: false, unopened: "disk" } };
    const done = editor.request("workspace/executeCommand", { command: "multiEdit.apply", arguments: [given] });
    await expect(done).rejects.toThrow("The user rejected");
    const ran = await runCommand(program, ["apply", "--mode=disk"], { cwd: folder, input: JSON.stringify(given) });
    expect([ran.code, text("a.txt")]).toEqual([2, "one\n"]);
  });
});

describe("a name in the user's own protectedNames is refused", () => {
  const own = { settings: { protectedNames: ["+secret.txt"] } };
  const said = 'the user has added "secret.txt" to the setting';

  it.each(["--mode=disk", "--mode=auto", "--mode=editor"])(
    "at the command line with %s, to edits and reads",
    async (mode) => {
      const { folder, text } = await lay(own);
      const { code, stderr } = await command(folder, "secret.txt", mode);
      expect([code, stderr]).toEqual([1, expect.stringMatching(said)]);
      const read = await runCommand(program, ["read", "secret.txt"], { cwd: folder });
      expect([read.code, read.stdout, read.stderr]).toEqual([1, "", expect.stringMatching(said)]);
      expect(text("secret.txt")).toBe("one\n");
    },
  );

  it("over MCP", async () => {
    const { folder, text } = await lay(own);
    expect(await mcp(folder, "secret.txt")).toMatch(new RegExp(`^refused: .*${said}`));
    expect(text("secret.txt")).toBe("one\n");
  });

  it("by another editor with the same folder, and while the session is stopped or agents are switched off", async () => {
    const { home, folder, editor, text } = await lay({ settings: { ...own.settings, agent: { enabled: false } } });
    const other = await open(folder, { protectedNames: [] });
    await announced(home, 2);
    const change = { command: "multiEdit.apply", arguments: [call("secret.txt")] };
    await expect(other.request("workspace/executeCommand", change)).rejects.toThrow(new RegExp(said));
    await expect(other.request("multiEdit/read", { path: "secret.txt" })).rejects.toThrow(new RegExp(said));
    suspend(editor);
    const ran = await command(folder, "secret.txt", "--mode=disk");
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringMatching(said)]);
    expect(text("secret.txt")).toBe("one\n");
  });

  it("from the moment that the user changes the setting", async () => {
    const { folder, editor, text } = await lay();
    await editor.setSettings(own.settings);
    await editor.request("multiEdit/status", null);
    const ran = await command(folder, "secret.txt", "--mode=disk");
    expect([ran.code, text("secret.txt")]).toEqual([1, "one\n"]);
  });
});

describe("a file that is protected but edited every day", () => {
  const files = { ".npmrc": "one\n", "a.txt": "one\n" };

  it.each(["--mode=auto", "--mode=disk"])("is asked about once, in the editor, by a call with %s", async (mode) => {
    const { folder, editor, text } = await lay({ files });
    const rejected = await command(folder, ".npmrc", mode);
    expect([rejected.code, text(".npmrc")]).toEqual([4, "one\n"]);
    editor.answerQuestionsWith("Apply");
    expect(await command(folder, ".npmrc", mode)).toMatchObject({ code: 0 });
    expect([editor.questions.length, text(".npmrc")]).toEqual([2, "two\n"]);
    expect(await command(folder, "a.txt", mode)).toMatchObject({ code: 0 });
    expect(editor.questions).toHaveLength(2);
  });

  it("is asked about before a request's edit is answered, because the editor's plugin would apply it", async () => {
    const { editor, text } = await lay({ files });
    await expect(editor.request("multiEdit/apply", call(".npmrc"))).rejects.toThrow("The user rejected");
    editor.answerQuestionsWith("Apply");
    expect(await editor.request("multiEdit/apply", call(".npmrc"))).toMatchObject({ outcome: "proposed" });
    expect(await editor.request("multiEdit/preview", call(".npmrc"))).toMatchObject({ outcome: "proposed" });
    expect([editor.questions.length, text(".npmrc")]).toEqual([2, "one\n"]);
  });

  it("is refused with confirm: never, and the message names the file and the settings", async () => {
    const { folder, editor, text } = await lay({ files, settings: { confirm: "never" } });
    const { code, stderr } = await command(folder, ".npmrc");
    expect([code, editor.questions, text(".npmrc")]).toEqual([1, [], "one\n"]);
    for (const words of ['".npmrc"', '"protectedNames"', '"confirm"']) expect(stderr).toContain(words);
  });

  it("is refused without anyone to ask, and the message names the file and the setting", async () => {
    const home = ownStateHome();
    ownConfigHome(home);
    const folder = makeDirectory(files);
    const { code, stderr } = await command(folder, ".npmrc");
    expect(code).toBe(1);
    for (const words of ['".npmrc"', '"protectedNames"', "no editor is there to ask", '"-.npmrc"'])
      expect(stderr).toContain(words);
    const read = await runCommand(program, ["read", ".npmrc"], { cwd: folder });
    expect([read.code, read.stdout]).toEqual([0, "one\n"]);
    expect(await mcp(folder, ".npmrc")).toMatch(/^refused: .*no editor is there to ask/);
    expect(readFileSync(join(folder, ".npmrc"), "utf8")).toBe("one\n");
  });

  it("is asked about again when its change is undone", async () => {
    const { folder, editor, text } = await lay({ files });
    editor.answerQuestionsWith("Apply", "Reject", "Apply");
    expect(await command(folder, ".npmrc")).toMatchObject({ code: 0 });
    await expect(editor.request("multiEdit/undo", {})).rejects.toThrow("The user rejected");
    expect(text(".npmrc")).toBe("two\n");
    await editor.request("multiEdit/undo", {});
    expect([editor.questions.length, text(".npmrc")]).toEqual([3, "one\n"]);
  });
});

describe("confirmation by rule", () => {
  const confirm = [
    { files: "infra/docs/**", ask: "never" },
    { files: "infra/**", ask: "always" },
    { files: "*.lock", ask: "always" },
  ];
  const files = {
    "infra/a.tf": "one\n",
    "infra/docs/a.md": "one\n",
    "src/x.lock": "one\n",
    "a.txt": "one\n",
    ".npmrc": "one\n",
  };

  it("asks as the first entry that matches says, and otherwise for protected files, at every door", async () => {
    const { folder, editor } = await lay({ files, settings: { confirm } });
    for (const mode of ["--mode=auto", "--mode=disk"]) {
      const asked: string[] = [];
      for (const path of Object.keys(files)) {
        const before = editor.questions.length;
        await command(folder, path, mode);
        if (editor.questions.length > before) asked.push(path);
        writeFileSync(join(folder, path), "one\n");
      }
      expect(asked).toEqual(["infra/a.tf", "src/x.lock", ".npmrc"]);
    }
  });
});

describe("the gates of a session hold below its own folder", () => {
  it("even if the caller's working directory is a folder inside it", async () => {
    const files = { "infra/a.tf": "one\n", "private/a.txt": "one\n", ".vscode/tasks.json": "one\n" };
    const settings = { protectedNames: ["+private"], confirm: [{ files: "infra/**", ask: "always" }] };
    const { folder, editor, text } = await lay({ files, settings });
    for (const [path, code, asked] of [
      ["infra/a.tf", 4, 1],
      ["private/a.txt", 1, 1],
      [".vscode/tasks.json", 1, 1],
    ] as const) {
      const [directory = "", name = ""] = path.split("/");
      const ran = await command(join(folder, directory), name, "--mode=disk");
      expect([path, ran.code, editor.questions.length, text(path)]).toEqual([path, code, asked, "one\n"]);
    }
  });
});

describe("the user's settings file", () => {
  const files = { "secret.txt": "one\n", "a.txt": "one\n", ".npmrc": "one\n" };
  function layFile(settings: unknown, where?: string) {
    const home = ownStateHome();
    const config = ownConfigHome(home);
    const folder = makeDirectory(files);
    const at = where === undefined ? config : join(folder, where);
    mkdirSync(at, { recursive: true });
    writeFileSync(join(at, "settings.json"), typeof settings === "string" ? settings : JSON.stringify(settings));
    const text = (path: string): string => readFileSync(join(folder, path), "utf8");
    return { home, config, folder, text };
  }

  it("holds if no editor holds the folder", async () => {
    const { folder, text } = layFile({ protectedNames: ["+secret.txt", "-.npmrc"] });
    const refused = await command(folder, "secret.txt");
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('the user has added "secret.txt"')]);
    expect(await command(folder, ".npmrc")).toMatchObject({ code: 0 });
    expect([text("secret.txt"), text(".npmrc")]).toEqual(["one\n", "two\n"]);
  });

  it("does not hold if an editor holds the folder: the editor's settings do", async () => {
    const { home, folder, text } = layFile({ confirm: "always", protectedNames: ["+secret.txt"] });
    const editor = await open(folder, {});
    await announced(home);
    expect(await command(folder, "secret.txt", "--mode=disk")).toMatchObject({ code: 0 });
    expect([editor.questions, text("secret.txt")]).toEqual([[], "two\n"]);
  });

  it("refuses every change if it says to ask always and nobody is there, or if it can't be used, and says why", async () => {
    for (const [settings, said] of [
      [{ confirm: "always" }, "no editor is there"],
      ["{ not JSON", "it is not valid JSON"],
      [{ protectedNames: ["+secrets", ".npmrc"] }, 'has mistakes. The setting "protectedNames"'],
      [{ confirm: [{ files: "infra/**", ask: "allways" }] }, '"confirm.0.ask"'],
      [{ confirm: [{ files: "!infra/**", ask: "always" }] }, '"confirm.0.files"'],
    ] as const) {
      const { folder, text } = layFile(settings);
      expect(await command(folder, "a.txt")).toMatchObject({ code: 4, stderr: expect.stringContaining(said) });
      expect(await mcp(folder, "a.txt")).toSatisfy((it: string) => it.startsWith("refused: ") && it.includes(said));
      expect(text("a.txt")).toBe("one\n");
    }
  });

  it("can loosen nothing if it is in the workspace, whatever links lead to it", async () => {
    for (const isLinked of [false, true]) {
      const settings = { protectedNames: ["-.npmrc"], confirm: "never", additionalFolders: [makeDirectory({})] };
      const { folder, config, text } = layFile(settings, ".config/multi-edit-language-server");
      if (isLinked) mkdirSync(join(config, ".."), { recursive: true });
      if (isLinked) symlinkSync(join(folder, ".config/multi-edit-language-server"), config);
      else process.env.XDG_CONFIG_HOME = join(folder, ".config");
      const ran = await command(folder, ".npmrc");
      expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining("only if they are stricter")]);
      expect(text(".npmrc")).toBe("one\n");
      const outside = await command(folder, join(settings.additionalFolders[0] ?? "", "new.txt"));
      expect([outside.code, outside.stderr]).toEqual([1, expect.stringContaining("is outside the workspace")]);
    }
  });

  it("still makes stricter if the workspace is a folder that contains it, such as the home directory", async () => {
    const confirm = [{ files: "a.txt", ask: "always" }];
    const { folder, text } = layFile(
      { protectedNames: ["+secret.txt"], confirm },
      ".config/multi-edit-language-server",
    );
    process.env.XDG_CONFIG_HOME = join(folder, ".config");
    mkdirSync(join(folder, "proj"));
    writeFileSync(join(folder, "proj/secret.txt"), "one\n");
    for (const [cwd, path, ...args] of [
      [folder, "proj/secret.txt"],
      [join(folder, "proj"), "proj/secret.txt", `--workspace=${folder}`],
    ] as const) {
      const refused = await command(cwd, path, ...args);
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('the user has added "secret.txt"')]);
    }
    expect(await command(folder, "a.txt")).toMatchObject({ code: 4 });
    expect(await mcp(folder, "secret.txt")).toMatch(/^refused: .*the user has added "secret.txt"/);
    expect([text("proj/secret.txt"), text("a.txt"), text("secret.txt")]).toEqual(["one\n", "one\n", "one\n"]);
    writeFileSync(join(folder, "b.txt"), "one\n");
    expect(await mcp(folder, "b.txt")).toMatch(/^done: [\s\S]*only if they are stricter than the defaults/);
  });

  it.skipIf(process.platform === "win32")("is not waited for if it is a pipe (Windows has none)", async () => {
    const { folder, config, text } = layFile({});
    rmSync(join(config, "settings.json"));
    execFileSync("mkfifo", [join(config, "settings.json")]);
    const stderr = expect.stringContaining("it is not a regular file");
    expect([await command(folder, "a.txt"), text("a.txt")]).toMatchObject([{ code: 4, stderr }, "one\n"]);
  });

  it("can't be edited or read through any door", async () => {
    const { config, home, text } = layFile({});
    const path = join(config, "settings.json");
    const edit = { path, oldText: "", newText: '{ "confirm": "never" }' };
    const ran = await runCommand(program, ["apply"], { cwd: home, input: JSON.stringify(edit) });
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining("Only the server may read or write there")]);
    const editor = await open(home, {});
    await announced(home);
    const asked = editor.request("workspace/executeCommand", { command: "multiEdit.apply", arguments: [edit] });
    await expect(asked).rejects.toThrow("Only the server may read or write there");
    await expect(editor.request("multiEdit/read", { path })).rejects.toThrow("Only the server may read or write there");
    expect([readFileSync(path, "utf8"), text("a.txt"), existsSync(config)]).toEqual(["{}", "one\n", true]);
  });
});

describe("a session on another machine that has not renewed its announcement", () => {
  it("counts as gone after two minutes, with a warning, and locks its files until then", async () => {
    const home = ownStateHome();
    ownConfigHome(home);
    const folder = makeDirectory({ "a.txt": "one\n", "b.txt": "one\n" });
    await startStub(home, { id: "0123456789ab", folders: [folder], isSilent: true });
    const path = join(sessionsIn(home), "0123456789ab.json");
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), host: "far.away" }), {
      mode: 0o600,
    });
    expect(await command(folder, "a.txt", "--mode=disk")).toMatchObject({ code: 4 });
    const old = Date.now() / 1000 - 130;
    utimesSync(path, old, old);
    const ran = await command(folder, "a.txt", "--mode=disk");
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining("has not renewed it for 2 minutes")]);
    expect(await mcp(folder, "b.txt")).toMatch(/^done: [\s\S]*counts as gone/);
  });
});
