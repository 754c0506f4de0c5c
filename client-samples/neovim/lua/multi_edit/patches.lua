-- Patches in buffers that people read, such as a chat: which buffers the server is told of, and what "Preview" and "Copy
-- the failure" do.

local notice = require("multi_edit.notice")

local M = {}

--- Reports whether a buffer has no name and no special type. All such buffers have the same URI.
function M.is_unnamed(buffer)
  return vim.api.nvim_buf_get_name(buffer) == "" and vim.bo[buffer].buftype == ""
end

--- Returns the language that the server is told: an unnamed buffer, or one attached by hand, is prose with patches in it.
function M.language(buffer, filetype)
  return (vim.b[buffer].multi_edit_attached or M.is_unnamed(buffer)) and "markdown" or filetype
end

--- Runs the server's command `multiEdit.show`: shows the diff of a preview, and copies a failure.
function M.show(command)
  local text, name = unpack(command.arguments)
  if name ~= "preview.diff" then
    vim.fn.setreg('"', text)
    pcall(vim.fn.setreg, "+", text)
    return notice.show("The failure has been copied; give it to the model")
  end
  vim.cmd("botright new")
  vim.api.nvim_buf_set_lines(0, 0, -1, true, vim.split(text, "\n"))
  vim.bo.buftype, vim.bo.bufhidden, vim.bo.filetype, vim.bo.modifiable = "nofile", "wipe", "diff", false
  vim.keymap.set("n", "q", "<C-w>c", { buffer = true, nowait = true })
end

--- Up to Neovim 0.10, every server without a hover would cause a message, in every file.
function M.hovered(failure, result, ...)
  local show = vim.lsp.handlers["textDocument/hover"]
  if show and (failure or result) then
    return show(failure, result, ...)
  end
end

--- Neovim would show the diagnostics of an unnamed buffer in a new one.
function M.published(failure, result, ...)
  if not result or result.uri ~= "file://" then
    return vim.lsp.handlers["textDocument/publishDiagnostics"](failure, result, ...)
  end
end

return M
