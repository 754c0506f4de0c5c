/** The Node that `multi-edit setup` names, and what `multi-edit doctor` says of a configuration that starts nothing. */
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCommand } from "../support/commands.js";
import { makeDirectory } from "../support/directory.js";
import { userWith } from "../support/setupUser.js";
import { builtServer } from "../support/wireServer.js";

/** Runs setup as a user whose PATH has this program under its name. */
function setupWith(env: NodeJS.ProcessEnv, ...args: string[]) {
  const bin = makeDirectory({});
  symlinkSync(builtServer, join(bin, "multi-edit"));
  return runCommand({ path: builtServer }, ["setup", ...args], { env: { PATH: bin, ...env } });
}

describe("setup", () => {
  it.each(["neovim", "emacs", "claude", "codex", "opencode", "gemini"])(
    "of %s names Node and this program by their paths only if Node is below the home folder, and says so",
    async (name) => {
      const away = await setupWith({ HOME: makeDirectory({}) }, name);
      expect([away.code, away.stderr, away.stdout.includes(builtServer)]).toEqual([0, "", false]);
      // A version manager keeps Node below the home folder.
      const near = await setupWith({ HOME: dirname(process.execPath) }, name);
      expect(near.stdout).toContain(JSON.stringify(process.execPath));
      expect(near.stdout).toContain(JSON.stringify(builtServer));
      expect(near.stderr).toMatch(
        /^Note: the configuration starts ~\/node\S* by its path, .* run this command again\.\n$/,
      );
    },
  );

  it("does not mix this copy of the program with another one on the PATH", async () => {
    const other = makeDirectory({ "bin/": "" });
    cpSync(dirname(builtServer), join(other, "dist"), { recursive: true });
    mkdirSync(join(other, "bin"), { recursive: true });
    symlinkSync("../dist/main.cjs", join(other, "bin/multi-edit"));
    const { stdout } = await setupWith({ HOME: makeDirectory({}), PATH: join(other, "bin") }, "neovim");
    expect(stdout).toContain(JSON.stringify(builtServer));
    expect(stdout).not.toContain(other);
  });

  it("shows whole lines if the program was set up from another copy", async () => {
    const user = userWith({});
    await user.setup("neovim", "--write");
    const path = join(user.home, ".config/nvim/plugin/multi_edit.lua");
    const now = user.text(".config/nvim/plugin/multi_edit.lua");
    const [, second = "", third = ""] = now.split("\n");
    writeFileSync(path, now.replaceAll(dirname(dirname(builtServer)), "/one/clone"));
    const { stdout } = await user.setup("neovim", "--write");
    const old = (line: string): string => line.replaceAll(dirname(dirname(builtServer)), "/one/clone");
    expect(stdout.split("\n").slice(2)).toEqual([
      "@@ line 2 @@",
      ...[second, third].map((line) => `-${old(line)}`),
      ...[second, third].map((line) => `+${line}`),
      "",
    ]);
  });
});

describe("doctor", () => {
  const lua = ".config/nvim/plugin/multi_edit.lua";

  it("does not tell to set up what is set up", async () => {
    const user = userWith({ "price.ts": "" });
    expect((await user.doctor()).stdout).toContain('"multi-edit setup" prints the configuration for it');
    await user.setup("neovim", "--write");
    const { code, stdout } = await user.doctor();
    expect([code, stdout]).toEqual([
      3,
      expect.stringContaining(
        `multi-edit is set up for Neovim (in ~/${lua}), but no running editor has a server for ~`,
      ),
    ]);
    expect(stdout).toContain("without node on its PATH");
    expect(stdout).toMatch(
      /^Working directory: ~\nSessions are announced in ~\/|^Sessions are announced in ~\/.*\nWorking directory: ~$/m,
    );
    expect(stdout).not.toContain("prints the configuration");
    // Neovim's sign of an open file.
    const block = Buffer.alloc(1024);
    block.write("b0VIM 9.1");
    block.writeUInt32LE(process.pid, 24);
    const swap = join(user.home, ".local/state/nvim/swap");
    mkdirSync(swap, { recursive: true });
    writeFileSync(join(swap, `${join(user.home, "price.ts").replaceAll("/", "%")}.swp`), block);
    expect((await user.doctor()).stdout).toContain("but the running Neovim has no server for ~");
  });

  it.each([
    ["neovim", ""],
    ["emacs", ""],
    ["claude", "--hook"],
    ["codex", "--hook"],
    ["gemini", "--hook"],
  ])("names a Node in the configuration of %s that no longer exists", async (name, hook) => {
    const user = userWith({});
    await user.setup(name, "--write", ...(hook === "" ? [] : [hook]));
    expect((await user.doctor()).stdout).not.toContain("does not exist");
    for (const path of [
      lua,
      ".config/emacs/init.el",
      ".claude.json",
      ".claude/settings.json",
      ".codex/config.toml",
      ".gemini/settings.json",
    ]) {
      const text = textOf(() => user.text(path));
      if (text !== undefined)
        writeFileSync(join(user.home, path), text.replaceAll(process.execPath, "/nvm/v1/bin/node"));
    }
    const { stdout } = await user.doctor();
    expect(stdout).toMatch(
      new RegExp(`"~/.*" names "/nvm/v1/bin/node", which does not exist; run "multi-edit setup ${name} --write" again`),
    );
    expect(JSON.parse((await user.doctor("--json")).stdout).problems).toContainEqual(
      expect.stringContaining('names "/nvm/v1/bin/node"'),
    );
  });
});

function textOf(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
