/** The gate for Git directories, tried with calls that would complete one. */
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { stage } from "../../server/disk/commit.js";
import { userWorkspace } from "../../server/disk/diskWorkspace.js";
import { ownConfigHome, ownStateHome } from "../support/agentPeer.js";
import { runCommand } from "../support/commands.js";
import { serverForDesks } from "../support/desk.js";
import { makeDirectory } from "../support/directory.js";
import { startEditor } from "../support/fakeEditor.js";

const program = serverForDesks();

describe("an undo that would complete a Git directory", () => {
  const files = { "d/HEAD": "ref: refs/heads/main\n" };
  const section = (head: string, ...lines: string[]): string =>
    ["*** Begin Patch", head, ...lines, "*** End Patch\n"].join("\n");
  const parts = ["*** Add File: d/refs/x\n+", "*** Add File: d/objects/y\n+", "*** Add File: d/config\n+[core]"];

  it("is refused at the command line, because Git would then run the programs that its configuration names", async () => {
    const home = ownStateHome();
    ownConfigHome(home);
    const folder = makeDirectory(files);
    const patch = async (input: string): Promise<string> => {
      const { code, stdout } = await runCommand(program, ["apply", "--json"], { cwd: folder, input });
      expect(code).toBe(0);
      return JSON.parse(stdout).transaction;
    };
    const id = await patch(section("*** Delete File: d/HEAD"));
    for (const part of parts) await patch(section(part));
    const ran = await runCommand(program, ["undo", id], { cwd: folder });
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining("for a repository's own directory")]);
    expect(existsSync(join(folder, "d/HEAD"))).toBe(false);
  });

  it("is refused in an editor", async () => {
    const home = ownStateHome();
    ownConfigHome(home);
    const folder = makeDirectory(files);
    const server = [process.execPath, program.path, "--stdio"] as const;
    const editor = await startEditor({ server, folders: [folder], clientInfo: { name: "Guard" } });
    onTestFinished(() => void editor.process.kill("SIGKILL"));
    const patch = (text: string): Promise<unknown> =>
      editor.request("workspace/executeCommand", { command: "multiEdit.apply", arguments: [{ patch: text }] });
    const { transaction } = (await patch(section("*** Delete File: d/HEAD"))) as { transaction: string };
    for (const part of parts) await patch(section(part));
    const undone = editor.request("multiEdit/undo", { transaction });
    await expect(undone).rejects.toThrow("for a repository's own directory");
    expect(existsSync(join(folder, "d/HEAD"))).toBe(false);
  });
});

describe("two calls of two processes that would complete a Git directory together", () => {
  it.each([
    ["d/objects/y", "d/refs/y"],
    ["d/refs/y", "d/objects/deep/y"],
  ])("the second is refused, although nothing was there when it was planned: %s, %s", async (first, second) => {
    const home = ownStateHome();
    ownConfigHome(home);
    const folder = realpathSync(makeDirectory({ "d/HEAD": "ref: refs/heads/main\n" }));
    const change = { kind: "create", path: join(folder, first), name: first, content: { text: "x\n" } } as const;
    const staged = stage(await userWorkspace([folder]), [change], "the first call");
    if (!staged.ok) throw new Error(staged.failures[0]?.message);
    const input = JSON.stringify({ path: second, oldText: "", newText: "x\n" });
    let isOver = false;
    const running = runCommand(program, ["apply", "--mode=disk"], { cwd: folder, input }).finally(() => {
      isOver = true;
    });
    const journals = join(home, "multi-edit-language-server", "journals");
    const waits = (): boolean => readdirSync(journals).some((name) => name.endsWith(".turn"));
    while (!isOver && !waits()) await new Promise((resolve) => setTimeout(resolve, 5));
    const committed = staged.commit();
    expect(committed.outcome).toBe("applied");
    if (committed.outcome === "applied") committed.finish();
    const { code, stderr } = await running;
    expect([code, stderr]).toEqual([1, expect.stringContaining("for a repository's own directory")]);
    expect([existsSync(join(folder, first)), existsSync(join(folder, second))]).toEqual([true, false]);
  });

  it("calls on other files of the directory need not wait", async () => {
    const home = ownStateHome();
    ownConfigHome(home);
    const folder = realpathSync(makeDirectory({ "d/HEAD": "ref: refs/heads/main\n", "d/a.txt": "one\n" }));
    const path = join(folder, "d/objects/y");
    const change = { kind: "create", path, name: "d/objects/y", content: { text: "x\n" } } as const;
    const staged = stage(await userWorkspace([folder]), [change], "the first call");
    const input = JSON.stringify({ path: "d/a.txt", oldText: "one", newText: "two" });
    expect(await runCommand(program, ["apply", "--mode=disk"], { cwd: folder, input })).toMatchObject({ code: 0 });
    if (staged.ok) staged.abandon();
  });
});
