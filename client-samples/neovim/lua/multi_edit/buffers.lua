-- Decides to which buffers the server is attached: those that are files, one without a name, those that the user attaches,
-- and never a terminal.

local patches = require("multi_edit.patches")

local M = {}

local name = "multi_edit_ls"

--- Reports whether a buffer is a file that agents may edit, or one whose patches the server reads. A terminal gets its name, with a scheme, before its type.
--- Git's own files, such as commit messages, can't be edited by agents anyway.
function M.is_file(buffer)
  local path = vim.api.nvim_buf_get_name(buffer)
  if vim.b[buffer].multi_edit_attached or patches.is_unnamed(buffer) then
    return vim.bo[buffer].buftype ~= "terminal"
  end
  local is_url, is_gits = path:find("^%a[%w+.-]+://"), path:find("[/\\]%.git[/\\]")
  return vim.bo[buffer].buftype == "" and path ~= "" and not is_url and not is_gits
end

-- Detaches the server from a buffer, also if it has not started yet. Returns the clients.
local function detach(buffer)
  local clients = vim.lsp.get_clients({ name = name, bufnr = buffer, _uninitialized = true })
  for _, client in ipairs(clients) do
    if client.initialized then
      vim.lsp.buf_detach_client(buffer, client.id)
    else
      client.attached_buffers[buffer] = nil
    end
  end
  return clients
end

--- Detaches the server from all unnamed buffers but this one.
function M.keep_unnamed(buffer)
  for _, other in ipairs(vim.api.nvim_list_bufs()) do
    if other ~= buffer and patches.is_unnamed(other) then
      detach(other)
    end
  end
end

-- The clients of each buffer that is being renamed.
local renamed = {}

--- Follows the buffers from now on.
function M.watch()
  local function on(events, callback, pattern)
    local group = vim.api.nvim_create_augroup(name .. "_buffers", { clear = false })
    vim.api.nvim_create_autocmd(events, { group = group, callback = callback, pattern = pattern })
  end
  vim.api.nvim_create_augroup(name .. "_buffers", {})
  -- Neovim names a closed document by its buffer's name, so the old name is the last chance to close it.
  on("BufFilePre", function(event)
    renamed[event.buf] = detach(event.buf)
  end)
  on("BufFilePost", function(event)
    local clients = renamed[event.buf] or {}
    renamed[event.buf] = nil
    for _, client in ipairs(M.is_file(event.buf) and clients or {}) do
      vim.lsp.buf_attach_client(event.buf, client.id)
    end
  end)
  on("TermOpen", function(event)
    detach(event.buf)
  end)
  on("OptionSet", function()
    local buffer = vim.api.nvim_get_current_buf()
    if not M.is_file(buffer) then
      detach(buffer)
    end
  end, "buftype")
end

return M
