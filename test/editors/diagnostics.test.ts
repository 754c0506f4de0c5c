/**
 * What a call breaks, as real editors tell it from real language servers: also in files that it does not touch, and however
 * the earlier errors have moved.
 */
import { afterAll, beforeAll, describe, it, vi } from "vitest";
import { blockOf } from "./attach.js";
import { type Column, mute, scenes } from "./diagnosticScenes.js";
import type { EditorKind, Place } from "./editor.js";
import { neovim, neovimWith, olderNeovim } from "./neovim.js";
import { absence, type Session, startSession } from "./session.js";
import { onStage } from "./stage.js";

const lua = ({ servers, repository }: Place): string => `
${blockOf("client-samples/neovim/README.md", "lua neovim").replace("~/multi-edit-language-server", repository)}
local function start(name, filetype, command)
  vim.api.nvim_create_autocmd("FileType", {
    pattern = filetype,
    callback = function(event)
      local root = vim.fs.dirname(vim.api.nvim_buf_get_name(event.buf))
      vim.lsp.start({ name = name, cmd = command, root_dir = root }, { bufnr = event.buf })
    end,
  })
end
start("ts", "typescript", { "${servers}/typescript-language-server", "--stdio" })
start("basedpyright", "python", { "${servers}/basedpyright-langserver", "--stdio" })
start("mute", "markdown", { "node", "-e", [[${mute}]] })
`;

const neovimColumn = (kind: EditorKind): Column => ({
  name: `${kind.name} (${kind.root})`,
  kind: neovimWith(kind, lua),
  count: (path) => `return #vim.diagnostic.get(vim.fn.bufnr(${JSON.stringify(path)}))`,
  running: (name) => `return #vim.lsp.get_clients({ name = "${name}" })`,
  kill: (name) => `for _, client in ipairs(vim.lsp.get_clients({ name = "${name}" })) do client.rpc.terminate() end`,
});

const columns: readonly Column[] = [neovimColumn(neovim), neovimColumn(olderNeovim)];

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
for (const column of columns) {
  const missing = absence(column.kind);
  if (missing === undefined) describe(column.name, () => testDiagnostics(column));
  else
    it(`${column.name} is not available`, () => {
      if (process.env.REQUIRE_EDITORS === "1") throw new Error(missing);
      console.log(`left out: the diagnostics in ${column.name}; ${missing}`);
    });
}

function testDiagnostics(column: Column): void {
  let session: Session;
  beforeAll(async () => {
    session = await startSession(column.kind);
  });
  afterAll(() => session?.stop());
  it.each(Object.entries(scenes))("%s", (_, scene) => onStage(session, (stage) => scene(stage, column)));
}
