/** What `multi-edit setup` prints for editors, in each form, and the command `try`. */

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { projectLanguages } from "../../server/programs/setup/projectLanguages.js";
import { blockOf } from "../editors/attach.js";
import { type Ran, runCommand } from "../support/commands.js";
import { makeDirectory } from "../support/directory.js";
import { builtServer } from "../support/wireServer.js";

const page = "client-samples/emacs/README.md";

/** A copy of the program, in a folder like that of a clone or a package, for a user whose PATH may have it. */
function installedIn(path: string, { isOnPath = false, isClone = false } = {}) {
  const base = makeDirectory({ "bin/": "" });
  const root = join(base, path);
  const dist = dirname(builtServer);
  // The built folder may hold the results of other commands, too.
  cpSync(dist, join(root, "dist"), { recursive: true, filter: (from) => from === dist || from.endsWith(".cjs") });
  if (isClone) mkdirSync(join(root, ".git"));
  if (isOnPath) writeFileSync(join(base, "bin/multi-edit"), "");
  const program = join(root, "dist/main.cjs");
  const env = { HOME: base, PATH: join(base, "bin") };
  return {
    root,
    program,
    setup: (...args: string[]): Promise<Ran> => runCommand({ path: program }, ["setup", ...args], { env }),
  };
}

describe("a printed form", () => {
  const forms = [
    ["neovim", ["plain", "lazy.nvim", "vim.pack"]],
    ["emacs", ["plain", "use-package", "eglot", "lsp-mode"]],
  ] as const;
  const rows = forms.flatMap(([name, all]) => all.map((form) => [name, form] as const));

  it.each(rows)("of %s, %s, names the program only if it is not on the PATH", async (name, form) => {
    const away = installedIn("program", { isClone: true });
    const command = [process.execPath, away.program, "--stdio"].map((word) => JSON.stringify(word));
    const { code, stdout } = await away.setup(name, form);
    expect(code).toBe(0);
    expect(stdout).toContain(command.join(name === "emacs" ? " " : ", "));
    const near = installedIn("program", { isClone: true, isOnPath: true });
    expect((await near.setup(name, form)).stdout).not.toContain("main.cjs");
  });

  it.each(forms)("of %s is the plain one by default", async (name) => {
    const { setup } = installedIn("program");
    expect(await setup(name)).toEqual(await setup(name, "plain"));
  });

  it.each(["use-package", "eglot", "lsp-mode"])("of emacs, %s, is that of the sample's page", async (form) => {
    const { setup, root } = installedIn("program", { isOnPath: true });
    const { stdout } = await setup("emacs", form);
    const lines = blockOf(page, `elisp ${form}`).replace("~/multi-edit-language-server", root).split("\n");
    expect(lines.filter((line) => !stdout.includes(line))).toEqual([]);
  });

  it("of vim.pack names the clone, and is refused if the program is in no clone", async () => {
    const clone = installedIn("a clone", { isClone: true });
    expect((await clone.setup("neovim", "vim.pack")).stdout).toContain(`src = "${pathToFileURL(clone.root).href}"`);
    const { code, stdout, stderr } = await installedIn("package").setup("neovim", "vim.pack");
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining("installs from Git repositories only")]);
  });

  it.each([
    [
      ["setup", "neovim", "lua"],
      'There is no form "lua". Usage: multi-edit setup neovim [FORM], where FORM is one of plain, lazy',
    ],
    [
      ["setup", "neovim", "plain", "x"],
      '"multi-edit setup neovim plain" takes no further arguments, but "x" was given.',
    ],
    [["setup", "neovim", "plain", "--write"], '"multi-edit setup neovim" takes no further arguments, but "plain" was'],
    [["setup", "pi", "plain", "x"], '"multi-edit setup pi plain" takes no further arguments, but "x" was given.'],
  ])("is refused for %j, and the message says why", async (args, why) => {
    const { code, stdout, stderr } = await runCommand({ path: builtServer }, args);
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(why)]);
  });

  it("of a program that npm keeps for a while only comes with a warning", async () => {
    const { setup } = installedIn(".npm/_npx/1a2b/node_modules/multi-edit-language-server");
    for (const args of [["neovim"], ["neovim", "--write"]]) {
      const { code, stderr } = await setup(...args);
      expect([code, stderr]).toEqual([
        0,
        expect.stringMatching(/^Warning: npm deletes this copy of the program some day/),
      ]);
    }
    expect((await setup("neovim", "--remove")).stderr).toBe("");
    expect((await installedIn("program").setup("neovim")).stderr).toBe("");
  });
});

