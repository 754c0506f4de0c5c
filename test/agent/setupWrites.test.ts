/** `multi-edit setup NAME --write`: the way it writes files: whole, all or none, and without taking them from anyone. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { blockFile, jsonFile } from "../../server/programs/setup/configFile.js";
import { configure } from "../../server/programs/setup/configure.js";
import { makeDirectory } from "../support/directory.js";
import { userWith } from "../support/setupUser.js";
import { builtServer } from "../support/wireServer.js";

const isRoot = process.getuid?.() === 0;

/** The paths below a folder, except those of the server's own folder. */
const entriesOf = (home: string): string[] =>
  readdirSync(home, { recursive: true, encoding: "utf8" })
    .filter((path) => !/^\.local(?:$|\/)/.test(path))
    .sort();

describe("setup --write", () => {
  const places = [
    ["gemini", ".gemini/settings.json"],
    ["codex", ".codex/config.toml"],
    ["pi", ".pi/agent/extensions/multiEdit.ts"],
    ["helix", ".config/helix/languages.toml"],
  ] as const;

  it.each(places)("of %s refuses a pipe, a device and a folder in place of %s", async (name, path) => {
    const kinds = {
      "it is a pipe, a socket or a device": (at: string) => execFileSync("mkfifo", [at]),
      "it is a directory": (at: string) => mkdirSync(at),
    };
    for (const [why, make] of Object.entries(kinds)) {
      const user = userWith({ [join(path, "../x")]: "", "bin/hx": "" });
      chmodSync(join(user.home, "bin/hx"), 0o755);
      make(join(user.home, path));
      const words = name === "helix" ? ["text"] : [];
      for (const task of name === "helix" ? ["--write"] : ["--write", "--remove"]) {
        const ran = await user.setup(name, ...words, task);
        expect(ran).toEqual({
          code: 2,
          stdout: "",
          stderr: expect.stringContaining(`~/${path} was not changed: ${why}`),
        });
      }
    }
  });

  it("shows no other setting, keeps the file's mode, and follows a link", async () => {
    const user = userWith({ "dotfiles/settings.json": '{\n  "other": 1,\n  "key": "sk-123"\n}\n' });
    const file = join(user.home, "dotfiles/settings.json");
    chmodSync(file, 0o640);
    mkdirSync(join(user.home, ".gemini"));
    symlinkSync(file, join(user.home, ".gemini/settings.json"));
    const { stdout } = await user.setup("gemini", "--write");
    expect(stdout).not.toContain("sk-123");
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(user.text("dotfiles/settings.json")).toContain("multi-edit");
    expect(readFileSync(join(user.home, ".gemini/settings.json"), "utf8")).toBe(user.text("dotfiles/settings.json"));
  });

  it("refuses a read-only file, and writes to the end of a link whose file does not exist yet", async () => {
    const user = userWith({ ".gemini/settings.json": "{}\n", "dotfiles/": "" });
    chmodSync(join(user.home, ".gemini/settings.json"), 0o444);
    const { code, stderr } = await user.setup("gemini", "--write");
    expect([code, stderr]).toEqual([2, expect.stringContaining("settings.json was not changed: it is read-only.")]);
    expect(user.text(".gemini/settings.json")).toBe("{}\n");
    mkdirSync(join(user.home, ".codex"));
    mkdirSync(join(user.home, "dotfiles"), { recursive: true });
    symlinkSync("../dotfiles/codex.toml", join(user.home, ".codex/config.toml"));
    expect(await user.setup("codex", "--write")).toMatchObject({ code: 0, stderr: "" });
    expect(user.text("dotfiles/codex.toml")).toContain("[mcp_servers.multi-edit]");
  });

  it("writes through all names of a file that has several, and leaves no other file", async () => {
    const user = userWith({ "dotfiles/codex.toml": 'model = "x"\n', ".codex/x": "" });
    linkSync(join(user.home, "dotfiles/codex.toml"), join(user.home, ".codex/config.toml"));
    const before = entriesOf(user.home);
    expect(await user.setup("codex", "--write")).toMatchObject({ code: 0, stderr: "" });
    expect(user.text("dotfiles/codex.toml")).toContain("[mcp_servers.multi-edit]");
    expect(user.text(".codex/config.toml")).toBe(user.text("dotfiles/codex.toml"));
    expect(entriesOf(user.home)).toEqual(before);
    expect(await user.setup("codex", "--remove")).toMatchObject({ code: 0, stderr: "" });
    expect(user.text("dotfiles/codex.toml")).toBe('model = "x"\n');
  });

  it.runIf(isRoot)("as root keeps a file its owner's, and in a user's home makes only files of this user", async () => {
    const own = userWith({ ".codex/config.toml": 'model = "x"\n' });
    chownSync(join(own.home, ".codex/config.toml"), 4711, 4712);
    expect(await own.setup("codex", "--write")).toMatchObject({ code: 0, stderr: "" });
    expect(statSync(join(own.home, ".codex/config.toml"))).toMatchObject({ uid: 4711, gid: 4712 });
    const user = userWith({ ".claude.json": "{}\n" });
    execFileSync("chown", ["-R", "4711:4712", user.home]);
    expect(await user.setup("claude", "--write")).toMatchObject({ code: 0, stderr: "" });
    for (const path of readdirSync(user.home, { recursive: true, encoding: "utf8" })) {
      expect([path, lstatSync(join(user.home, path)).uid]).toEqual([path, 4711]);
    }
    expect(existsSync(join(user.home, ".claude/settings.json"))).toBe(true);
  });

  it.runIf(isRoot)("as root changes nothing for a user who can't read the program, and still removes", () => {
    const user = userWith({ ".codex/config.toml": 'model = "x"\n' });
    const env = { ...process.env, HOME: user.home, XDG_STATE_HOME: "", CLAUDE_CONFIG_DIR: "", CODEX_HOME: "" };
    // In processes of their own, because the command goes on as another user.
    const run = (program: string, ...words: readonly string[]) =>
      spawnSync(process.execPath, [program, "setup", ...words], { env, encoding: "utf8" });
    expect(run(builtServer, "codex", "--write")).toMatchObject({ status: 0 });
    execFileSync("chown", ["-R", "4711:4712", user.home]);
    const written = user.text(".codex/config.toml");
    // Only root may enter this folder.
    const dist = join(makeDirectory({ "dist/": "" }), "dist");
    const from = dirname(builtServer);
    cpSync(from, dist, { recursive: true, filter: (path) => path === from || path.endsWith(".cjs") });
    const setup = (...words: readonly string[]) => run(join(dist, "main.cjs"), ...words);
    for (const name of ["codex", "claude", "vscode"]) {
      const { status, stdout, stderr } = setup(name, "--write");
      expect([status, stdout, stderr]).toEqual([2, "", expect.stringMatching(/can't read ".*main\.cjs"/)]);
    }
    expect([user.text(".codex/config.toml"), existsSync(join(user.home, ".claude.json"))]).toEqual([written, false]);
    expect(setup("codex", "--remove")).toMatchObject({ status: 0, stderr: "" });
    expect(user.text(".codex/config.toml")).toBe('model = "x"\n');
  });

  const canMount = spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "x", "/mnt"]).status === 0;
  it.runIf(canMount)(
    "of two files on two disks, one of which is full, changes none, says why, and leaves no file",
    () => {
      const user = userWith({ ".claude.json": "{}\n" });
      const script = `mkdir "$HOME/.claude" && mount -t tmpfs -o size=8k x "$HOME/.claude" && cd "$HOME/.claude"
      echo '{}' > settings.json; echo 1 > full; "$@" setup claude --write; ls -A; cat settings.json`;
      const env = { ...process.env, HOME: user.home, XDG_STATE_HOME: "", CLAUDE_CONFIG_DIR: "" };
      const { stdout, stderr } = spawnSync(
        "unshare",
        ["-rm", "sh", "-c", script, "sh", process.execPath, builtServer],
        {
          env,
          encoding: "utf8",
        },
      );
      expect(stderr).toMatch(
        /"~\/\.claude\/settings\.json" can't be written: no space is left on the disk\. Nothing was changed\.\n$/,
      );
      expect(stdout).toBe("full\nsettings.json\n{}\n");
      expect(user.text(".claude.json")).toBe("{}\n");
    },
  );
});

describe("a file that another program changes at the same time", () => {
  beforeEach(() => void vi.stubEnv("XDG_STATE_HOME", makeDirectory({})));

  it("gets our part, and keeps the other program's", async () => {
    const path = join(makeDirectory({ "a.json": '{ "a": 1 }\n' }), "a.json");
    const file = jsonFile(path, [{ path: ["ours"], value: { command: "multi-edit" }, kind: "own" }]);
    const texts = ['{ "a": 2 }\n', '{ "a": 2, "b": 3 }\n'];
    const add = (text: string | undefined) => {
      const next = texts.shift();
      if (next !== undefined) writeFileSync(path, next);
      return file.add(text);
    };
    expect(await configure([{ ...file, add }], "add")).toMatchObject({ ok: true });
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ a: 2, b: 3, ours: { command: "multi-edit" } });
  });

  it("is read again if it is new", async () => {
    const path = join(makeDirectory({}), "a.toml");
    const file = blockFile(path, { comment: "#", block: "x = 1\n", byHand: /(?!)/ });
    const add = (text: string | undefined) => {
      if (!existsSync(path)) writeFileSync(path, "mine = 1\n");
      return file.add(text);
    };
    expect(await configure([{ ...file, add }], "add")).toMatchObject({ ok: true });
    expect(readFileSync(path, "utf8")).toMatch(/^mine = 1\n\n# .*\nx = 1\n/);
  });
});
