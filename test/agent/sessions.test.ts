/** Choosing the one editor that receives a call among several sessions, some of which are dead or cannot be asked. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Announced, announced, filesIn, ownStateHome, sessionsIn } from "../support/agentPeer.js";
import { buildProgram, type Program } from "../support/build.js";
import { type Ran, runCommand } from "../support/commands.js";
import { makeDirectory } from "../support/directory.js";
import { type EditorOptions, type FakeEditor, startEditor } from "../support/fakeEditor.js";
import { type Stub, startStub } from "../support/sessionStub.js";

let program: Program;
beforeAll(async () => {
  program = await buildProgram(new URL("../../server/main.ts", import.meta.url));
});
afterAll(() => program.remove());

/** An editor that a test may kill. */
async function open(folders: readonly string[], options: Partial<EditorOptions> = {}): Promise<FakeEditor> {
  const editor = await startEditor({ server: [process.execPath, program.path, "--stdio"], folders, ...options });
  onTestFinished(() => void editor.process.kill("SIGKILL"));
  return editor;
}

/** Matches the output of a command that this editor answered. */
function answeredBy(editor: FakeEditor, sessions: readonly Announced[]): unknown {
  const session = sessions.find(({ pid }) => pid === editor.process.pid);
  return expect.stringContaining(`through the editor ${session?.id} `);
}

const openIn = (editor: FakeEditor, path: string, text: string): Promise<void> =>
  editor.open({ uri: pathToFileURL(path).href, text });
const textIn = (editor: FakeEditor, path: string): string | undefined =>
  editor.documents.get(pathToFileURL(path).href)?.text;

function apply(path: string, cwd: string, ...args: string[]): Promise<Ran> {
  const input = JSON.stringify({ path, oldText: "one", newText: "two" });
  return runCommand(program, ["apply", ...args], { cwd, input });
}

