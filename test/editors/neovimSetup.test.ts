/** The Neovim sample's settings and options: which of them reach the server, and which are refused. */
import { mkdirSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { batch } from "../support/desk.js";
import { blockOf } from "./attach.js";
import type { EditorKind } from "./editor.js";
import { neovim, neovimWith, olderNeovim } from "./neovim.js";
import { absence, type Session, startSession } from "./session.js";
import { onStage, type Stage } from "./stage.js";

const setup = (options: string): string => blockOf("README.md", "lua neovim").replace("setup()", `setup(${options})`);
const always = 'confirm = "always"';
const page = "client-samples/neovim/README.md";

/** Ways that users can configure the server to ask before each batch. */
const ways = {
  "the README's": setup("").replace(/^require.*\n/m, blockOf(page, "lua settings")),
  "settings below multiEdit": setup(`{ settings = { multiEdit = { ${always} } } }`),
  init_options: setup(`{ init_options = { ${always} } }`),
  "init_options below multiEdit": setup(`{ init_options = { multiEdit = { ${always} } } }`),
};

/** The configurations of `ways` in the form that Neovim has supported since version 0.11. */
const waysOfToday = {
  "the README's vim.lsp.config": setup("").replace(/^require.*\n/m, blockOf(page, "lua vim.lsp.config")),
  "vim.lsp.config with plain settings": `vim.lsp.config("multi_edit_ls", { settings = { ${always} } })\n${setup("")}`,
  "vim.lsp.config with init_options": `vim.lsp.config("multi_edit_ls", { init_options = { ${always} } })\n${setup("")}`,
  "vim.lsp.config beside other settings": `vim.lsp.config("multi_edit_ls", { settings = { multiEdit = { save = "never" } } })
${setup(`{ settings = { ${always} } }`)}`,
};

for (const { kind, all } of [
  { kind: neovim, all: { ...ways, ...waysOfToday } },
  { kind: olderNeovim, all: ways },
]) {
  const missing = absence(kind);
  if (missing !== undefined) {
    it(`${kind.name} (${kind.root}) is not available`, () => {
      const leftOut = `left out: the setup of the sample for ${kind.name} (${kind.root}); ${missing}`;
      if (process.env.REQUIRE_EDITORS === "1") throw new Error(leftOut);
      console.log(leftOut);
    });
    continue;
  }
  vi.setConfig({ testTimeout: 60_000 });
  describe(`${kind.name} (${kind.root})`, () => {
    it.each(Object.entries(all))("asks the user because of a setting: %s", (_, configuration) =>
      inNeovim(kind, configuration, isAsked),
    );

    it("refuses options that it does not know, and values of wrong types", () =>
      inNeovim(kind, setup(""), refusesOptions));

    it("passes an unknown setting to the server, which warns about it", () =>
      inNeovim(kind, setup('{ settings = { confrim = "always" } }'), warnsOfSetting));

    it.each(["write", "saveas", "file"])("notifies the server of a buffer that gets its name by :%s", (command) =>
      inNeovim(kind, setup(""), (stage) => knowsNamedLater(stage, command)),
    );

    it("reports unsaved files in buffers that the server is not attached to, and the server leaves them alone", () =>
      inNeovim(kind, setup(""), reportsUnsynced));

    it("gives each project a configuration of its own, and lists the locations in the right one", () =>
      inNeovim(kind, setup(""), listsPlacesOfItsProject));
  });
}

// Neovim itself can configure servers since version 0.11; if that version is missing, the tests above say so.
it.skipIf(absence(neovim) !== undefined)("refuses the option for file types, which it can't obey", () =>
  inNeovim(neovim, setup(""), async (stage) => {
    await stage.driver.run!('vim.lsp.config("multi_edit_ls", { filetypes = { "lua" } })');
    expect(await failureOf(stage, "")).toContain("attaches to files of all types");
  }),
);

/** Runs a test in a Neovim that has this configuration. */
async function inNeovim(kind: EditorKind, configuration: string, run: (stage: Stage) => Promise<void>): Promise<void> {
  const session: Session = await startSession(neovimWith(kind, configuration));
  try {
    await onStage(session, run);
  } finally {
    await session.stop();
  }
}

async function isAsked(stage: Stage): Promise<void> {
  stage.lay({ "a.txt": "old\n" });
  await stage.open("a.txt");
  await stage.retype("a.txt", "typed\nold\n");
  const told = stage.apply("agent", batch(["a.txt", "old", "new"]));
  const answered = told.then(({ outcome }) => outcome);
  const question = await Promise.race([
    answered,
    stage.wire.until("a question", () =>
      stage.wire.messages.map(({ message }) => message).find(({ method }) => method === "window/showMessageRequest"),
    ),
  ]);
  if (typeof question === "string") throw new Error(`nobody was asked, and the call was ${question}`);
  const titles: string[] = question.params.actions.map(({ title }: { title: string }) => title);
  await stage.driver.answer(question.params.message, "Reject", titles);
  expect(await told).toMatchObject({ outcome: "failed", codes: ["userRejected"] });
  expect(await stage.held()).toEqual({ "a.txt": "typed\nold\n" });
}

/** The error that `setup()` raises for these options; `undefined` if there is none. */
async function failureOf(stage: Stage, options: string): Promise<unknown> {
  const called = `local ok, problem = pcall(require("multi_edit").setup, ${options || "nil"}) return not ok and problem or vim.NIL`;
  return stage.driver.run!(called);
}

async function refusesOptions(stage: Stage): Promise<void> {
  for (const [options, problem] of [
    [
      '{ setings = { confirm = "always" } }',
      'there is no option "setings"; the options are cmd, init_options and settings',
    ],
    ['{ confirm = "always" }', 'there is no option "confirm"; the options are cmd, init_options and settings'],
    ['{ settings = "always" }', "settings must be a table"],
    ['{ settings = { "confirm" } }', "settings must be a table"],
    ['{ settings = { multiEdit = "always" } }', "settings must be a table"],
    ['{ settings = { multiEdit = {}, confirm = "always" } }', "settings has other keys besides multiEdit"],
    ["{ init_options = 1 }", "init_options must be a table"],
    ['{ cmd = "multi-edit-language-server --stdio" }', "cmd must be a list"],
    ["{ cmd = {} }", "cmd must be a list"],
    ['"always"', "the options must be a table"],
    ['{ "always" }', "the options must be a table"],
  ] as const)
    expect([options, await failureOf(stage, options)]).toEqual([options, expect.stringContaining(problem)]);
  expect(await failureOf(stage, "{ settings = {}, init_options = {} }")).toBeNull();
  const config = 'local ok, problem = pcall(require("multi_edit").config, { setings = {} }) return not ok and problem';
  expect(await stage.driver.run!(config)).toContain('multi_edit.config(): there is no option "setings"');
}

/** A buffer of a plugin holds a file's text, as those for notebooks do. */
async function reportsUnsynced(stage: Stage): Promise<void> {
  stage.lay({ "a.txt": "old\n", "n.ipynb": "old\n" });
  await stage.open("a.txt");
  const path = JSON.stringify(stage.path("n.ipynb"));
  await stage.driver.run!(`local buffer = vim.api.nvim_create_buf(true, false)
    vim.bo[buffer].buftype = "acwrite"
    vim.api.nvim_buf_set_name(buffer, ${path})
    vim.api.nvim_buf_set_lines(buffer, 0, -1, false, { "typed" })
    vim.api.nvim_set_current_buf(buffer)
    vim.g.held = buffer`);
  const reports = (): string[][] =>
    stage.wire.messages
      .filter(({ message }) => message.method === "multiEdit/didChangeUnsynced")
      .map(({ message }) => message.params.uris);
  await expect.poll(() => reports().at(-1)).toEqual([expect.stringContaining("n.ipynb")]);
  expect(await stage.apply("agent", batch(["n.ipynb", "old", "new"]))).toMatchObject({ codes: ["locked"] });
  await stage.driver.run!('vim.cmd("bwipeout! " .. vim.g.held)');
  await expect.poll(() => reports().at(-1)).toEqual([]);
}

async function warnsOfSetting({ wire }: Stage): Promise<void> {
  const warning = await wire.until("a warning", () =>
    wire.messages
      .filter(({ message }) => message.method === "window/logMessage")
      .map(({ message }) => message.params)
      .find(({ message }: { message: string }) => message.includes("confrim")),
  );
  expect(warning).toEqual({ type: 2, message: expect.stringContaining('There is no setting "confrim"') });
}

/** Gives an unnamed buffer a file name, then types into the buffer without saving it. */
async function knowsNamedLater(stage: Stage, command: string): Promise<void> {
  await stage.driver.run!(
    `vim.cmd.enew()
     vim.api.nvim_buf_set_lines(0, 0, -1, true, { "old" })
     vim.cmd("${command} ${stage.path("late.txt")}")
     vim.cmd("silent! write")
     vim.api.nvim_buf_set_lines(0, 0, 0, true, { "typed" })
     vim.wait(5000, function() return #vim.lsp.get_clients({ name = "multi_edit_ls", bufnr = 0 }) > 0 end, 10)`,
  );
  expect(await stage.apply("agent", batch(["late.txt", "old", "new"]))).toMatchObject({ outcome: "applied" });
  expect(await stage.held()).toEqual({ "late.txt": "typed\nnew\n" });
  expect(stage.disk()).toEqual({ "late.txt": "old\n" });
}

async function listsPlacesOfItsProject(stage: Stage): Promise<void> {
  for (const folder of ["shop", "other"]) mkdirSync(stage.path(`${folder}/.git`), { recursive: true });
  stage.lay({ "shop/price.ts": "log(x)\nlog(x)\n", "other/price.ts": "log(x)\n", "shop/call.txt": "" });
  for (const name of ["shop/price.ts", "shop/call.txt", "other/price.ts"]) await stage.driver.open(stage.path(name));
  await stage.driver.open(stage.path("shop/call.txt"));
  const listed = await stage.driver.run!(
    `vim.wait(10000, function() return #vim.lsp.get_clients({ name = "multi_edit_ls", bufnr = 0 }) > 0 end, 10)
     local is_answered = false
     local call = vim.json.decode([[${JSON.stringify(batch(["price.ts", "log(x)", "log(y)"]))}]])
     require("multi_edit").apply(call, function() is_answered = true end)
     vim.wait(10000, function() return is_answered end, 10)
     return vim.tbl_map(function(item) return { vim.api.nvim_buf_get_name(item.bufnr), item.lnum } end, vim.fn.getqflist())`,
  );
  expect(listed).toEqual([
    [stage.path("shop/price.ts"), 1],
    [stage.path("shop/price.ts"), 2],
  ]);
}
