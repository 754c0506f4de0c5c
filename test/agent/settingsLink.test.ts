/** The user's settings file, if it is a link. */
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { announced, ownConfigHome, ownStateHome } from "../support/agentPeer.js";
import { runCommand } from "../support/commands.js";
import { serverForDesks } from "../support/desk.js";
import { startEditor } from "../support/fakeEditor.js";
import { startAgent } from "../support/mcpAgent.js";

const program = serverForDesks();

describe("a settings file that is a link, for example into a folder of dotfiles", () => {
  it.each(["its target exists", "its target is missing"])(
    "can't be read or edited through any door: %s",
    async (target) => {
      const home = ownStateHome();
      const config = ownConfigHome(home);
      mkdirSync(config, { recursive: true });
      const dotfiles = join(home, "dotfiles");
      mkdirSync(dotfiles);
      if (target === "its target exists") writeFileSync(join(dotfiles, "s.json"), "{}");
      const link = join(config, "settings.json");
      const file = join(dotfiles, "s.json");
      symlinkSync(file, link);
      const before = existsSync(file);
      const said = "Only the server may read or write there";
      const change = { oldText: "", newText: '{ "confirm": "never" }' };
      for (const [cwd, path] of [
        [home, link],
        [dotfiles, "s.json"],
      ] as const) {
        const input = JSON.stringify({ path, ...change });
        const ran = await runCommand(program, ["apply"], { cwd, input });
        expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining(said)]);
        const read = await runCommand(program, ["read", path], { cwd });
        expect([read.code, read.stdout, read.stderr]).toEqual([1, "", expect.stringContaining(said)]);
        const gone = `*** Begin Patch\n*** Delete File: ${path}\n*** End Patch\n`;
        expect(await runCommand(program, ["apply"], { cwd, input: gone })).toMatchObject({ code: 1 });
        const agent = await startAgent(program, cwd);
        const told = await agent.call("multi_edit", { edits: [{ path, ...change }] });
        expect(told.texts.join("\n")).toContain(said);
      }
      const server = [process.execPath, program.path, "--stdio"] as const;
      const editor = await startEditor({ server, folders: [dotfiles], clientInfo: { name: "Guard" } });
      onTestFinished(() => void editor.process.kill("SIGKILL"));
      await announced(home);
      const asked = { command: "multiEdit.apply", arguments: [{ path: "s.json", ...change }] };
      await expect(editor.request("workspace/executeCommand", asked)).rejects.toThrow(said);
      await expect(editor.request("multiEdit/read", { path: "s.json" })).rejects.toThrow(said);
      expect([lstatSync(link).isSymbolicLink(), existsSync(file)]).toEqual([true, before]);
      if (before) expect(readFileSync(file, "utf8")).toBe("{}");
    },
  );
});
