/** The buffers of a real Neovim that the server must not see: terminals, and files that nobody wants it to have. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { blockOf, runAsUser } from "./attach.js";
import type { EditorKind } from "./editor.js";
import { neovim, neovimWith, olderNeovim } from "./neovim.js";
import { absence, type Session, startSession } from "./session.js";
import { onStage, type Stage } from "./stage.js";

const page = "client-samples/neovim/README.md";
const secret = "hunter2";
/** A program for a terminal that prints the secret until it is ended. An older Neovim may lose what is printed at the start. */
const program = `while printf 'TOKEN=%s\\n' ${secret}; do sleep 0.1; done`;
const command = JSON.stringify(["bash", "-c", program]);
const escaped = JSON.stringify(program.replace(/[%\\]/g, "\\$&"));

/** Lua code that makes a terminal, after which the terminal's buffer is the current one. `FILE`: a file's path. */
const ways: Readonly<Record<string, string>> = {
  ":terminal": `vim.cmd("terminal bash -c " .. vim.fn.shellescape(${escaped}, 1))`,
  ":edit term://": `vim.cmd.edit({ "term://cat", magic = { file = false } }) vim.api.nvim_chan_send(vim.bo.channel, "TOKEN=${secret}\\n")`,
  "termopen() in a new buffer": `vim.cmd.enew() vim.fn.termopen(vim.json.decode([=[${command}]=]))`,
  "a file's buffer that becomes a terminal": `vim.cmd.edit("FILE") attached() vim.fn.termopen(vim.json.decode([=[${command}]=]))`,
  "a file's buffer that becomes a terminal at once": `vim.cmd.edit("FILE") vim.fn.termopen(vim.json.decode([=[${command}]=]))`,
  "a terminal that gets the name of a file": `vim.cmd.enew() vim.fn.termopen(vim.json.decode([=[${command}]=])) vim.cmd.file("FILE2")`,
  "a file's buffer that shows what a plugin prints": `vim.cmd.edit("FILE") attached() vim.api.nvim_chan_send(vim.api.nvim_open_term(0, {}), "TOKEN=${secret}\\r\\n")`,
};
const newWays: Readonly<Record<string, string>> = {
  "jobstart() in a file's buffer": `vim.cmd.edit("FILE") attached() vim.fn.jobstart(vim.json.decode([=[${command}]=]), { term = true })`,
};

/** Ways to attach the server. */
const setups = {
  "the plugin": blockOf(page, "lua neovim"),
  "vim.lsp.enable":
    'vim.opt.runtimepath:prepend("~/multi-edit-language-server/client-samples/neovim") vim.g.multi_edit = false vim.lsp.config("multi_edit_ls", { root_dir = vim.fn.getcwd() }) vim.lsp.enable("multi_edit_ls")',
};

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
for (const [kind, setup, all] of [
  [neovim, "the plugin", { ...ways, ...newWays }],
  [neovim, "vim.lsp.enable", { ...ways, ...newWays }],
  [olderNeovim, "the plugin", ways],
] as const) {
  const name = `${kind.name} (${kind.root}), with ${setup}`;
  const missing = absence(kind);
  if (missing === undefined)
    describe(name, () => testBuffers(neovimWith(kind, setups[setup]), all, setup === "the plugin"));
  else
    it(`${name} is not available`, () => {
      if (process.env.REQUIRE_EDITORS === "1") throw new Error(missing);
      console.log(`left out: the buffers of ${name}; ${missing}`);
    });
}

function testBuffers(kind: EditorKind, all: Readonly<Record<string, string>>, isPlugin: boolean): void {
  let session: Session;
  beforeAll(async () => {
    session = await startSession(kind);
    // The server's folder stays the same for all stages.
    mkdirSync(join(session.folder, ".git"));
    writeFileSync(join(session.folder, ".git/COMMIT_EDITMSG"), "one\n");
  });
  afterAll(() => session?.stop());
  const onOne = (run: (stage: Stage) => Promise<void>) => () => onStage(session, run);

  it.each(Object.keys(all))("does not show the server a terminal: %s", (way) =>
    onOne((stage) => hidesTerminal(stage, all[way]!))(),
  );

  // What follows is decided by the plugin; with `vim.lsp.enable`, Neovim itself decides.
  if (!isPlugin) return;
  it("attaches neither to files of Git's own, nor to buffers of other plugins", onOne(leavesAlone));

  it("follows a file's buffer to its new name, and detaches if it is no file any more", onOne(followsName));
}

