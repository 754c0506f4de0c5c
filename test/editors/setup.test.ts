/**
 * The output of `multi-edit setup`, and the files that it writes with `--write`, used to configure real editors: an
 * agent's call must then find unsaved text.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { runCommand } from "../support/commands.js";
import { builtServer } from "../support/wireServer.js";
import { printedSetup, writeSetup } from "./attach.js";
import type { EditorKind, Place } from "./editor.js";
import { eglotWith, lspModeWith } from "./emacs.js";
import { helix, helixFor, olderHelix } from "./helix.js";
import { neovim, neovimWith, olderNeovim } from "./neovim.js";
import { absence, insideOf, startSession } from "./session.js";
import { onStage } from "./stage.js";

const pastedIn = (kind: EditorKind): EditorKind => neovimWith(kind, (place) => printedSetup(place, "neovim"));

/** Emacs without a mode for the tests' files, as for users who have not configured one. */
const plainly = (form: string): EditorKind => ({
  ...eglotWith([], (place) => `${printedSetup(place, "emacs", form)}(setq-default major-mode 'fundamental-mode)`),
  name: `Emacs, ${form}`,
});

const appended = (named: readonly string[]): string =>
  `mkdir -p ~/.config/helix && multi-edit setup helix ${named.join(" ")} >> ~/.config/helix/languages.toml`;

/** The editors with what `setup` prints; neovimPlugin.test.ts has the other forms for Neovim. */
const pasted: readonly EditorKind[] = [
  pastedIn(neovim),
  pastedIn(olderNeovim),
  helixFor(helix, ["text", "typescript"], appended),
  helixFor(olderHelix, ["text", "typescript"], appended),
  plainly("plain"),
  plainly("use-package"),
  // These two need a mode; the tests' configuration makes text-mode the default.
  { ...eglotWith([], (place) => printedSetup(place, "emacs", "eglot")), name: "Emacs, eglot form" },
  { ...lspModeWith((place) => printedSetup(place, "emacs", "lsp-mode")), name: "Emacs, lsp-mode form" },
];

/** The editors with what `setup --write` writes. */
const written: readonly EditorKind[] = [
  ...[neovim, olderNeovim].map((kind) => ({
    ...kind,
    start(place: Place) {
      writeSetup(place, "neovim");
      return neovimWith(kind, "").start(place);
    },
  })),
  ...[helix, olderHelix].map((kind) =>
    helixFor(kind, ["text", "typescript"], (named) => `multi-edit setup helix ${named.join(" ")} --write`),
  ),
  eglotWith([], (place) => {
    writeSetup(place, "emacs");
    return `(load "${join(place.home, ".config/emacs/init.el")}")(setq-default major-mode 'fundamental-mode)`;
  }),
];

vi.setConfig({ testTimeout: 60_000 });

describe.each([
  ["prints", pasted],
  ["writes", written],
])("what setup %s", (_, editors) => {
  it.each(editors)("keeps the unsaved text in $name ($root)", async (kind) => {
    const missing = absence(kind);
    if (missing !== undefined) return leftOut(kind, missing);
    const session = await startSession(kind);
    try {
      await onStage(session, async (stage) => {
        const saved = "export const rate = 0.19;\n";
        stage.lay({ "price.ts": saved });
        await stage.open("price.ts");
        await stage.retype("price.ts", "export const rate = 0.19; // ask Ann\n");
        const { home } = session;
        const env = { HOME: home, XDG_RUNTIME_DIR: home, TMPDIR: home, XDG_STATE_HOME: join(home, ".local/state") };
        // An editor tells the server a moment later what was opened and typed.
        const read = { cwd: stage.folder, env };
        await expect
          .poll(async () => (await runCommand(agent, ["read", "price.ts"], read)).stdout)
          .toContain("ask Ann");
        const input = '{ "path": "price.ts", "oldText": "rate = 0.19", "newText": "rate = 0.2" }';
        const ran = await runCommand(agent, ["apply"], { cwd: stage.folder, input, env });
        expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining("through the editor") });
        expect(ran.stdout).toContain("-export const rate = 0.19; // ask Ann\n+export const rate = 0.2; // ask Ann\n");
        expect(await stage.held()).toEqual({ "price.ts": "export const rate = 0.2; // ask Ann\n" });
        expect(stage.disk()).toEqual({ "price.ts": saved });
      });
    } finally {
      await session.stop();
    }
  });
});

