/** The Neovim sample as a plugin: installed from the repository in each way that users have, with its help and health. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { batch } from "../support/desk.js";
import { cloneTo, printedSetup, runAsUser } from "./attach.js";
import type { EditorKind, Place } from "./editor.js";
import { neovim, neovimWith, olderNeovim } from "./neovim.js";
import { absence, type Session, startSession } from "./session.js";
import { onStage, type Stage } from "./stage.js";

const always = '{ settings = { confirm = "always" } }';

/** The folder of a plugin that Neovim loads at startup. */
const packageIn = ({ home }: Place): string => join(home, ".local/share/nvim/site/pack/plugins/start/multi-edit");

/** Clones the repository into Neovim's own folder for plugins. */
const cloned = (initLua: string) => (place: Place) => {
  cloneTo(packageIn(place));
  runAsUser(place, ["nvim", "--headless", "+helptags ALL", "+qa"]);
  return initLua;
};

/** `multi-edit setup neovim vim.pack`, run with the program of a clone. */
const packed = (place: Place): string => {
  const clone = join(place.home, "clone");
  cloneTo(clone);
  return runAsUser(place, ["node", join(clone, "dist/main.cjs"), "setup", "neovim", "vim.pack"]);
};

/**
 * What lazy.nvim does with the printed specification, by its documentation: it puts `dir` on the path, runs the files in
 * its `plugin/`, and calls `setup(opts)` of the module `main`. The plugin manager itself is on no package registry.
 */
const lazy = (place: Place): string => {
  const file = join(place.home, ".config/nvim/lua/plugins/multi-edit.lua");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, printedSetup(place, "neovim", "lazy.nvim"));
  return `
    vim.go.loadplugins = false
    local spec = require("plugins.multi-edit")
    vim.opt.runtimepath:prepend(spec.dir)
    for _, file in ipairs(vim.fn.glob(spec.dir .. "/plugin/**/*.lua", false, true)) do
      vim.cmd.source(file)
    end
    vim.cmd.helptags(spec.dir .. "/doc")
    require(spec.main).setup(spec.opts)`;
};

/** The ways to install the plugin, by Neovim. */
const ways: readonly [kind: EditorKind, way: string, initLua: (place: Place) => string][] = [
  [neovim, "vim.pack, as multi-edit setup prints it", packed],
  ...[neovim, olderNeovim].flatMap((kind): [EditorKind, string, (place: Place) => string][] => [
    [kind, "a clone among Neovim's packages, without any configuration", cloned("")],
    [kind, "a clone among Neovim's packages, set up in init.lua", cloned('require("multi_edit").setup()')],
    [kind, "lazy.nvim, as multi-edit setup prints it", lazy],
  ]),
];

vi.setConfig({ testTimeout: 60_000 });

