-- The running server, as the plugin's commands reach it.

local M = {}

--- The name of the client in Neovim.
M.name = "multi_edit_ls"

--- What a command without a server says.
M.none = M.name .. " is not attached to any buffer"

--- Reports whether Neovim has the newer functions for clients.
function M.is_new()
  return vim.fn.has("nvim-0.11") == 1
end

--- Calls a method of a client: with a dot up to Neovim 0.10 and with a colon from 0.11 on.
function M.call(client, method, ...)
  if M.is_new() then
    return client[method](client, ...)
  end
  return client[method](...)
end

--- Returns the client of the current buffer, or any other one of the plugin; nil if there is none.
function M.current()
  local get = vim.lsp.get_clients
  return get({ name = M.name, bufnr = 0 })[1] or get({ name = M.name })[1]
end

--- Sends a request. Calls `callback(failure, result)`; `failure.message` is for people.
function M.request(method, params, callback)
  local client = M.current()
  if not client then
    return callback({ message = M.none })
  end
  M.call(client, "request", method, params, callback)
end

return M
