/**
 * The commands for agents and scripts, with the built program, the built server, and an editor with unsaved changes.
 */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MultiEditResult } from "../../server/lsp/protocol.js";
import { readInput } from "../../server/programs/cli/readInput.js";
import { announced, ownStateHome } from "../support/agentPeer.js";
import { buildProgram, type Program } from "../support/build.js";
import { type Ran, type RunOptions, runCommand, runOnTerminal } from "../support/commands.js";
import { type Desk, type DeskOptions, layDesk } from "../support/desk.js";
import { makeDirectory } from "../support/directory.js";
import { startEditor } from "../support/fakeEditor.js";

let program: Program;
beforeAll(async () => {
  program = await buildProgram(new URL("../../server/main.ts", import.meta.url));
});
afterAll(() => program.remove());

interface Bench extends Desk {
  readonly home: string;
  /** Runs a command in the workspace folder. */
  run(args: readonly string[], options?: RunOptions): Promise<Ran>;
}

/** A new editor whose server announces itself in a folder that only this test searches. */
async function layBench(options: DeskOptions = {}): Promise<Bench> {
  const home = ownStateHome();
  const desk = await layDesk(program, { clientInfo: { name: "Tester", version: "7" }, ...options });
  await announced(home);
  return { ...desk, home, run: (args, more) => runCommand(program, args, { cwd: desk.root, ...more }) };
}

const unsaved: DeskOptions = { files: { "a.txt": "one\n" }, open: { "a.txt": "mine\none\n" } };
const call = (path: string, oldText = "one", newText = "two"): string => JSON.stringify({ path, oldText, newText });