for (const kind of [helix, olderHelix]) {
  const missing = absence(kind);
  // The tests above say so if this Helix is missing.
  describe.skipIf(missing !== undefined)(`setup helix, beside ${kind.name} (${kind.root})`, () => {
    helixEntries(kind);
    helixLimits(kind);
    helixProjects(kind);
  });
}

/** The program as an agent would run it, outside the editor's root. */
const agent = { path: builtServer, folder: "", remove: () => undefined };

function leftOut(kind: EditorKind, missing: string): void {
  const told = `left out: the output of multi-edit setup in a real ${kind.name} (${kind.root}): ${missing}`;
  if (process.env.REQUIRE_EDITORS === "1") throw new Error(told);
  console.log(told);
}

function helixEntries(kind: EditorKind): void {
  it("appended to the file twice, leaves each language its servers and adds ours", () => {
    const { file, append, servers } = homeOfHelix(kind);
    const before = ["python", "go", "typescript", "mail"].map(servers);
    expect(append("python", "go", "typescript", "text")).toMatchObject({ status: 0, stderr: "" });
    const first = readFileSync(file, "utf8");
    expect(append("python", "typescript", "css", "text")).toMatchObject({ status: 0, stderr: "" });
    const added = readFileSync(file, "utf8").slice(first.length);
    expect(added).toContain("# python already has multi-edit.");
    expect(added.match(/^name = .*$/gm)).toEqual(['name = "css"']);
    const [python = [], go = [], typescript = [], mail] = before;
    // The current release of Helix shows the servers' commands, including ours; the next one will not.
    const ours = servers("text")[0]!;
    expect(ours).toMatch(/^multi-edit/);
    expect(python.length).toBeGreaterThan(2);
    expect(["python", "go", "typescript", "mail"].map(servers)).toEqual([
      [...python, ours],
      [...go, ours],
      [...typescript, ours],
      mail,
    ]);
  });

  it("appended twice by a program that is not on the PATH, names each language once", () => {
    const { append } = homeOfHelix(kind, `node '${builtServer}'`);
    expect(append("python")).toMatchObject({ status: 0, stderr: "" });
    expect(append("python", "css")).toMatchObject({ status: 0, stderr: "" });
    expect(append("python", "css").stdout).toBe("");
  });

  it("keeps a server of the user's own", () => {
    const { file, append, servers } = homeOfHelix(kind);
    const own =
      '[[language]]\nname = "rust"\nlanguage-servers = ["mine"]\n[language-server]\nmine = { command = "mine" }';
    writeFileSync(file, own);
    expect(append("rust")).toMatchObject({ status: 0 });
    expect(servers("rust")).toEqual(["mine", expect.stringMatching(/^multi-edit/)]);
  });

  it("prints nothing but a sentence for what Helix does not know, and for a file that it can't read", () => {
    const { file, append } = homeOfHelix(kind);
    const unknown = append("typescript", "nosuch", "ts");
    expect(unknown.status).toBe(2);
    expect(unknown.stderr).toMatch(
      /^Helix does not know the language "nosuch"\. Similar names: .*nix.*\nHelix does not know the language "ts"\. Similar names: .*typescript,.*\n$/,
    );
    expect(readFileSync(file, "utf8")).toBe("");
    writeFileSync(file, "[[language\n");
    expect(append("typescript")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("can't read your languages.toml"),
    });
    expect(readFileSync(file, "utf8")).toBe("[[language\n");
  });
}

