/** A real Neovim in a terminal, with the functions that the tests of the plugin's views need. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it, vi } from "vitest";
import { price, withFixedTimes } from "./agentScenes.js";
import { blockOf } from "./attach.js";
import { expectCapture } from "./captures.js";
import type { EditorKind } from "./editor.js";
import { neovim, neovimOnScreen, olderNeovim, type ShownNeovim } from "./neovim.js";
import { absence, type Session, startSession } from "./session.js";
import { onStage, type Stage } from "./stage.js";

const page = new URL("../../client-samples/neovim/README.md", import.meta.url);
const initLua = `${blockOf("client-samples/neovim/README.md", "lua neovim")}
${blockOf("client-samples/neovim/README.md", "lua mappings")}
vim.o.swapfile = false
vim.o.statusline = "%t"
vim.o.background = "dark"`;

/** Makes a test from a function that gets a Neovim in which the file `src/price.ts` is open. */
export type InNeovim = (run: (view: View) => Promise<void>) => () => Promise<void>;

/** Defines tests for the current Neovim and an older one. */
export function describeNeovim(what: string, define: (inNeovim: InNeovim) => void): void {
  vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
  for (const kind of [neovim, olderNeovim]) {
    const missing = absence(kind);
    if (missing === undefined) describe(`${kind.name} (${kind.root})`, () => define(useNeovim(kind)));
    else
      it(`${kind.name} (${kind.root}) is not available`, () => {
        const leftOut = `left out: ${what} in ${kind.name} (${kind.root}); ${missing}`;
        if (process.env.REQUIRE_EDITORS === "1") throw new Error(leftOut);
        console.log(leftOut);
      });
  }
}

function useNeovim(kind: EditorKind): InNeovim {
  let session: Session;
  beforeAll(async () => {
    session = await startSession(neovimOnScreen(kind, initLua));
    // The server's folder stays the same when the tests change Neovim's working directory.
    mkdirSync(join(session.folder, ".git"));
  });
  afterAll(() => session?.stop());
  return (run) => () =>
    onStage(session, async (stage) => {
      // The editor that `neovimOnScreen` starts has this type.
      const editor = session.driver as ShownNeovim;
      stage.lay({ "src/price.ts": price, "src/old.ts": "export {};\n" });
      await editor.run!(`vim.cmd.cd(${JSON.stringify(stage.folder)}) vim.cmd("only | messages clear") ${forgetReview}`);
      await stage.open("src/price.ts");
      await run({ ...editor, stage, editor, isCaptured: kind === neovim });
    });
}

/** Removes what an earlier test has told instead of the server. */
const forgetReview = `for _, hunk in ipairs(require("multi_edit.review").all()) do
  require("multi_edit.review").changed(nil, { uri = hunk.uri, hunks = {} }, {})
end`;

/** A Neovim on a stage. */
export interface View extends ShownNeovim {
  readonly stage: Stage;
  readonly editor: ShownNeovim;
  /** `true` if the screen is compared with the page. */
  readonly isCaptured: boolean;
}

/** Runs Lua code that returns a value. */
export const lua = (view: View, text: string): Promise<unknown> => view.run!(text);

/** The names of all buffers. */
export const buffersOf = (view: View): Promise<unknown> =>
  lua(
    view,
    'return vim.tbl_map(function(buffer) return vim.api.nvim_buf_get_name(buffer):gsub(".*/", "") .. "" end, vim.api.nvim_list_bufs())',
  );

/** Compares the screen with the page, without most of the rows below the text. */
export function capture({ isCaptured }: View, name: string, screen: string): void {
  if (isCaptured) expectCapture(page, name, withFixedTimes(screen).replace(/(?:~\n)+/g, "~\n"));
}

/** Lines, from 1, that are highlighted in the current buffer as changed or as places where text was removed. */
export const marksOf = (view: View): Promise<unknown> =>
  lua(
    view,
    `local lines = {}
     local namespace = vim.api.nvim_get_namespaces().multi_edit_review
     for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })) do
       local details = mark[4]
       if not details.sign_text and (details.hl_group or details.virt_text) then
         table.insert(lines, details.hl_group and ("%d-%d"):format(mark[2] + 1, details.end_row) or mark[2] + 1 .. " removal")
       end
     end
     return lines`,
  );

/** The current file and the line of the cursor. */
export const cursorOf = (view: View): Promise<unknown> =>
  lua(view, 'return vim.fn.expand("%:t") .. ":" .. vim.api.nvim_win_get_cursor(0)[1]');

/** The output of `:messages`. */
export const messagesOf = async (view: View): Promise<string> =>
  String(await lua(view, 'return vim.fn.execute("messages")'));

/** The entries of the quickfix list. */
export const quickfixOf = (view: View): Promise<unknown> =>
  lua(
    view,
    `return vim.tbl_map(function(item)
       local name = item.bufnr > 0 and vim.fn.fnamemodify(vim.fn.bufname(item.bufnr), ":t") or ""
       return ("%s:%d: %s"):format(name, item.lnum, item.text)
     end, vim.fn.getqflist())`,
  );
