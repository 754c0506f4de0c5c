-- Neovim runs this file at startup. It defines the commands and, once the user's configuration has been read, attaches
-- the server, unless the configuration has done so itself or forbids it with `vim.g.multi_edit = false`.
if vim.g.loaded_multi_edit or vim.fn.has("nvim-0.10") == 0 then
  return
end
vim.g.loaded_multi_edit = true

-- Reports whether the user has `vim.lsp.enable("multi_edit_ls")`, which attaches the server in its own way.
local function is_enabled()
  local configs = vim.lsp._enabled_configs or {}
  return vim.lsp.is_enabled and vim.lsp.is_enabled("multi_edit_ls") or configs["multi_edit_ls"] ~= nil
end

local function start()
  local multi_edit = require("multi_edit")
  local _, _, is_set_up = multi_edit.state()
  if vim.g.multi_edit == false or is_set_up or is_enabled() then
    return
  end
  multi_edit.setup(vim.g.multi_edit)
end

require("multi_edit").define_commands()
-- Also for servers that `vim.lsp.enable` starts.
require("multi_edit").watch()
if vim.v.vim_did_enter == 1 then
  -- A plugin manager that loads plugins later runs the user's own configuration for them right after this file.
  vim.schedule(start)
else
  vim.api.nvim_create_autocmd("VimEnter", { once = true, callback = start })
end
