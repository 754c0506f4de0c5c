/** The editor, the server and the agents on different machines, or in containers, with a stand-in for ssh. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { announced, stateHome } from "../support/agentPeer.js";
import { runCommand } from "../support/commands.js";
import { serverForDesks } from "../support/desk.js";
import { removeTree } from "../support/directory.js";
import { type FakeEditor, startEditor } from "../support/fakeEditor.js";
import { type Differences, type Machine, noMachine, startMachine } from "./machine.js";

const missing = noMachine();
const program = serverForDesks();

/** The server's command line, for this machine or another one. */
const server = (args: string): string => `'${process.execPath}' '${program.path}' ${args}`;

/** An agent's call, as its standard input. */
const call = (path: string, oldText: string, newText: string): string => JSON.stringify({ path, oldText, newText });

/** A project with the files of this machine, a folder that both machines have, and the users' state folders. */
function lay(files: Readonly<Record<string, string>>) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "me-")));
  onTestFinished(() => removeTree(base));
  const [bin, state, away, local] = ["bin", "state", "away", "local"].map((name) => join(base, name)) as [
    string,
    string,
    string,
    string,
  ];
  const project = join(local, "project");
  for (const path of [bin, state, away, local, project]) mkdirSync(path, { mode: 0o700 });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
  stateHome(state);
  return {
    project,
    local,
    /** The state folder of this machine's user. */
    state,
    /** The state folder of the other machine's user. */
    away,
    read: (name: string) => readFileSync(join(project, name), "utf8"),
    machine: (differences: Partial<Differences>) => startMachine({ bin, state: away, ...differences }),
    /** An editor on this machine with its server here or on the other one, and its document a.txt, which is not saved. */
    edit: async (folder: string, machine?: Machine): Promise<FakeEditor & { textOf(name: string): unknown }> => {
      const command = machine && ([...machine.ssh, "elsewhere", server("--stdio")] as const);
      const editor = await startEditor({
        server: command ?? [process.execPath, program.path, "--stdio"],
        folders: [folder],
        params: { processId: process.pid },
      });
      onTestFinished(() => void editor.process.kill("SIGKILL"));
      const uriOf = (name: string) => pathToFileURL(join(folder, name)).href;
      await editor.open({ uri: uriOf("a.txt"), text: "typed one\n" });
      return { ...editor, textOf: (name) => editor.documents.get(uriOf(name))?.text };
    },
  };
}

const files = { "a.txt": "one\n", "b.txt": "one\n" };
const both = JSON.stringify({
  edits: ["a.txt", "b.txt"].map((path) => ({ path, oldText: "one", newText: "two" })),
});
const warnings = ({ notices }: FakeEditor): string[] =>
  notices.map(({ message }) => message).filter((message) => message.includes("folder"));

