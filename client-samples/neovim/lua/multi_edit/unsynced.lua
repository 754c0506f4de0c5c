-- Reports the files that have unsaved changes in buffers that the server is not attached to, such as those of a plugin
-- for notebooks, so that the server does not write these files on disk.

local M = {}

local name = "multi_edit_ls"

-- The list that each client's server was last sent, as one string.
local reported = {}

local function uris_without(client)
  local uris = {}
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local path = vim.api.nvim_buf_get_name(buffer)
    local is_unsaved = vim.api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].modified and vim.startswith(path, "/")
    -- A terminal counts as modified as long as its program runs.
    if is_unsaved and vim.bo[buffer].buftype ~= "terminal" and not vim.lsp.buf_is_attached(buffer, client.id) then
      table.insert(uris, vim.uri_from_fname(path))
    end
  end
  return uris
end

-- Client methods are called with a dot up to Neovim 0.10 and with a colon from 0.11 on.
local function send(client, uris)
  local method, params = "multiEdit/didChangeUnsynced", { uris = uris }
  if vim.fn.has("nvim-0.11") == 1 then
    return client:notify(method, params)
  end
  return client.notify(method, params)
end

-- Sends each server its list if the list has changed.
local function report()
  for _, client in ipairs(vim.lsp.get_clients({ name = name })) do
    local uris = uris_without(client)
    local list = table.concat(uris, "\n")
    if list ~= (reported[client.id] or "") then
      reported[client.id] = list
      send(client, uris)
    end
  end
end

--- Reports these files from now on.
function M.watch()
  vim.api.nvim_create_autocmd({ "BufModifiedSet", "BufFilePost", "BufUnload", "LspAttach", "LspDetach" }, {
    group = vim.api.nvim_create_augroup(name .. "_unsynced", {}),
    -- Once the event is over, the buffers and clients are in their new state.
    callback = vim.schedule_wrap(report),
  })
end

return M