/** The URIs that Neovim has opened since the first `mark` messages. */
const opened = ({ wire }: Stage, mark: number): string[] =>
  wire.messages
    .slice(mark)
    .filter(({ from, message }) => from === "editor" && message.method === "textDocument/didOpen")
    .map(({ message }) => message.params.textDocument.uri.replace(/.*\//, ""));

async function hidesTerminal(stage: Stage, way: string): Promise<void> {
  const { wire, driver, session } = stage;
  stage.lay({ "a.txt": "one\n", "b.txt": "two\n" });
  const mark = wire.messages.length;
  await driver.run!(`
    local function attached()
      assert(vim.wait(10000, function() return #vim.lsp.get_clients({ name = "multi_edit_ls", bufnr = 0 }) > 0 end, 5))
    end
    ${way.replaceAll("FILE2", stage.path("c.txt")).replaceAll("FILE", stage.path("a.txt"))}
    assert(vim.bo.buftype == "terminal", "no terminal")
    terminal = vim.api.nvim_get_current_buf()`);
  // The terminal shows what its program prints while Neovim waits for keys.
  const shown = `return table.concat(vim.api.nvim_buf_get_lines(terminal, 0, -1, false), "\\n")`;
  await expect.poll(() => driver.run!(shown), { timeout: 20_000 }).toContain(secret);
  await driver.run!(`
    assert(#vim.lsp.get_clients({ name = "multi_edit_ls", bufnr = terminal, _uninitialized = true }) == 0, "attached")`);
  // Whatever the terminal caused has been sent before the next file is opened.
  await stage.open("b.txt");
  expect(opened(stage, mark).filter((name) => !["a.txt", "b.txt"].includes(name))).toEqual([]);
  const sent = wire.messages.slice(mark).filter(({ from }) => from === "editor");
  expect(JSON.stringify(sent)).not.toContain(secret);
  expect([...wire.open().keys()].map((uri) => uri.replace(/.*\//, ""))).toEqual(["b.txt"]);
  const printed = runAsUser({ ...session.place, folder: stage.folder }, ["multi-edit", "status"]);
  expect(printed).toContain("b.txt");
  expect(printed).not.toMatch(/term:|a\.txt|c\.txt/);
}

async function leavesAlone(stage: Stage): Promise<void> {
  stage.lay({ "a.txt": "one\n", "sub/.gitignore": "one\n" });
  const mark = stage.wire.messages.length;
  await stage.driver.open(join(stage.session.folder, ".git/COMMIT_EDITMSG"));
  await stage.driver.run!(`vim.cmd.edit("chat://1") vim.cmd.enew() vim.bo.buftype = "nofile" vim.cmd.file("notes")`);
  await stage.open("a.txt", "sub/.gitignore");
  expect(opened(stage, mark)).toEqual(["a.txt", ".gitignore"]);
}

async function followsName(stage: Stage): Promise<void> {
  stage.lay({ "a.txt": "one\n", "b.txt": "two\n" });
  const open = (): string[] => [...stage.wire.open().keys()].map((uri) => uri.replace(/.*\//, ""));
  await stage.open("a.txt");
  await stage.driver.run!(`vim.cmd.file("${stage.path("c.txt")}")`);
  await expect.poll(open).toEqual(["c.txt"]);
  await stage.driver.run!('vim.cmd.file("chat://2")');
  await expect.poll(open).toEqual([]);
  await stage.driver.run!(`vim.cmd.file("${stage.path("d.txt")}")`);
  await expect.poll(open).toEqual(["d.txt"]);
  await stage.driver.run!('vim.bo.buftype = "nofile"');
  await expect.poll(open).toEqual([]);
}