function helixLimits(kind: EditorKind): void {
  it("keeps the limits of the user's own servers, as TOML, however they are written", () => {
    const { file, append, servers } = homeOfHelix(kind);
    const own = `
language-server.mine = { command = "mine" }
[[language]]
name = "rust"
language-servers = ["mine"]
[[language]] # the last list counts
"name" = 'rust'
language-servers = [
  "rust-analyzer", # "x"
  { name = "mine", except-features = [ 'format', "hover" ] },
  { only-features = ["diagnostics"], name = "jedi" },
]
`;
    writeFileSync(file, own);
    const before = servers("rust");
    expect(append("rust")).toMatchObject({ status: 0, stderr: "" });
    expect(readFileSync(file, "utf8").slice(own.length)).toContain(
      'language-servers = ["rust-analyzer", { name = "mine", except-features = ["format", "hover"] }, { only-features = ["diagnostics"], name = "jedi" }, "multi-edit"]\n',
    );
    expect(servers("rust")).toEqual([...before, expect.stringMatching(/^multi-edit/)]);
  });

  it("refuses to drop a limit that it can't read, and says what a project's own list does", () => {
    const { home, file, run } = homeOfHelix(kind);
    mkdirSync(join(home, "one/.git"), { recursive: true });
    mkdirSync(join(home, "one/.helix"));
    writeFileSync(join(home, "one/a.rs"), "");
    const list =
      '[[language]]\nname = "rust"\nlanguage-servers = [{ name = "rust-analyzer", except-features = ["format"] }]\n';
    writeFileSync(join(home, "one/.helix/languages.toml"), list);
    const { status, stderr } = run("cd one && multi-edit setup helix --write", []);
    expect([status, stderr]).toEqual([
      0,
      expect.stringContaining("has its own list of servers for rust. In this project"),
    ]);
    expect(readFileSync(join(home, "one/.helix/languages.toml"), "utf8")).toBe(list);
    // Not TOML, whatever Helix makes of it.
    const odd = `${list}a = 01\n`;
    writeFileSync(file, odd);
    const refused = run("cd one && multi-edit setup helix --write", []);
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining("so the limit would be lost")]);
    expect(readFileSync(file, "utf8")).toBe(odd);
  });

  it("says so if it can't write a temporary folder", () => {
    const { run } = homeOfHelix(kind);
    const { status, stderr } = run("TMPDIR=/proc/none multi-edit setup helix rust", []);
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/^To ask Helix .* "\/proc\/none", but can't: .*TMPDIR.*\n$/),
    ]);
  });
}

function helixProjects(kind: EditorKind): void {
  it("without names, attaches to the languages of the files in the working directory, and keeps those of others", () => {
    const { home, file, run, servers } = homeOfHelix(kind);
    for (const [project, name] of [
      ["one", "a.ts"],
      ["one", "notes.txt"],
      ["two", "b.py"],
      ["two", "c.unknown"],
    ]) {
      mkdirSync(join(home, project!), { recursive: true });
      writeFileSync(join(home, project!, name!), "");
    }
    expect(run("cd one && multi-edit setup helix", []).stdout.match(/^name = .*$/gm)).toEqual([
      'name = "text"',
      'name = "typescript"',
    ]);
    const before = servers("python");
    expect(run("cd one && multi-edit setup helix --write", [])).toMatchObject({ status: 0, stderr: "" });
    // An editor on Windows may have written the file.
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("\n", "\r\n"));
    expect(run("cd two && multi-edit setup helix --write", [])).toMatchObject({ status: 0, stderr: "" });
    expect(servers("python")).toEqual([...before, expect.stringMatching(/^multi-edit/)]);
    expect(servers("typescript").at(-1)).toMatch(/^multi-edit/);
    expect(readFileSync(file, "utf8").match(/^name = .*(?=\r$)/gm)).toEqual([
      'name = "text"',
      'name = "typescript"',
      'name = "python"',
    ]);
  });
}

/** The home of a Helix user who has appended the printed lines to the configuration file. */
function homeOfHelix(kind: EditorKind, ours = "multi-edit") {
  const home = mkdtempSync(join(tmpdir(), "me-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const folder = join(home, ".config/helix");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "languages.toml");
  const bin = join(home, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "multi-edit"), `#!/bin/sh\nexec node '${builtServer}' "$@"\n`, { mode: 0o755 });
  const repository = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "");
  const run = (script: string, args: readonly string[]) => {
    const [program, ...inside] = insideOf(kind, [home, repository]);
    const env = {
      PATH: process.env.PATH ?? "",
      INSIDE_PATH: ours === "multi-edit" ? bin : "",
      HOME: home,
      TMPDIR: home,
    };
    return spawnSync(program, [...inside, "sh", "-euc", script, "sh", ...args], { cwd: home, env, encoding: "utf8" });
  };
  return {
    home,
    file,
    run,
    append: (...languages: readonly string[]) => run(`${ours} setup helix "$@" >> '${file}'`, languages),
    /** The servers that Helix lists for a language. */
    servers: (language: string): string[] => {
      const { stdout, stderr } = run('hx --health "$@"', [language]);
      expect(stderr).toBe("");
      const list = /^Configured language servers:.*\n((?: .*\n)*)/m.exec(stdout)?.[1] ?? "";
      return [...list.matchAll(/^ .*? ([\w.-]+): /gm)].map(([, name]) => name!);
    },
  };
}