describe("of several sessions", () => {
  it("the one that has the file open is chosen, wherever its folder is", async () => {
    const home = ownStateHome();
    const folder = makeDirectory({ "a.txt": "one\n", "other/": "" });
    const [holder, opener] = [await open([folder]), await open([])];
    await announced(home, 2);
    await openIn(opener, join(folder, "a.txt"), "unsaved one\n");
    expect(await apply("a.txt", folder)).toMatchObject({ code: 0 });
    expect(textIn(opener, join(folder, "a.txt"))).toBe("unsaved two\n");
    expect(holder.asked).toEqual([]);
  });

  it("the one whose folder contains all files and has the longest path is chosen", async () => {
    const home = ownStateHome();
    const folder = makeDirectory({ "a.txt": "one\n", "sub/a.txt": "one\n" });
    const [outer, inner] = [await open([folder]), await open([join(folder, "sub")])];
    const sessions = await announced(home, 2);
    expect(await apply("sub/a.txt", folder)).toMatchObject({ code: 0, stderr: answeredBy(inner, sessions) });
    expect(await apply("a.txt", folder)).toMatchObject({ code: 0, stderr: answeredBy(outer, sessions) });
  });

  it("none is chosen if two have the file open, and both are named", async () => {
    const home = ownStateHome();
    const folder = makeDirectory({ "a.txt": "one\n" });
    const editors = [await open([folder], { clientInfo: { name: "Left" } }), await open([])];
    const sessions = await announced(home, 2);
    for (const editor of editors) await openIn(editor, join(folder, "a.txt"), "one\n");
    const { code, stderr } = await apply("a.txt", folder);
    expect([code, stderr]).toEqual([3, expect.stringContaining("Several editors have these files open")]);
    for (const { id } of sessions) expect(stderr).toContain(id);
    expect(stderr).toContain("Left");
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("one\n");
  });

  it("with the same folder, the one used last is chosen, else the one started first, unless the caller names one", async () => {
    const home = ownStateHome();
    const folder = makeDirectory({ "a.txt": "one\n" });
    const first = await open([folder]);
    await announced(home, 1);
    const second = await open([folder]);
    const sessions = await announced(home, 2);
    expect(await apply("a.txt", folder)).toMatchObject({ code: 0, stderr: answeredBy(first, sessions) });
    const id = sessions.find(({ pid }) => pid === second.process.pid)?.id ?? "";
    const back = JSON.stringify({ path: "a.txt", oldText: "two", newText: "one" });
    const named = await runCommand(program, ["apply", "--session", id.slice(0, 8)], { cwd: folder, input: back });
    expect(named).toMatchObject({ code: 0, stderr: answeredBy(second, sessions) });
    expect(await apply("a.txt", folder)).toMatchObject({ code: 0, stderr: answeredBy(second, sessions) });
    const missing = await runCommand(program, ["read", "none.txt", "--session", id], { cwd: folder });
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringMatching(/none\.txt"\. Check the path\.\n$/) });
  });

  it("one may be named by the environment, and if it does not exist, no other one replaces it", async () => {
    const home = ownStateHome();
    const folder = makeDirectory({ "a.txt": "one\n" });
    await open([folder]);
    const [{ id }] = await announced(home);
    const input = JSON.stringify({ path: "a.txt", oldText: "one", newText: "two" });
    const run = (session: string): Promise<Ran> =>
      runCommand(program, ["apply"], { cwd: folder, input, env: { MULTI_EDIT_SESSION: session } });
    const other = await run("ffffffffffff");
    expect(other).toMatchObject({ code: 3, stderr: expect.stringContaining('no session "ffffffffffff"') });
    expect(other.stderr).toContain(id);
    expect(await run(id)).toMatchObject({ code: 0 });
  });

  it("none is chosen if the ids of two start with what the caller gave", async () => {
    const home = ownStateHome();
    const folder = makeDirectory({ "a.txt": "one\n" });
    const ids = ["abcdef000001", "abcdef000002"];
    const status = { protocol: 1, folders: [], open: [], transactions: [], agents: [] };
    for (const id of ids) await startStub(home, { id, serve: () => ({ result: status }) });
    const { code, stdout, stderr } = await apply("a.txt", folder, "--session=abcdef");
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toContain('Several session ids start with "abcdef":');
    for (const id of ids) expect(stderr).toContain(id);
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("one\n");
  });

  it("none is chosen if the files are in the folders of two", async () => {
    const home = ownStateHome();
    const folder = makeDirectory({ "a/a.txt": "one\n", "b/b.txt": "one\n" });
    await open([join(folder, "a")]);
    await open([join(folder, "b")]);
    await announced(home, 2);
    const edits = ["a/a.txt", "b/b.txt"].map((path) => ({ path, oldText: "one", newText: "two" }));
    const ran = await runCommand(program, ["apply"], { cwd: folder, input: JSON.stringify({ edits }) });
    expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining("No editor has all of these files") });
  });
});

describe("an announced session that has ended", () => {
  it("is removed by the next command that looks for sessions if it was killed", async () => {
    const home = ownStateHome();
    const folder = makeDirectory({ "a.txt": "one\n" });
    const [dead, alive] = [await open([folder]), await open([folder])];
    const sessions = await announced(home, 2);
    dead.process.kill("SIGKILL");
    await expect.poll(() => dead.process.signalCode).toBe("SIGKILL");
    expect(filesIn(home)).toHaveLength(4);
    expect(await apply("a.txt", folder)).toMatchObject({ code: 0, stderr: answeredBy(alive, sessions) });
    expect(filesIn(home)).toHaveLength(2);
  });

  it("is removed even if another process has its id by then", async () => {
    const home = ownStateHome();
    const id = await startStub(home);
    const path = join(home, "multi-edit-language-server", "sessions", `${id}.json`);
    const record = JSON.parse(readFileSync(path, "utf8"));
    // The recorded process is running but started at a different time, and nothing listens at the recorded address.
    writeFileSync(path, JSON.stringify({ ...record, processStart: "1", address: `${record.address}.gone` }));
    const { stdout } = await runCommand(program, ["doctor"]);
    expect(stdout).toContain("Removed 1 announcement of");
  });
});