describe("apply", () => {
  it("changes the text in the editor, keeps unsaved text, and prints the diff", async () => {
    const { run, texts, disk } = await layBench(unsaved);
    const { code, stdout, stderr } = await run(["apply", "-"], { input: call("a.txt"), isAlone: true });
    expect(code).toBe(0);
    expect(stdout).toBe("diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n mine\n-one\n+two\n");
    expect(stderr).toContain("a.txt (1 edit)\nM a.txt\n");
    expect(texts()["a.txt"]).toBe("mine\ntwo\n");
    expect(disk()["a.txt"]).toBe("one\n");
  });

  it("does not read standard input from a terminal, where nobody would end it", async () => {
    const terminal = Object.assign(Readable.from([call("a.txt")]), { isTTY: true });
    expect(await readInput("-", terminal)).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/^There is no input/),
    });
    expect(await readInput("-", Readable.from([Buffer.from("{}")]))).toEqual({ ok: true, value: "{}" });
  });

  it.each([
    ["a call over several lines", (text: string) => JSON.stringify(JSON.parse(text), null, 2), ["mine\ntwo\n"]],
    ["a list of one call", (text: string) => `[${text}]`, ["mine\ntwo\n"]],
    ["a call on each line", (text: string) => `${text}\n\n${call("a.txt", "two", "three")}\n`, ["mine\nthree\n"]],
    ["a patch", () => "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch\n", ["mine\ntwo\n"]],
    ["a patch as JSON text", () => JSON.stringify("*** Begin Patch\n*** Delete File: b.txt\n*** End Patch"), []],
    ["text with a byte order mark", (text: string) => `\ufeff${text}`, ["mine\ntwo\n"]],
  ])("takes %s", async (_, form, expected) => {
    const { run, texts, disk } = await layBench({ ...unsaved, files: { "a.txt": "one\n", "b.txt": "b" } });
    expect(await run(["apply"], { input: form(call("a.txt")) })).toMatchObject({ code: 0 });
    if (expected[0] !== undefined) expect(texts()["a.txt"]).toBe(expected[0]);
    else expect(disk()).not.toHaveProperty("b.txt");
  });

  it("reads the named file", async () => {
    const { run, root, texts } = await layBench(unsaved);
    writeFileSync(join(root, "call.json"), call("a.txt"));
    expect(await run(["apply", "call.json"])).toMatchObject({ code: 0 });
    expect(texts()["a.txt"]).toBe("mine\ntwo\n");
  });

  it("resolves relative paths against its working directory or against --workspace", async () => {
    const { run, root, texts } = await layBench({
      files: { "sub/a.txt": "one\n" },
      open: { "sub/a.txt": "mine\none\n" },
    });
    const cwd = join(root, "sub");
    expect(await run(["apply"], { input: call("a.txt"), cwd })).toMatchObject({ code: 0 });
    expect(await run(["apply", "--workspace", cwd], { input: call("a.txt", "two", "six") })).toMatchObject({ code: 0 });
    expect(texts()["sub/a.txt"]).toBe("mine\nsix\n");
  });

  it("prints JSON, which contains the failure if the call fails", async () => {
    const { run } = await layBench(unsaved);
    const done = await run(["apply", "--json"], { input: call("a.txt") });
    const result = JSON.parse(done.stdout) as MultiEditResult;
    expect([done.code, result.outcome, result.files[0]?.onDisk]).toEqual([0, "applied", "differs"]);
    const failed = await run(["apply", "--json"], { input: call("a.txt").replace("one", "none") });
    expect([failed.code, JSON.parse(failed.stdout)]).toMatchObject([1, { error: { failures: [{ index: 0 }] } }]);
  });

  it("leaves out failing edits if told to", async () => {
    const { run, texts } = await layBench(unsaved);
    const edits = [
      { path: "a.txt", oldText: "one", newText: "two" },
      { path: "a.txt", oldText: "none", newText: "two" },
    ];
    expect(await run(["apply", "--atomic=none"], { input: JSON.stringify({ edits }) })).toMatchObject({ code: 0 });
    expect(texts()["a.txt"]).toBe("mine\ntwo\n");
  });

  it("counts edits from 1 in messages and from 0 in JSON, and leaves quoted text as it is", async () => {
    const { run } = await layBench({ files: { "a.txt": "one\n// edit 0\n// edit 0\n" } });
    const edits = ["one", "// edit 0"].map((oldText) => ({ path: "a.txt", oldText, newText: "two" }));
    const input = JSON.stringify({ edits });
    const { stderr } = await run(["apply"], { input });
    expect(stderr).toContain("The old text of edit 2 (a.txt)");
    expect(stderr).toContain("\n2| // edit 0");
    const json = await run(["apply", "--json"], { input });
    expect(JSON.parse(json.stdout)).toMatchObject({ error: { failures: [{ index: 1 }] } });
    for (const said of [json.stdout, json.stderr]) expect(said).toContain("The old text of edit 1 (a.txt)");
  });

  it("stops at the first of several calls to fail, and says which one it was", async () => {
    const { run, texts } = await layBench(unsaved);
    const input = [call("a.txt"), call("a.txt", "none", "x"), call("a.txt", "two", "three")].join("\n");
    const { code, stderr } = await run(["apply"], { input });
    expect([code, stderr]).toEqual([1, expect.stringContaining("Call 2 of 3 failed")]);
    expect(texts()["a.txt"]).toBe("mine\ntwo\n");
  });

  it("sends nothing if one of several calls can't be read", async () => {
    const { run, texts } = await layBench(unsaved);
    const { code, stderr } = await run(["apply"], { input: `${call("a.txt")}\n{"path":"a.txt"}` });
    expect([code, stderr]).toEqual([2, expect.stringContaining("Call 2 can't be read")]);
    expect(texts()["a.txt"]).toBe("mine\none\n");
  });

  it.each([
    ["apply", { preview: true }],
    ["apply", { options: { dryRun: true } }],
    ["preview", { "dry-run": 1 }],
  ])("refuses a call that asks for a dry run: %s %j", async (command, trial) => {
    const { run, texts } = await layBench(unsaved);
    const input = JSON.stringify({ path: "a.txt", oldText: "one", newText: "two", ...trial });
    const { code, stderr } = await run([command], { input });
    expect([code, stderr]).toEqual([2, expect.stringContaining('the command "multi-edit preview" shows what')]);
    expect(texts()["a.txt"]).toBe("mine\none\n");
  });

  it("has the editor save changed files if told to, and says what is not on disk", async () => {
    const { run, disk } = await layBench({ ...unsaved, saves: "saves", settings: {} });
    const kept = await run(["apply"], { input: call("a.txt") });
    expect([kept.code, kept.stderr]).toEqual([0, expect.stringContaining("a.txt already had unsaved changes")]);
    expect(disk()["a.txt"]).toBe("one\n");
    const saved = await run(["apply", "--save=always"], { input: call("a.txt", "two", "three") });
    expect([saved.code, saved.stderr]).toEqual([0, expect.not.stringContaining("unsaved")]);
    expect(disk()["a.txt"]).toBe("mine\nthree\n");
    const { run: inOther } = await layBench({ ...unsaved, settings: {} });
    const unable = await inOther(["apply", "--save=always"], { input: call("a.txt") });
    expect([unable.code, unable.stderr]).toEqual([0, expect.stringContaining("can't save files in this editor")]);
  });

  it("exits normally if the reader of its output goes away", async () => {
    const { root } = await layBench({ files: { "a.txt": "line\n".repeat(100_000) } });
    const input = JSON.stringify({ path: "a.txt", oldText: "line", newText: "new", replaceAll: true });
    writeFileSync(join(root, "call.json"), input);
    const script = `'${process.execPath}' '${program.path}' preview call.json | head -c 10 >/dev/null; echo "\${PIPESTATUS[0]}"`;
    const bash = { ...program, path: "-e" };
    const wrapper = `process.exit(require("child_process").spawnSync("bash", ["-c", process.argv[1]], { stdio: "inherit" }).status)`;
    const { stdout, stderr } = await runCommand(bash, [wrapper, script], { cwd: root });
    expect([stdout, stderr]).toEqual(["0\n", expect.not.stringContaining("EPIPE")]);
  });

  it("says that it is waiting if the user takes a long time", async () => {
    const { run, editor } = await layBench({ ...unsaved, settings: { confirm: "always" } });
    let answer = (): void => undefined;
    editor.beforeAnswers(() => new Promise<void>((resolve) => (answer = resolve)));
    editor.answerQuestionsWith("Apply");
    const onStderr = (text: string): unknown => text.startsWith("Waiting") && answer();
    const ran = await run(["apply"], { input: call("a.txt"), onStderr });
    expect([ran.code, ran.stderr]).toEqual([
      0,
      expect.stringMatching(/^Waiting for your answer in Tester 7 in \/.* …$/m),
    ]);
  });
});