describe("the languages of a project", () => {
  const files = {
    "src/a.ts": "",
    "src/b.TSX": "",
    "a.d.ts": "",
    "notes.txt": "",
    Makefile: "",
    "config/Dockerfile": "",
    "data.unknown": "",
    LICENSE: "",
    "node_modules/c.rs": "",
    ".hidden/d.py": "",
  };

  it("are those of its files, outside Git without hidden folders and packages", () => {
    expect(projectLanguages(makeDirectory(files))).toEqual(["dockerfile", "make", "text", "tsx", "typescript"]);
  });

  it("are those of the files that Git does not ignore", () => {
    const directory = makeDirectory({ ...files, ".gitignore": "node_modules\n*.txt\n" });
    execFileSync("git", ["init", "--quiet"], { cwd: directory });
    expect(projectLanguages(directory)).toEqual(["dockerfile", "make", "python", "tsx", "typescript"]);
  });

  it("are none in an empty folder, and setup says so", async () => {
    const directory = makeDirectory({});
    expect(projectLanguages(directory)).toEqual([]);
    const { code, stderr } = await runCommand({ path: builtServer }, ["setup", "helix"], { cwd: directory });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("Name the languages, for example: multi-edit setup helix"),
    ]);
  });
});

describe("multi-edit try", () => {
  const run = (cwd: string, ...args: string[]): Promise<Ran> =>
    runCommand({ path: builtServer }, ["try", ...args], { cwd });

  it("makes a folder, with folders around it, and prints lines that can be pasted", async () => {
    const base = makeDirectory({});
    const folder = join(base, "new/it's here");
    const { code, stdout, stderr } = await run(base, "new/it's here");
    expect([code, stderr]).toEqual([0, ""]);
    const [, pasted = ""] = /^ +(cd .*) && multi-edit apply --mode=editor call\.json$/m.exec(stdout) ?? [];
    expect(execFileSync("sh", ["-euc", `${pasted} && pwd`], { encoding: "utf8" })).toBe(`${folder}\n`);
    const call = JSON.parse(readFileSync(join(folder, "call.json"), "utf8"));
    expect(readFileSync(join(folder, call.path), "utf8")).toContain(call.oldText);
  });

  it("keeps what is in a folder that exists", async () => {
    const base = makeDirectory({ "multi-edit-try/price.ts": "mine\n" });
    const { code, stdout, stderr } = await run(base);
    expect([code, stdout, stderr]).toEqual([
      2,
      "",
      expect.stringContaining("already exists. Delete it, or name another"),
    ]);
    expect(readFileSync(join(base, "multi-edit-try/price.ts"), "utf8")).toBe("mine\n");
    expect(existsSync(join(base, "multi-edit-try/call.json"))).toBe(false);
  });

  it.each([
    ["/proc/x", /^"\/proc\/x" can't be made: the system has no folders there/],
    ["file/folder", /file\/folder" can't be made: part of its path is not a directory\./],
    ["file/a/b", /file\/a\/b" can't be made: part of its path is not a directory\./],
    ["dangling", /dangling" can't be made: /],
    ["dangling/folder", /dangling\/folder" can't be made: a link without a target has/],
    ["x/".repeat(30_000), /can't be made: a name in its path is too long\./],
  ])("ends and says why a folder can't be made: %.20s", async (folder, why) => {
    const base = makeDirectory({ file: "" });
    symlinkSync("nowhere", join(base, "dangling"));
    const { code, stdout, stderr } = await run(base, folder);
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringMatching(why)]);
    expect(readdirSync(base).sort()).toEqual(["dangling", "file"]);
  });
});