describe("a session that can't be asked", () => {
  const refusals: readonly (readonly [string, Stub, string])[] = [
    ["is suspended", { isSilent: true }, "did not answer within 4 s"],
    ["is not the announced one", { isImpostor: true }, "does not know the session's secret"],
    ["is too old", { refuses: "The editor is running version 0.0.1, which is too old" }, "0.0.1, which is too old"],
  ];

  it.each(refusals)(
    "because it %s makes a call for its files fail, and they stay as they are",
    async (_, stub, why) => {
      const home = ownStateHome();
      const folder = makeDirectory({ "a.txt": "one\n" });
      const id = await startStub(home, { ...stub, folders: [folder] });
      const asked = [[], ["--mode=editor"], ["--session", id]].map((args) => apply("a.txt", folder, ...args));
      for (const { code, stderr } of await Promise.all(asked)) {
        expect([code, stderr]).toEqual([3, expect.stringContaining(why)]);
        expect(stderr).toContain("Nothing was changed");
      }
      expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("one\n");
      expect(filesIn(home)).toHaveLength(2);
    },
  );

  it("does not prevent a call for other files", async () => {
    const home = ownStateHome();
    const folder = makeDirectory({ "a/a.txt": "one\n", "b/": "" });
    await startStub(home, { isSilent: true, folders: [join(folder, "b")] });
    await open([join(folder, "a")]);
    await announced(home, 2);
    expect(await apply("a.txt", join(folder, "a"))).toMatchObject({ code: 0 });
  });

  // `strace`, which can make a program's system calls fail, is not installed everywhere.
  it.runIf(spawnSync("strace", ["-V"]).status === 0)("because of a sandbox is reported with this reason", async () => {
    const home = ownStateHome();
    const folder = makeDirectory({ "a.txt": "one\n" });
    const editor = await open([folder]);
    await announced(home);
    const forbid = ["-f", "-qq", "-o", "/dev/null", "-e", "trace=connect", "-e", "inject=connect:error=EPERM"];
    const wrapped = { path: process.execPath, remove() {}, folder: "" };
    const input = JSON.stringify({ path: "a.txt", oldText: "one", newText: "two" });
    const script = `process.exit(require("child_process").spawnSync("strace", ${JSON.stringify([
      ...forbid,
      process.execPath,
      program.path,
      "apply",
    ])}, { stdio: "inherit" }).status)`;
    const ran = await runCommand({ ...wrapped, path: "-e" }, [script], {
      cwd: folder,
      input,
      env: { CODEX_SANDBOX_NETWORK_DISABLED: "1" },
    });
    expect(ran).toMatchObject({ code: 3, stdout: "" });
    expect(ran.stderr).toContain("the agent's sandbox does not allow connections to it (EPERM)");
    expect(ran.stderr).toContain("multi-edit mcp");
    expect(editor.asked).toEqual([]);
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("one\n");
  });

  it("because it is older may still serve some requests: for the others the answer advises an update", async () => {
    const home = ownStateHome();
    const folder = makeDirectory({ "a.txt": "one\n" });
    const status = { folders: [pathToFileURL(folder).href], open: [] };
    await startStub(home, {
      folders: [folder],
      serve: ({ method }) =>
        method === "multiEdit/status"
          ? { result: status }
          : { error: { code: -32601, message: "Unhandled method multiEdit/undo" } },
    });
    const { code, stderr } = await runCommand(program, ["undo"], { cwd: folder });
    expect([code, stderr]).toEqual([
      4,
      expect.stringMatching(/is running version 0\.0\.1 .* does not support this request\. Update the server/),
    ]);
  });
});