describe("preview", () => {
  it("prints the same diff and changes nothing", async () => {
    const { run, texts } = await layBench(unsaved);
    const { code, stdout, stderr } = await run(["preview"], { input: call("a.txt") });
    expect([code, stdout]).toEqual([0, expect.stringContaining("-one\n+two\n")]);
    expect(stderr).toContain("Nothing was changed.");
    expect(texts()["a.txt"]).toBe("mine\none\n");
  });

  it("limits the length of the diff in a summary", async () => {
    const text = `${"x".repeat(99)}\n`.repeat(400);
    const { run } = await layBench({ files: { "a.txt": `one\n${text}` } });
    const input = JSON.stringify({ path: "a.txt", edits: [{ oldText: text, newText: "" }] });
    const whole = await run(["preview"], { input });
    const summary = await run(["preview", "--summary"], { input });
    expect(whole.stdout.length).toBeGreaterThan(40_000);
    expect(summary.stdout.length).toBeLessThanOrEqual(16_000);
    expect(summary.stderr).toContain("the answer is a summary");
    expect(whole.stderr + summary.stderr).not.toContain("does not contain the edit");
  });
});

// Some output appears only on a terminal.
describe.runIf(spawnSync("script", ["--version"]).status === 0)("on a terminal", () => {
  const inTerminal = async (env: NodeJS.ProcessEnv): Promise<string> => {
    const { root } = await layBench({ files: { "a.txt": "one\n\u001b[2Jtwo\ttab\n" } });
    writeFileSync(join(root, "call.json"), call("a.txt", "one", "1\u001b]0;title\u0007"));
    const shell = `'${process.execPath}' '${program.path}' preview call.json`;
    const { stdout } = await runOnTerminal(shell, { cwd: root, env });
    return stdout;
  };

  it("shows the diff in colour, and keeps its text from controlling the terminal", async () => {
    const shown = await inTerminal({
      TERM: "xterm-256color",
      NO_COLOR: undefined,
      FORCE_COLOR: undefined,
      CI: undefined,
    });
    expect(shown).toContain("\u001b[31m-one\u001b[39m");
    expect(shown).toContain("\u001b[32m+1␛]0;title␇\u001b[39m");
    expect(shown).toContain(" ␛[2Jtwo\ttab");
  });

  it("shows the diff without colour if the user wants none", async () => {
    const shown = await inTerminal({ TERM: "xterm-256color", NO_COLOR: "1", FORCE_COLOR: undefined });
    expect(shown).toContain("-one\r\n");
    expect(shown).not.toContain("\u001b");
  });
});

