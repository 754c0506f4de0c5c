/**
 * Editing without an editor: the same commands and tools write to disk, but never to a file that an editor has open.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { announced, ownStateHome } from "../support/agentPeer.js";
import { buildProgram, type Program } from "../support/build.js";
import { type Ran, type RunOptions, runCommand } from "../support/commands.js";
import { failed, layDesk } from "../support/desk.js";
import { makeDirectory } from "../support/directory.js";
import { startAgent } from "../support/mcpAgent.js";

let program: Program;
beforeAll(async () => {
  program = await buildProgram(new URL("../../server/main.ts", import.meta.url));
});
afterAll(() => program.remove());

const call = (path: string, oldText = "one", newText = "two"): string => JSON.stringify({ path, oldText, newText });

/** A directory with no files open in any editor, and functions that run commands and read files in it. */
function layShelf(entries: Parameters<typeof makeDirectory>[0]) {
  const home = ownStateHome();
  const root = makeDirectory(entries);
  const run = (args: readonly string[], more: RunOptions = {}): Promise<Ran> =>
    runCommand(program, args, { cwd: root, ...more });
  const text = (path: string): string => readFileSync(join(root, path), "utf8");
  return { root, run, text, journals: join(home, "multi-edit-language-server", "journals") };
}

describe("without an editor", () => {
  it("apply writes to disk, says so, and prints the same diff", async () => {
    const { run, text, root } = layShelf({ "a.txt": "\ufeffone\r\nmore\r\n" });
    const { code, stdout, stderr } = await run(["apply"], { input: call("a.txt"), isAlone: true });
    expect([code, stdout]).toEqual([0, expect.stringContaining("--- a/a.txt\n+++ b/a.txt\n")]);
    expect(stderr).toMatch(
      /^a\.txt \(1 edit\)\nChanged on disk, because no editor has it open\.\nM a\.txt\nWarning: no editor .* With --mode=editor, such a call is refused\.\n$/,
    );
    expect(text("a.txt")).toBe("\ufefftwo\r\nmore\r\n");
    expect(readdirSync(root)).toEqual(["a.txt"]);
  });

  it("files are added, changed, moved and deleted in one step", async () => {
    const { run, root, text } = layShelf({ "a.txt": "one\n", "b.txt": "one\n", "c.txt": "one\n" });
    const input = [
      "*** Begin Patch",
      "*** Update File: a.txt\n*** Move to: sub/a.txt\n@@\n-one\n+two",
      "*** Add File: d.txt\n+new",
      "*** Delete File: b.txt",
      "*** Update File: c.txt\n@@\n-one\n+two",
      "*** End Patch\n",
    ].join("\n");
    const previewed = await run(["preview"], { input });
    expect(previewed).toMatchObject({ code: 0, stderr: expect.stringContaining("Nothing was changed.") });
    expect(readdirSync(root).sort()).toEqual(["a.txt", "b.txt", "c.txt"]);
    const applied = await run(["apply", "--json"], { input });
    expect(applied.code).toBe(0);
    expect(JSON.parse(applied.stdout)).toMatchObject({ outcome: "applied", files: [{}, {}, {}, {}] });
    expect(JSON.parse(applied.stdout)).toMatchObject({ transaction: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect(readdirSync(root, { recursive: true }).sort()).toEqual(["c.txt", "d.txt", "sub", "sub/a.txt"]);
    expect([text("c.txt"), text("d.txt"), text("sub/a.txt")]).toEqual(["two\n", "new\n", "two\n"]);
    expect(previewed.stdout).toBe(JSON.parse(applied.stdout).diff);
  });

  it("a call that changes nothing fails or says that nothing was changed", async () => {
    const { run } = layShelf({ "a.txt": "one\n" });
    const patch = (...lines: string[]): string => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
    const idle = await run(["apply"], { input: patch("*** Update File: a.txt", "@@", " one") });
    expect([idle.code, idle.stderr]).toEqual([1, expect.stringContaining("begins with - or +")]);
    const same = await run(["apply"], { input: patch("*** Add File: a.txt", "+one") });
    expect([same.code, same.stdout, same.stderr]).toEqual([0, "", "a.txt (0 edits)\nNothing was changed.\n"]);
  });

  it("one edit without a match leaves every file as it was", async () => {
    const { run, text } = layShelf({ "a.txt": "one\n", "b.txt": "none\n" });
    const edits = ["a.txt", "b.txt"].map((path) => ({ path, oldText: "one\n", newText: "two\n" }));
    edits.push({ path: "b.txt", oldText: "absent", newText: "x" });
    expect(await run(["apply"], { input: JSON.stringify({ edits }) })).toMatchObject({ code: 1, stdout: "" });
    expect([text("a.txt"), text("b.txt")]).toEqual(["one\n", "none\n"]);
  });

  it("apply says only once that nothing was changed if others may use the directory of the journals", async () => {
    const { run, text, journals } = layShelf({ "a.txt": "one\n" });
    mkdirSync(journals, { recursive: true, mode: 0o700 });
    chmodSync(journals, 0o755);
    const { code, stderr } = await run(["apply"], { input: call("a.txt") });
    const said = stderr.split("\n").filter((line) => line.includes("Nothing was changed"));
    expect([code, said.length, said[0]?.split("Nothing was changed").length]).toEqual([1, 1, 2]);
    expect(text("a.txt")).toBe("one\n");
  });

  it("an unreadable journal does not prevent a call, and doctor names it", async () => {
    const { run, text, journals } = layShelf({ "a.txt": "one\n" });
    mkdirSync(journals, { recursive: true, mode: 0o700 });
    const journal = join(journals, "0000000000000006.journal");
    writeFileSync(journal, "torn");
    expect((await run(["doctor"])).stdout).toContain(journal);
    expect(JSON.parse((await run(["doctor", "--json"])).stdout)).toMatchObject({
      problems: [expect.stringContaining(journal)],
    });
    expect(await run(["apply"], { input: call("a.txt") })).toMatchObject({ code: 0 });
    expect(text("a.txt")).toBe("two\n");
  });

  it("read prints the file, and undo fails because there is nothing to undo", async () => {
    const { run } = layShelf({ "a.txt": "one\ntwo\n" });
    expect(await run(["read", "a.txt:2"])).toEqual({ code: 0, stdout: "two\n", stderr: "" });
    const past = await run(["read", "a.txt:9-12"]);
    expect(past).toMatchObject({ code: 1, stdout: "" });
    expect(await run(["read", "a.txt:9-12", "--json"])).toMatchObject({ code: 0, stderr: "" });
    expect(past.stderr).toMatch(/^There are no such lines: .*a\.txt has 2 lines\.\n$/);
    expect(await run(["undo"])).toMatchObject({ code: 5, stdout: "" });
  });

  it("neither files outside the directory nor protected files are changed", async () => {
    const { run, root, text } = layShelf({ "ws/a.txt": "one\n", "b.txt": "one\n", "ws/.git/config": "one\n" });
    const cwd = join(root, "ws");
    for (const path of ["../b.txt", join(root, "b.txt"), ".git/config"]) {
      expect(await run(["apply"], { input: call(path), cwd })).toMatchObject({ code: 1 });
    }
    expect([text("b.txt"), text("ws/.git/config")]).toEqual(["one\n", "one\n"]);
    expect(await run(["apply", "--workspace", root], { input: call("b.txt"), cwd })).toMatchObject({ code: 0 });
  });

  it("a call that demands an editor is not applied on disk instead", async () => {
    const { run, text } = layShelf({ "a.txt": "one\n" });
    expect(await run(["apply", "--mode=editor"], { input: call("a.txt") })).toMatchObject({ code: 3 });
    expect(text("a.txt")).toBe("one\n");
  });

  it("commands that start at the same time run one after the other, and no edit is lost", async () => {
    const { run, text } = layShelf({ "a.txt": Array.from({ length: 6 }, (_, i) => `line ${i}\n`).join("") });
    const ran = await Promise.all(
      Array.from({ length: 6 }, (_, i) => run(["apply"], { input: call("a.txt", `line ${i}\n`, `done ${i}\n`) })),
    );
    // A command that finds the folder locked says so and changes nothing.
    const expected = ran.map(({ code }, i) => `${code === 0 ? "done" : "line"} ${i}\n`).join("");
    expect(text("a.txt")).toBe(expected);
    expect(ran.filter(({ code }) => code === 0).length).toBeGreaterThan(0);
    for (const { code, stderr } of ran) if (code !== 0) expect([code, stderr]).toEqual([4, expect.any(String)]);
  });

  it("the MCP tools write to disk as well, and say so", async () => {
    const { root, text } = layShelf({ "a.txt": "one\n" });
    const agent = await startAgent(program, root);
    const edited = await agent.call("multi_edit", { edits: [{ path: "a.txt", oldText: "one", newText: "two" }] });
    expect(edited).toMatchObject({ isError: false, structured: undefined });
    expect(edited.texts).toEqual(["M a.txt, on disk (no editor has it open)"]);
    expect(text("a.txt")).toBe("two\n");
    expect((await agent.call("read_document", { path: "a.txt" })).texts).toEqual([
      expect.stringMatching(/^Lines 1 to 1 of 1, from disk: /),
      "two\n",
    ]);
  });

  it("doctor says that calls would write to disk", async () => {
    const { run, root } = layShelf({});
    const { code, stdout } = await run(["doctor"]);
    expect([code, stdout]).toEqual([
      3,
      expect.stringContaining(
        `No editor has ${root} in a workspace folder, so calls that edit files there write to disk.`,
      ),
    ]);
  });
});

/** The environment of a user whose home directory is `home`, without the variables that name the state folder. */
const userAt = (home: string): NodeJS.ProcessEnv => ({
  HOME: home,
  XDG_STATE_HOME: undefined,
  XDG_DATA_HOME: undefined,
});

/** The first block of a Neovim swap file for a file that this process has open. */
function swapFile(): Buffer {
  const block = Buffer.alloc(4096);
  block.write("b0nvim");
  block.writeUInt32LE(process.pid, 24);
  block.write(hostname(), 68);
  return block;
}

describe("with a home directory", () => {
  const homes: Readonly<Record<string, Parameters<typeof makeDirectory>[0]>> = {
    "that is reached by a link": { "real/": "", home: { link: "real" } },
    "that contains a link to the state folder": { "dots/": "", "home/.local": { link: "../dots" } },
    "that contains a dangling link": { "home/.local": { link: "../dots" } },
    "that does not exist yet": {},
  };

  it.each(Object.entries(homes))("%s, files are written", async (_, entries) => {
    const { run, root, text } = layShelf({ "ws/a.txt": "one\n", ...entries });
    const at = { cwd: join(root, "ws"), env: userAt(join(root, "home")) };
    expect(await run(["apply"], { input: call("a.txt"), ...at })).toMatchObject({ code: 0 });
    expect(text("ws/a.txt")).toBe("two\n");
  });

  it("that contains a link to Neovim's data folder, Neovim is still noticed", async () => {
    const { run, root, text } = layShelf({
      "ws/a.txt": "one\n",
      "dots/share/nvim/swap/": "",
      "home/.local": { link: "../dots" },
    });
    const file = join(root, "ws/a.txt");
    writeFileSync(join(root, "dots/share/nvim/swap", `${file.replaceAll("/", "%")}.swp`), swapFile());
    const at = { cwd: join(root, "ws"), env: userAt(join(root, "home")) };
    const ran = await run(["apply"], { input: call("a.txt"), ...at });
    expect(ran).toMatchObject({ code: 4, stderr: expect.stringContaining("is open in Neovim") });
    expect(text("ws/a.txt")).toBe("one\n");
  });

  it.each(["", "home"])(
    "that is not an absolute path (%j), nothing is written, and the message names HOME",
    async (home) => {
      const { run, root, text } = layShelf({ "a.txt": "one\n" });
      for (const mode of ["auto", "disk"]) {
        const ran = await run(["apply", `--mode=${mode}`], { input: call("a.txt"), env: userAt(home) });
        expect(ran).toMatchObject({ stdout: "", stderr: expect.stringContaining("HOME") });
        expect(ran.code).not.toBe(0);
      }
      expect((await run(["doctor"], { env: userAt(home) })).stdout).toContain(
        "(the variable HOME) is not an absolute path",
      );
      expect([text("a.txt"), readdirSync(root)]).toEqual(["one\n", ["a.txt"]]);
    },
  );

  it("that is the workspace, the server's own folder is neither read nor written", async () => {
    const { run, root } = layShelf({});
    const own = ".local/state/multi-edit-language-server/sessions/settings.json";
    const env = userAt(root);
    const create = JSON.stringify({ path: own, oldText: "", newText: "{}" });
    const refusal = { code: 1, stdout: "", stderr: expect.stringContaining("in a folder where the server keeps") };
    expect(await run(["apply"], { input: create, env })).toEqual(refusal);
    expect(readdirSync(root)).toEqual([]);
    mkdirSync(join(root, dirname(own)), { recursive: true, mode: 0o700 });
    writeFileSync(join(root, own), "{}");
    expect(await run(["read", own], { env })).toEqual(refusal);
    expect(await run(["apply"], { input: call(own, "{}", "{ }"), env })).toEqual(refusal);
  });

  it("in which others may use the folder of the journals, doctor reports a problem", async () => {
    const { run, root } = layShelf({});
    const env = userAt(root);
    const journals = join(root, ".local/state/multi-edit-language-server/journals");
    expect((await run(["doctor"], { env })).stdout).toContain(
      "are kept in ~/.local/state/multi-edit-language-server/journals\n",
    );
    expect(readdirSync(journals)).toEqual([]);
    chmodSync(journals, 0o755);
    expect((await run(["doctor"], { env })).stdout).toContain("can't hold one: other users have access to it");
    const told = JSON.parse((await run(["doctor", "--json"], { env })).stdout);
    expect(told.problems).toEqual([expect.stringContaining("other users have access to it")]);
    // An agent's sandbox may be the reason why the folder can't be used.
    const refused = await run(["apply"], { input: call("new.txt", "", "x"), env });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('the MCP server "multi-edit mcp"')]);
    expect(existsSync(join(root, "new.txt"))).toBe(false);
  });
});