describe("a session that can't be seen", () => {
  it.each<[string, RegExp, number, (home: string) => void]>([
    [
      "others may enter the directory in which it would announce itself",
      /Editors can't announce themselves.*make yourself its owner and set its mode to 700/,
      // No session is announced in this directory, so none was skipped.
      0,
      (home) => {
        mkdirSync(sessionsIn(home), { recursive: true, mode: 0o700 });
        chmodSync(sessionsIn(home), 0o755);
      },
    ],
    [
      "it is of a newer version",
      /announces a session of a newer version .* Update this program/,
      4,
      (home) => {
        mkdirSync(sessionsIn(home), { recursive: true, mode: 0o700 });
        writeFileSync(join(sessionsIn(home), "0123456789ab.json"), '{"format":2}', { mode: 0o600 });
      },
    ],
  ])("is not bypassed by writing to the disk if %s", async (_, reason, code, prepare) => {
    prepare(ownStateHome());
    const folder = makeDirectory({ "a.txt": "one\n" });
    expect(await apply("a.txt", folder)).toMatchObject({ code: 3, stdout: "", stderr: expect.stringMatching(reason) });
    expect(await runCommand(program, ["read", "a.txt"], { cwd: folder })).toMatchObject({ code: 3, stdout: "" });
    expect((await runCommand(program, ["doctor"], { cwd: folder })).stdout).toMatch(reason);
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("one\n");
    expect(await apply("a.txt", folder, "--mode=disk")).toMatchObject({ code });
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe(code === 0 ? "two\n" : "one\n");
  });
});

describe("people", () => {
  it("see a list of the sessions without their secrets", async () => {
    const home = ownStateHome();
    const folder = makeDirectory({ "a.txt": "one\n" });
    const editor = await open([folder], { clientInfo: { name: "Left", version: "3" } });
    const [session] = await announced(home);
    await openIn(editor, join(folder, "a.txt"), "unsaved\n");
    const plain = await runCommand(program, ["sessions"]);
    expect(plain).toMatchObject({ code: 0, stderr: "" });
    expect(plain.stdout).toBe(`${session.id}  Left 3  1 open  ${pathToFileURL(folder).href}\n`);
    const { stdout } = await runCommand(program, ["sessions", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject([{ id: session.id, pid: session.pid, open: [{ onDisk: "differs" }] }]);
    const doctor = await runCommand(program, ["doctor"], { cwd: folder });
    expect(doctor).toMatchObject({ code: 0, stderr: "" });
    expect(doctor.stdout).toContain(`go to ${session.id} (Left 3 in ${folder})`);
    expect(doctor.stdout).toContain("a.txt, differs from disk");
    const told = await runCommand(program, ["doctor", "--json"], { cwd: folder });
    expect(JSON.parse(told.stdout)).toMatchObject({ chosen: session.id });
    expect(plain.stdout + stdout + doctor.stdout + told.stdout).not.toContain(session.secret);
  });

  it("get advice if no editor is running, or if one does not answer", async () => {
    const home = ownStateHome();
    const empty = await runCommand(program, ["sessions"]);
    expect(empty).toMatchObject({ code: 3, stdout: "", stderr: expect.stringContaining("No editor can be reached") });
    const none = await runCommand(program, ["doctor"]);
    expect(none).toMatchObject({ code: 3, stdout: expect.stringContaining("No editor can be reached") });
    await startStub(home, { isSilent: true });
    const silent = await runCommand(program, ["doctor"]);
    expect(silent.stdout).toContain("The editor may be suspended or busy: resume or close it.");
  });

  it("learn from the doctor which option decides where calls go", async () => {
    const home = ownStateHome();
    const folder = makeDirectory({ "a.txt": "one\n" });
    const lastLines = async (): Promise<string[]> => {
      const { code, stdout } = await runCommand(program, ["doctor"], { cwd: folder });
      expect(code).toBe(3);
      return stdout.trimEnd().split("\n").slice(-1);
    };
    expect(await lastLines()).toEqual(["Use --mode=editor to prevent writes to disk."]);
    for (const editor of [await open([folder]), await open([folder])]) {
      await openIn(editor, join(folder, "a.txt"), "one\n");
    }
    await announced(home, 2);
    const { stderr } = await apply("a.txt", folder);
    expect(stderr.trimEnd().split("\n").at(-1)).toBe(
      "Use --session=ID, or the variable MULTI_EDIT_SESSION, to choose one of them.",
    );
  });

  it.each(["neovim", "emacs", "claude", "codex", "opencode", "gemini", "pi"])(
    "get the configuration of %s",
    async (name) => {
      const { code, stdout, stderr } = await runCommand(program, ["setup", name]);
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toMatch(/multi[-_]?edit/i);
    },
  );
});