if (missing !== undefined) {
  it("no machine can be started", () => {
    const leftOut = `left out: the editor, the server and agents on different machines: ${missing}`;
    if (process.env.REQUIRE_REACH === "1") throw new Error(leftOut);
    console.log(leftOut);
  });
} else {
  describe("ssh", () => {
    it("the server runs where the files are, and the editor has them mounted at the same path", async () => {
      const { project, machine, edit, read, state } = lay(files);
      const editor = await edit(project, await machine({ state }));
      await announced(state);
      expect(await editor.request("workspace/executeCommand", commandOf(both))).toMatchObject({ outcome: "applied" });
      expect([editor.textOf("a.txt"), read("a.txt"), read("b.txt")]).toEqual(["typed two\n", "one\n", "two\n"]);
      expect(warnings(editor)).toEqual([]);
      expect(editor.stderr()).toContain(
        `process ${process.pid} was not found, so the server exits only when the connection closes`,
      );
    });

    it("the editor's server, the agent and the files are there, and nothing of the project is here", async () => {
      const { local, machine, edit, away } = lay({});
      const elsewhere = await machine({ empty: [local] });
      const project = join(local, "project");
      await elsewhere.run(`mkdir '${project}' && cd '${project}' && echo one >a.txt && echo one >b.txt`, "/");
      const editor = await edit(project, elsewhere);
      await announced(away);
      expect(await elsewhere.run(server("read a.txt"), project)).toMatchObject({ code: 0, stdout: "typed one\n" });
      expect(await elsewhere.run(server("apply"), project, both)).toMatchObject({ code: 0 });
      expect(editor.textOf("a.txt")).toBe("typed two\n");
      expect(await elsewhere.run("cat a.txt b.txt", project)).toMatchObject({ stdout: "one\ntwo\n" });
      expect(warnings(editor)).toEqual([]);
    });

    it("a folder that is not there is named at once, and by the doctor", async () => {
      const { project, local, machine, edit, away } = lay(files);
      const elsewhere = await machine({ empty: [local] });
      const editor = await edit(project, elsewhere);
      await announced(away);
      expect(warnings(editor)).toEqual([
        expect.stringContaining(`the workspace folder "${project}" does not exist on the machine on which this server`),
      ]);
      const { stdout } = await elsewhere.run(server("doctor"), "/");
      expect(stdout).toContain(`folder ${pathToFileURL(project).href}, which does not exist on the machine of its`);
      const failed = editor.request("workspace/executeCommand", commandOf(call("b.txt", "one", "two")));
      await expect(failed).rejects.toThrow("b.txt");
    });
  });

  describe("a container with the same paths and the same home", () => {
    it("the agent inside reaches the editor outside", async () => {
      const { project, machine, edit, read, state } = lay(files);
      const editor = await edit(project);
      const [{ id }] = await announced(state);
      const container = await machine({ state });
      expect(await container.run("hostname", project)).toMatchObject({ stdout: "elsewhere\n" });
      expect(await container.run(server("sessions"), project)).toMatchObject({ stdout: expect.stringContaining(id) });
      expect(await container.run(server("apply"), project, both)).toMatchObject({ code: 0 });
      expect([editor.textOf("a.txt"), read("a.txt"), read("b.txt")]).toEqual(["typed two\n", "one\n", "two\n"]);
      expect(await container.run(server("undo"), project)).toMatchObject({ code: 0 });
      expect([editor.textOf("a.txt"), read("b.txt")]).toEqual(["typed one\n", "one\n"]);
    });

    it("the agent outside reaches the editor inside", async () => {
      const { project, machine, edit, read, state } = lay(files);
      const editor = await edit(project, await machine({ state }));
      await announced(state);
      expect(await runCommand(program, ["read", "a.txt"], { cwd: project })).toMatchObject({ stdout: "typed one\n" });
      expect(await runCommand(program, ["apply"], { cwd: project, input: both })).toMatchObject({ code: 0 });
      expect([editor.textOf("a.txt"), read("a.txt"), read("b.txt")]).toEqual(["typed two\n", "one\n", "two\n"]);
    });

    it("an agent that may only write to disk leaves the folder to the editor", async () => {
      const { project, machine, edit, read, state } = lay(files);
      await edit(project);
      await announced(state);
      const container = await machine({ state });
      const { code, stderr } = await container.run(server("apply --mode=disk"), project, both);
      expect([code, stderr]).toEqual([4, expect.stringContaining("a.txt")]);
      expect([read("a.txt"), read("b.txt")]).toEqual(["one\n", "one\n"]);
    });
  });

  describe("a container with other paths", () => {
    it("the agent inside changes files on disk, and the editor outside keeps what is typed", async () => {
      const { project, local, machine, edit, read, state } = lay(files);
      const editor = await edit(project);
      await announced(state);
      const inside = join(local, "workspaces");
      const container = await machine({ state, empty: [local], mounted: [[project, inside]] });
      expect(await container.run(server("apply"), inside, call("b.txt", "one", "two"))).toMatchObject({ code: 0 });
      expect(read("b.txt")).toBe("two\n");
      // The session has the same file under another path, so the agent's call does not reach it, but its user is warned.
      expect(await container.run(server("apply"), inside, call("a.txt", "one", "two"))).toMatchObject({
        code: 0,
        stderr: expect.stringContaining("no editor has these files open in a workspace folder"),
      });
      await expect
        .poll(() => editor.notices.map(({ message }) => message).join("\n"), { timeout: 10_000 })
        .toContain('"a.txt" changed on disk, and has unsaved text here');
      expect([editor.textOf("a.txt"), read("a.txt")]).toEqual(["typed one\n", "two\n"]);
    });

    it("the agent inside reaches the editor outside by the path that the editor has", async () => {
      const { project, local, machine, edit, read, state } = lay(files);
      const editor = await edit(project);
      await announced(state);
      const inside = join(local, "workspaces");
      const container = await machine({ state, empty: [local], mounted: [[project, inside]] });
      const named = join(project, "a.txt");
      expect(await container.run(server(`read '${named}'`), inside)).toMatchObject({ stdout: "typed one\n" });
      expect(await container.run(server("apply"), inside, call(named, "one", "two"))).toMatchObject({ code: 0 });
      expect([editor.textOf("a.txt"), read("a.txt")]).toEqual(["typed two\n", "one\n"]);
    });
  });
}

/** The params that run a call as the editor's user does. */
const commandOf = (input: string) => ({ command: "multiEdit.apply", arguments: [JSON.parse(input)] });