describe("read", () => {
  const files = { files: { "a.txt": "one\n" }, open: { "a.txt": "1\n2\n3\n4\n" } };

  it.each([
    ["a.txt", "1\n2\n3\n4\n"],
    ["./a.txt:2", "2\n"],
    ["a.txt:2-3", "2\n3\n"],
    ["a.txt:3-", "3\n4\n"],
    ["a.txt", "1\n2\n", "--max-length=5"],
  ])("%s prints the editor's text", async (path, expected, ...args) => {
    const { run } = await layBench(files);
    const { code, stdout, stderr } = await run(["read", path, ...args]);
    expect([code, stdout]).toEqual([0, expected]);
    expect(stderr).toContain("the file on disk differs");
  });

  it("takes a URI, and prints JSON", async () => {
    const { run, uri } = await layBench(files);
    const { stdout } = await run(["read", "--json", `${uri("a.txt")}:1`]);
    expect(JSON.parse(stdout)).toMatchObject({ uri: uri("a.txt"), text: "1\n", totalLines: 4, onDisk: "differs" });
  });

  it("fails with the session's message", async () => {
    const { run } = await layBench(files);
    expect(await run(["read", "none.txt"])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("none.txt"),
    });
  });
});

describe("an invalid command line", () => {
  it.each([
    [["apply", "--mode=both"], "--mode must be one of auto, editor, disk"],
    [["apply", "--atomic=some"], "--atomic must be one of"],
    [["apply", "--save=later"], "--save must be one of"],
    [["apply", "--timeout=soon"], "--timeout must be a number"],
    [["apply", "--timeout=0"], "--timeout must be a number"],
    [["apply", "a", "b"], "apply [FILE|-]"],
    [["read"], "read PATH"],
    [["read", "a", "--save=never"], "--save"],
    [["read", "a", "--max-length=few"], "must be a positive integer"],
    [["sessions", "all"], "sessions"],
    [["setup", "ed"], 'no setup for "ed". Usage: multi-edit setup NAME'],
    [["try", "a", "b"], "try [FOLDER]"],
    [["apply", "--session="], "require a value"],
  ])("%j exits with 2 and says why", async (args, why) => {
    ownStateHome();
    const { code, stdout, stderr } = await runCommand(program, args, { input: call("a.txt") });
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(why)]);
  });

  it.each([
    ["nothing", ""],
    ["broken JSON", '{"path": '],
    ["bytes that are not text", new Uint8Array([0xff, 0xfe, 0x41])],
    ["a call of no known shape", '{"hello": 1}'],
    [
      "options that only an integration may set",
      '{"path":"a","oldText":"b","newText":"c","options":{"atomic":"none"}}',
    ],
    ["an invalid patch", "*** Begin Patch\n*** Dance\n*** End Patch"],
  ])("exits with 2 if %s is sent to apply", async (_, input) => {
    ownStateHome();
    const { code, stdout, stderr } = await runCommand(program, ["apply"], { input });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^\S.*\n$/s);
  });

  it("exits with 2 if Helix has to be asked but is not installed", async () => {
    const { code, stdout, stderr } = await runCommand(program, ["setup", "helix", "rust"], { env: { PATH: "" } });
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining("Neither hx nor helix is on the PATH")]);
  });

  it("exits with 2 if the named file does not exist", async () => {
    ownStateHome();
    expect(await runCommand(program, ["apply", "none.json"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("none.json"),
    });
  });
});

