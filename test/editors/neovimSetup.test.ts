/** The Neovim sample's settings and options: which of them reach the server, and which are refused. */
import { mkdirSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { batch } from "../support/desk.js";
import { blockOf } from "./attach.js";
import { answerQuestion, questionSince } from "./dialogues.js";
import type { EditorKind } from "./editor.js";
import { neovim, neovimWith, olderNeovim } from "./neovim.js";
import { absence, type Session, startSession } from "./session.js";
import { onStage, type Stage } from "./stage.js";

const setup = (options: string): string => blockOf(page, "lua neovim").replace("setup()", `setup(${options})`);
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

    it("names all options that it does not know or can't use in one message", () =>
      inNeovim(kind, setup(""), namesOptions));

    it("uses the other options and settings, and asks because of them", () =>
      inNeovim(kind, setup(`{ setings = {}, cmd = "x", settings = { ${always}, confrim = 1 } }`), isAsked));

    it("called again with other options, starts the server again with these", () => replacesServer(kind));

    it("answers a call whose failure is at a path with a NUL", () => inNeovim(kind, setup(""), answersNul));

    it("passes unknown settings to the server, which names them in one message", () =>
      inNeovim(kind, setup('{ settings = { confrim = "always", svae = 1 } }'), warnsOfSettings));

    it.each(["write", "saveas", "file"])("notifies the server of a buffer that gets its name by :%s", (command) =>
      inNeovim(kind, setup(""), (stage) => knowsNamedLater(stage, command)),
    );

    it("reports unsaved files in buffers that the server is not attached to, and the server leaves them alone", () =>
      inNeovim(kind, setup(""), reportsUnsynced));

    it("undoes what a formatter has changed on save", () => inNeovim(kind, setup(""), undoesFormatter));

    it("gives each project a configuration of its own, and lists the locations in the right one", () =>
      inNeovim(kind, setup(""), listsPlacesOfItsProject));
  });
}

