/** The things that are said while agents are switched off in the editor that has the folder. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { announced, ownConfigHome, ownStateHome } from "../support/agentPeer.js";
import { type Ran, runCommand } from "../support/commands.js";
import { serverForDesks } from "../support/desk.js";
import { makeDirectory } from "../support/directory.js";
import { startEditor } from "../support/fakeEditor.js";
import { startAgent } from "../support/mcpAgent.js";

const program = serverForDesks();

async function lay() {
  const home = ownStateHome();
  ownConfigHome(home);
  const folder = makeDirectory({ "a.txt": "one\n", ".npmrc": "one\n" });
  const server = [process.execPath, program.path, "--stdio"] as const;
  const settings = { agent: { enabled: false } };
  const editor = await startEditor({ server, folders: [folder], settings, clientInfo: { name: "Guard" } });
  onTestFinished(() => void editor.process.kill("SIGKILL"));
  await announced(home);
  const run = (args: readonly string[], path?: string): Promise<Ran> => {
    const input = path === undefined ? "" : JSON.stringify({ path, oldText: "one", newText: "two" });
    return runCommand(program, args, { cwd: folder, input });
  };
  return { folder, run, text: (path: string): string => readFileSync(join(folder, path), "utf8") };
}

describe("while agents are switched off in the editor that has the folder", () => {
  const off = "agents are switched off in this editor";

  it("the doctor says that calls fail, and why", async () => {
    const { run } = await lay();
    const { code, stdout } = await run(["doctor"]);
    expect([code, stdout]).toEqual([3, expect.stringContaining(`${off}, so calls that edit files there fail`)]);
    for (const wrong of ["No editor has", "to disk"]) expect(stdout).not.toContain(wrong);
  });

  it.each(["--mode=auto", "--mode=disk"])("a preview fails as the call would: %s", async (mode) => {
    const { run, text } = await lay();
    const { code, stdout, stderr } = await run(["preview", mode], "a.txt");
    expect([code, stdout, stderr]).toEqual([4, "", expect.stringContaining(off)]);
    expect(stderr).not.toContain("would change");
    expect(await run(["apply", mode], "a.txt")).toMatchObject({ code, stdout: "" });
    expect(text("a.txt")).toBe("one\n");
  });

  it("a read does not say that no editor has the file open", async () => {
    const { folder } = await lay();
    const { texts } = await (await startAgent(program, folder)).call("read_document", { path: "a.txt" });
    expect(texts).toEqual(["Lines 1 to 1 of 1, from disk.\n", "one\n"]);
  });

  it("a change that needs consent is locked, and nobody is told to open the folder or to change the protected names", async () => {
    const { run, text } = await lay();
    const { code, stderr } = await run(["apply"], ".npmrc");
    expect([code, stderr]).toEqual([
      4,
      expect.stringMatching(`^"\\.npmrc" is in a folder of the editor .*, and ${off}`),
    ]);
    expect(stderr).not.toContain("-.npmrc");
    expect(text(".npmrc")).toBe("one\n");
  });
});