describe("if the directory can't be determined", () => {
  const create = JSON.stringify({ path: "n.txt", oldText: "", newText: "x" });
  /**
   * Runs the command in the directory that the shell code `enter` creates and enters, so that its path appears in no
   * argument.
   */
  const runIn = (root: string, enter: string, command: string) =>
    spawnSync("sh", ["-c", `${enter} && exec "$0" "$1" ${command}`, process.execPath, program.path], {
      cwd: root,
      input: create,
      encoding: "utf8",
    });

  it.each([
    ["its name is not UTF-8", 'd=$(printf \'w\\377\') && mkdir "$d" && cd "$d"', ["w\ufffd"]],
    [
      "another directory has the reported name",
      'mkdir "$(printf \'w\\357\\277\\275\')" && d=$(printf \'w\\377\') && mkdir "$d" && cd "$d"',
      ["w\ufffd", "w\ufffd"],
    ],
    ["it no longer exists", "mkdir gone && cd gone && rmdir ../gone", []],
  ])("because %s, nothing is written", (_, enter, names) => {
    ownStateHome();
    const root = makeDirectory({});
    for (const command of ["apply -", "mcp", "apply - --workspace=."]) {
      const { status, stdout, stderr } = runIn(root, enter, command);
      expect([status, stdout, stderr.trimEnd().split("\n").length]).toEqual([2, "", 1]);
      expect(readdirSync(root)).toEqual(names);
      rmSync(root, { recursive: true });
      mkdirSync(root);
    }
  });

  it("because it is misspelt, nothing is written", async () => {
    const { run, root } = layShelf({ "file.txt": "" });
    for (const name of ["nowhere", "file.txt"]) {
      const ran = await run(["apply", `--workspace=${name}`], { input: create });
      expect(ran).toEqual({ code: 2, stdout: "", stderr: expect.stringContaining(`"${name}" is not a directory`) });
    }
    expect(readdirSync(root)).toEqual(["file.txt"]);
  });
});