// Neovim itself can configure servers since version 0.11; if that version is missing, the tests above say so.
it.skipIf(absence(neovim) !== undefined)("refuses the option for file types, which it can't obey", () =>
  inNeovim(neovim, setup(""), async (stage) => {
    await stage.driver.run!('vim.lsp.config("multi_edit_ls", { filetypes = { "lua" } })');
    expect(await failureOf(stage)).toContain("attaches to files of all types");
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

/** The tap follows the first server only, so the client itself is looked at. */
async function replacesServer(kind: EditorKind): Promise<void> {
  const session = await startSession(neovimWith(kind, setup("")));
  const clients = (options: string, id: number): Promise<unknown> =>
    session.driver.run!(
      `require("multi_edit").setup(${options})
       local function clients()
         return vim.tbl_map(function(client)
           return { client.id, client.config.settings, vim.tbl_count(client.attached_buffers) }
         end, vim.lsp.get_clients({ name = "multi_edit_ls" }))
       end
       vim.wait(10000, function() return #clients() == 1 and clients()[1][1] == ${id} and clients()[1][3] == 1 end, 10)
       return clients()`,
    );
  try {
    await session.driver.open(session.first);
    expect(await clients("{}", 1)).toEqual([[1, null, 1]]);
    expect(await clients(`{ settings = { ${always} } }`, 2)).toEqual([[2, { multiEdit: { confirm: "always" } }, 1]]);
    expect(await clients(`{ settings = { ${always} } }`, 2)).toEqual([[2, { multiEdit: { confirm: "always" } }, 1]]);
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
  const question = await Promise.race([answered, stage.wire.until("a question", () => questionSince(stage, 0))]);
  if (typeof question === "string") throw new Error(`nobody was asked, and the call was ${question}`);
  await answerQuestion(stage, question, "Reject");
  expect(await told).toMatchObject({ outcome: "failed", codes: ["userRejected"] });
  expect(await stage.held()).toEqual({ "a.txt": "typed\nold\n" });
}

/** The error that `setup()` raises; `undefined` if there is none. */
async function failureOf(stage: Stage): Promise<unknown> {
  const called = `local ok, problem = pcall(require("multi_edit").setup) return not ok and problem or vim.NIL`;
  return stage.driver.run!(called);
}

/** The messages that `setup()` shows for these options. */
const noticesOf = (stage: Stage, options: string, caller = "setup"): Promise<unknown> =>
  stage.driver.run!(
    `local shown, notify = {}, vim.notify
     vim.notify = function(text) table.insert(shown, text) end
     require("multi_edit").${caller}(${options})
     vim.notify = notify
     return #shown > 0 and shown or vim.NIL`,
  );

async function namesOptions(stage: Stage): Promise<void> {
  const none = (names: string): string =>
    `there is no option ${names}; the options are cmd, init_options and settings, and settings holds the server's settings`;
  for (const [options, problem] of [
    ['{ setings = { confirm = "always" } }', none('"setings"')],
    ['{ confirm = "always", save = "never", atomic = "all" }', none('"atomic", "confirm" and "save"')],
    ['{ settings = "always", confirm = 1 }', `settings must be a table of settings by name; ${none('"confirm"')}`],
    ['{ settings = { "confirm" } }', "settings must be a table of settings by name"],
    ['{ settings = { multiEdit = "always" } }', "settings must be a table of settings by name"],
    [
      '{ settings = { multiEdit = {}, confirm = "always" } }',
      "settings has other keys besides multiEdit; put all settings under multiEdit",
    ],
    ["{ init_options = 1 }", "init_options must be a table of settings by name"],
    ['{ cmd = "multi-edit-language-server --stdio" }', "cmd must be a list of strings, or a function"],
    ["{ cmd = {} }", "cmd must be a list of strings, or a function"],
  ] as const)
    expect([options, await noticesOf(stage, options)]).toEqual([
      options,
      [`multi_edit.setup(): ${problem}; the other options are used`],
    ]);
  for (const options of ['"always"', '{ "always" }'])
    expect(await noticesOf(stage, options)).toEqual([
      "multi_edit.setup(): the options must be a table with named fields",
    ]);
  expect(await noticesOf(stage, "{ settings = {}, init_options = {} }")).toBeNull();
  expect(await noticesOf(stage, "{ setings = {} }", "config")).toEqual([
    `multi_edit.config(): ${none('"setings"')}; the other options are used`,
  ]);
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

/** The formatter changes lines far from the call's; only the versions show that the user did not type them. */
async function undoesFormatter(stage: Stage): Promise<void> {
  const lines = Array.from({ length: 20 }, (_, i) => `line ${i}\n`).join("");
  stage.lay({ "a.txt": `old  \n${lines}` });
  await stage.open("a.txt");
  await stage.driver
    .run!(`vim.api.nvim_create_autocmd("BufWritePre", { pattern = "*a.txt", once = true, callback = function()
    vim.cmd([[silent %s/\\s\\+$//]])
    vim.api.nvim_buf_set_lines(0, -1, -1, false, { "formatted" })
  end })`);
  expect(await stage.apply("agent", batch(["a.txt", "old", "new"]))).toMatchObject({ outcome: "applied" });
  await expect.poll(() => stage.disk()["a.txt"]).toBe(`new\n${lines}formatted\n`);
  await stage.driver.run!("vim.cmd.MultiEditUndo()");
  await expect.poll(() => stage.disk()["a.txt"]).toBe(`old  \n${lines}`);
}

async function warnsOfSettings({ wire, driver }: Stage): Promise<void> {
  const shown = (): string[] =>
    wire.messages
      .filter(({ message }) => message.method === "window/showMessage")
      .map(({ message }) => message.params.message);
  await wire.until("a message", () => shown()[0]);
  const about = /There is no setting "(confrim" \(did you mean "confirm"\?\) or "svae|svae" .* or "confrim)".*;/;
  expect(shown()).toEqual([expect.stringMatching(about)]);
  const messages = await driver.run!('vim.wait(200) return vim.fn.execute("messages")');
  expect(messages).toMatch(about);
}

/** The path, and a line that the message quotes, contain a character that Neovim's own strings can't have. */
async function answersNul(stage: Stage): Promise<void> {
  stage.lay({ "a.txt": "one\u0000two\none\u0000two\n" });
  await stage.open("a.txt");
  for (const [path, oldText] of [
    ["a\u0000.txt", "old"],
    ["a.txt", "one"],
  ]) {
    const answer = await stage.driver.request!({ path, oldText, newText: "new" });
    expect(answer).toMatchObject({
      applied: false,
      message: expect.stringContaining(oldText === "old" ? "path" : "one"),
    });
    const list = (await stage.driver.run!("return vim.fn.getqflist()")) as { text: string }[];
    expect(list.length).toBeGreaterThan(0);
    for (const { text } of list)
      expect(text).toMatch(oldText === "old" ? /^invalidParams: / : /^ambiguousMatch: .* occurs 2 times \| one␀two$/);
  }
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