describe("the other exit codes", () => {
  it("1: an old text is not found, and nothing is changed", async () => {
    const { run, texts } = await layBench(unsaved);
    const { code, stdout, stderr } = await run(["apply"], { input: call("a.txt", "none") });
    expect([code, stdout, stderr]).toEqual([1, "", expect.stringContaining("was not found")]);
    expect(texts()["a.txt"]).toBe("mine\none\n");
  });

  it("3: no editor is running", async () => {
    ownStateHome();
    const ran = await runCommand(program, ["apply", "--mode=editor"], { input: call("a.txt") });
    expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining("No editor is running") });
  });

  it("4: the editor refuses the change", async () => {
    const { run, editor, texts } = await layBench(unsaved);
    editor.behave("refuses");
    const { code } = await run(["apply"], { input: call("a.txt") });
    expect([code, texts()["a.txt"]]).toEqual([4, "mine\none\n"]);
  });

  it("4: the user rejects the change", async () => {
    const { run, editor, texts } = await layBench({ ...unsaved, settings: { confirm: "always" } });
    editor.answerQuestionsWith("Reject");
    const { code, stderr } = await run(["apply"], { input: call("a.txt") });
    expect([code, stderr]).toEqual([4, expect.stringContaining("rejected")]);
    expect(texts()["a.txt"]).toBe("mine\none\n");
  });

  it("4: the user does not answer in time, and the command stops waiting", async () => {
    const { run, editor, texts } = await layBench({ ...unsaved, settings: { confirm: "always" } });
    editor.beforeAnswers(() => new Promise(() => undefined));
    const { code, stderr } = await run(["apply", "--timeout=0.5"], { input: call("a.txt") });
    expect([code, stderr]).toEqual([4, expect.stringContaining("Nothing was changed")]);
    expect(texts()["a.txt"]).toBe("mine\none\n");
  });

  it("5: the text changes at every attempt", async () => {
    const { run, editor, typeBefore } = await layBench(unsaved);
    editor.beforeEdits(() => typeBefore("a.txt", "one", "x"));
    expect(await run(["apply"], { input: call("a.txt") })).toMatchObject({ code: 5 });
  });

  it.each([
    ["6: the session is killed before it answers", "never", 6, "the outcome of the call is unknown"],
    ["3: the session is killed before the user answers", "always", 3, "Nothing was changed."],
  ])("%s", async (_, confirm, exitCode, message) => {
    const home = ownStateHome();
    const folder = makeDirectory({ "a.txt": "one\n" });
    const editor = await startEditor({
      server: [process.execPath, program.path, "--stdio"],
      folders: [folder],
      settings: { confirm },
    });
    await editor.open({ uri: pathToFileURL(join(folder, "a.txt")).href, text: "one\n" });
    await announced(home);
    const die = (): Promise<never> => {
      editor.process.kill("SIGKILL");
      return new Promise(() => undefined);
    };
    editor.beforeAnswers(die);
    editor.beforeEdits(die);
    const { code, stderr } = await runCommand(program, ["apply"], { input: call("a.txt"), cwd: folder });
    expect([code, stderr]).toEqual([exitCode, expect.stringContaining(message)]);
  });

  it("130: the command is interrupted, and the call is rolled back", async () => {
    const { run, editor, texts } = await layBench({ ...unsaved, settings: { confirm: "always" } });
    editor.beforeAnswers(() => new Promise(() => undefined));
    const onStderr: RunOptions["onStderr"] = (text, kill) => text.startsWith("Waiting") && kill("SIGINT");
    const { code } = await run(["apply"], { input: call("a.txt"), isAlone: true, onStderr });
    expect([code, texts()["a.txt"]]).toEqual([130, "mine\none\n"]);
  });
});
