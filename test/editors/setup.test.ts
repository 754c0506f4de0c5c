/**
 * The output of `multi-edit setup`, and the files that it writes with `--write`, used to configure real editors: an
 * agent's call must then find unsaved text.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { runCommand } from "../support/commands.js";
import { builtServer } from "../support/wireServer.js";
import { writeSetup } from "./attach.js";
import type { EditorKind, Place } from "./editor.js";
import { eglotWith } from "./emacs.js";
import { helix, helixFor, olderHelix } from "./helix.js";
import { neovim, neovimWith, olderNeovim } from "./neovim.js";
import { absence, insideOf, startSession } from "./session.js";
import { onStage } from "./stage.js";

const printed = (name: string): string =>
  execFileSync(process.execPath, [builtServer, "setup", name], { encoding: "utf8" });

/** Emacs without a mode for the tests' files, as for users who have not configured one. */
const emacs = eglotWith([], () => `${printed("emacs")}(setq-default major-mode 'fundamental-mode)`);

/** The editors with what `setup` prints. */
const pasted: readonly EditorKind[] = [
  { ...neovim, start: (place) => neovimWith(neovim, printed("neovim")).start(place) },
  { ...olderNeovim, start: (place) => neovimWith(olderNeovim, printed("neovim")).start(place) },
  helixFor(helix, ["text", "typescript"]),
  helixFor(olderHelix, ["text", "typescript"]),
  emacs,
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
  describe.skipIf(missing !== undefined)(`setup helix, beside ${kind.name} (${kind.root})`, () => helixEntries(kind));
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

/** The home of a Helix user who has appended the printed lines to the configuration file. */
function homeOfHelix(kind: EditorKind) {
  const home = mkdtempSync(join(tmpdir(), "me-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const folder = join(home, ".config/helix");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "languages.toml");
  const repository = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "");
  const run = (script: string, args: readonly string[]) => {
    const [program, ...inside] = insideOf(kind, [home, repository]);
    const env = { PATH: process.env.PATH ?? "", HOME: home, TMPDIR: home };
    return spawnSync(program, [...inside, "sh", "-euc", script, "sh", ...args], { cwd: home, env, encoding: "utf8" });
  };
  return {
    file,
    append: (...languages: readonly string[]) => run(`node '${builtServer}' setup helix "$@" >> '${file}'`, languages),
    /** The servers that Helix lists for a language. */
    servers: (language: string): string[] => {
      const { stdout, stderr } = run('hx --health "$@"', [language]);
      expect(stderr).toBe("");
      const list = /^Configured language servers:.*\n((?: .*\n)*)/m.exec(stdout)?.[1] ?? "";
      return [...list.matchAll(/^ .*? ([\w.-]+): /gm)].map(([, name]) => name!);
    },
  };
}