describe("beside an editor", () => {
  it("that has the file open, nothing is written to disk, even on request", async () => {
    const home = ownStateHome();
    const desk = await layDesk(program, {
      clientInfo: { name: "Tester" },
      files: { "a.txt": "one\n", "b.txt": "one\n" },
      open: { "a.txt": "mine\none\n" },
    });
    await announced(home);
    const run = (path: string): Promise<Ran> =>
      runCommand(program, ["apply", "--mode=disk"], { cwd: desk.root, input: call(path) });
    expect(await run("a.txt")).toMatchObject({ code: 4, stdout: "", stderr: expect.stringContaining("Tester") });
    expect([desk.disk()["a.txt"], desk.texts()["a.txt"]]).toEqual(["one\n", "mine\none\n"]);
    expect(await run("b.txt")).toMatchObject({ code: 0 });
    expect([desk.disk()["b.txt"], desk.editor.asked]).toEqual(["two\n", []]);
  });

  it("that has a different folder open, files are written to disk", async () => {
    const home = ownStateHome();
    const desk = await layDesk(program, {
      clientInfo: { name: "Tester" },
      files: { "ws/a.txt": "" },
      folderNames: ["ws"],
    });
    await announced(home);
    mkdirSync(join(desk.root, "other"));
    const input = JSON.stringify({ path: "a.txt", oldText: "", newText: "one\n" });
    const ran = await runCommand(program, ["apply"], { cwd: join(desk.root, "other"), input });
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining("on disk") });
    expect(desk.disk()["other/a.txt"]).toBe("one\n");
  });

  it("that has a file open, no other editor writes this file", async () => {
    const home = ownStateHome();
    const left = await layDesk(program, { clientInfo: { name: "Left" }, files: { "a.txt": "one\n" } });
    const right = await layDesk(program, { clientInfo: { name: "Right" } });
    await announced(home, 2);
    await right.editor.open({ uri: pathToFileURL(join(left.root, "a.txt")).href, text: "mine\none\n" });
    const command = { command: "multiEdit.apply", arguments: [JSON.parse(call("a.txt"))] };
    const refusal = await failed(left.editor.request("workspace/executeCommand", command));
    expect([refusal.codes, refusal.message]).toEqual([["locked"], expect.stringContaining("Right")]);
    expect(left.disk()["a.txt"]).toBe("one\n");
  });
});