for (const kind of [neovim, olderNeovim]) {
  const missing = absence(kind);
  if (missing !== undefined) {
    it(`${kind.name} (${kind.root}) is not available`, () => {
      const leftOut = `left out: the plugin for ${kind.name} (${kind.root}); ${missing}`;
      if (process.env.REQUIRE_EDITORS === "1") throw new Error(leftOut);
      console.log(leftOut);
    });
    continue;
  }
  describe(`${kind.name} (${kind.root})`, () => {
    it.each(ways.filter(([one]) => one === kind).map(([, way, initLua]) => ({ way, initLua })))(
      "keeps unsaved text and has the help, installed with $way",
      ({ initLua }) => inNeovim(kind, initLua, isInstalled),
    );

    it("takes the options in vim.g.multi_edit", () =>
      inNeovim(kind, cloned(`vim.g.multi_edit = ${always}`), async (stage) => {
        const settings = "return vim.lsp.get_clients()[1].config.settings";
        await stage.open();
        expect(await stage.driver.run!(settings)).toEqual({ multiEdit: { confirm: "always" } });
      }));

    it("uses the program that is built in the clone if there is none on the PATH", () =>
      inNeovim(kind, cloned(""), async ({ driver, session }) => {
        const program = 'vim.env.PATH = "/usr/bin" return require("multi_edit").config().cmd';
        const built = join(packageIn(session.place), "dist/main.cjs");
        expect(await driver.run!(program)).toEqual(["node", built, "--stdio"]);
      }));

    it("reports in :checkhealth that all is well", () => inNeovim(kind, cloned(""), isHealthy));

    it.each([
      {
        what: "settings that do not exist",
        initLua: 'require("multi_edit").setup({ settings = { confrim = "always" }, setings = {} })',
        report: [
          /setup\(\): there is no option "setings"/,
          /There is no setting "confrim" \(did you mean "confirm"\?\)/,
        ],
      },
      {
        what: "agents that can't reach the server",
        initLua: 'require("multi_edit").setup({ settings = { agent = { enabled = false } } })',
        report: [/Agents can't reach client 1/, /run "multi-edit doctor"/],
      },
    ])("reports $what in :checkhealth", ({ initLua, report }) =>
      inNeovim(kind, cloned(initLua), async (stage) => {
        const health = await healthOf(stage);
        for (const line of report) expect(health).toMatch(line);
      }),
    );

    it("reports a program that is missing in :checkhealth, and that no client is attached", () =>
      inNeovim(kind, cloned(""), async (stage) => {
        await stage.driver.run!(
          'vim.env.PATH = "/usr/bin" require("multi_edit").setup({ cmd = { "no-such-program" } })',
        );
        const health = await healthOf(stage);
        expect(health).toMatch(/ERROR.* The program no-such-program was not found/);
        expect(health).toMatch(/npm ci && npm run build && npm link/);
        expect(health).toMatch(/ERROR.* Node can't be run/);
      }));

    it.each(["the program", "node"])("shows one message, and starts no server, if Neovim does not find %s", (missing) =>
      inNeovim(kind, cloned(""), (stage) => namesMissing(stage, missing)),
    );

    it.each([
      ["vim.g.multi_edit is false", "vim.g.multi_edit = false", 0],
      ...(kind === neovim
        ? [["vim.lsp.enable attaches it", 'vim.lsp.enable("multi_edit_ls")', 1] as const]
        : ([] as const)),
    ] as const)("does not attach the server itself if %s", (_, initLua, clients) =>
      inNeovim(kind, cloned(""), async ({ session }) => {
        const { home } = session;
        writeFileSync(join(home, ".config/nvim/init.lua"), initLua);
        writeFileSync(join(home, "a.lua"), "");
        const count = "lua vim.wait(500) print(#vim.lsp.get_clients(), require('multi_edit').state() ~= nil)";
        const printed = runAsUser(session.place, [
          "sh",
          "-c",
          `nvim --headless -n a.lua '+filetype detect' "+${count}" +qa 2>&1`,
        ]);
        expect(printed).toContain(`${clients} true`);
      }),
    );
  });
}

/** Runs a test in a Neovim with this configuration. */
async function inNeovim(
  kind: EditorKind,
  initLua: (place: Place) => string,
  run: (stage: Stage) => Promise<void>,
): Promise<void> {
  const session: Session = await startSession(neovimWith(kind, initLua));
  try {
    await onStage(session, run);
  } finally {
    await session.stop();
  }
}

async function isInstalled(stage: Stage): Promise<void> {
  stage.lay({ "a.txt": "old\n" });
  await stage.open("a.txt");
  await stage.retype("a.txt", "typed\nold\n");
  expect(await stage.apply("agent", batch(["a.txt", "old", "new"]))).toMatchObject({ outcome: "applied" });
  expect(await stage.held()).toEqual({ "a.txt": "typed\nnew\n" });
  expect(stage.disk()).toEqual({ "a.txt": "old\n" });
  const clients = 'return #vim.lsp.get_clients({ name = "multi_edit_ls" })';
  expect(await stage.driver.run!(clients)).toBe(1);
  for (const [topic, line] of [
    ["multi-edit", /\*multi-edit\*$/],
    [":MultiEditUndo", /\*:MultiEditUndo\*$/],
    ["g:multi_edit", /\*g:multi_edit\*$/],
  ] as const) {
    const shown = await stage.driver.run!(`vim.cmd.help("${topic}") return vim.api.nvim_get_current_line()`);
    expect(shown).toMatch(line);
  }
  expect(await stage.driver.run!('return vim.fn.exists(":MultiEdit")')).toBe(2);
}

/** The report of `:checkhealth multi_edit`, after a file has been opened. */
/** Opens several files; with `node`, the program's first line is that of the real one. */
async function namesMissing(stage: Stage, what: string): Promise<void> {
  const missing = what === "node" ? "node" : "no-such-program";
  const script = join(stage.session.place.home, "needs-node");
  writeFileSync(script, "#!/usr/bin/env node\n", { mode: 0o755 });
  stage.lay({ "a.txt": "", "b.txt": "", "c.txt": "" });
  const files = ["a.txt", "b.txt", "c.txt"].map((name) => `vim.cmd.edit("${stage.path(name)}")`).join(" ");
  const messages = await stage.driver.run!(
    `vim.env.PATH = "/usr/bin" vim.cmd("messages clear")
     require("multi_edit").setup({ cmd = { "${missing === "node" ? script : missing}", "--stdio" } }) ${files} vim.wait(100)
     return vim.fn.execute("messages")`,
  );
  expect(String(messages).trim()).toBe(`No ${missing} on Neovim's PATH; see :checkhealth multi_edit`);
  const clients = 'return #vim.lsp.get_clients({ name = "multi_edit_ls", bufnr = 0, _uninitialized = true })';
  expect(await stage.driver.run!(clients)).toBe(0);
  if (missing === "node") expect(await healthOf(stage)).toMatch(/needs node.*setup\(\{ cmd = \{ "\/path\/to\/node"/s);
}

async function healthOf(stage: Stage): Promise<string> {
  stage.lay({ "a.txt": "one\n" });
  await stage.driver.open(stage.path("a.txt"));
  const lines = await stage.driver.run!(
    'vim.wait(500) vim.cmd("checkhealth multi_edit") return vim.api.nvim_buf_get_lines(0, 0, -1, true)',
  );
  return (lines as string[]).join("\n");
}

async function isHealthy(stage: Stage): Promise<void> {
  const health = await healthOf(stage);
  expect(health).toMatch(/OK multi-edit-language-server --stdio: \d+\.\d+\.\d+/);
  expect(health).toMatch(/OK Node v\d+/);
  expect(health).toMatch(/OK Client 1 is attached to 1 buffer; root: \//);
  expect(health).toMatch(/OK Agents can reach client 1 as session [0-9a-f]{12}\./);
  expect(health).toMatch(/OK The server of client 1 accepts all settings\./);
  expect(health).not.toMatch(/ERROR|WARNING/);
}
