-- Applies a `WorkspaceEdit` completely or not at all, and saves buffers at the server's request.

local M = {}

--- Reports whether there is such a buffer and it has its text; -1 means that there is no buffer.
function M.is_loaded(buffer)
  return buffer ~= -1 and vim.api.nvim_buf_is_loaded(buffer)
end
local is_loaded = M.is_loaded

--- Returns the buffer of the file at a path, or -1. `bufnr` would treat the path as a pattern, so this function compares
--- names.
function M.buffer_at(path)
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(buffer) == path then
      return buffer
    end
  end
  return -1
end

--- Returns the file's buffer, or -1.
function M.buffer_of(uri)
  return M.buffer_at(vim.uri_to_fname(uri))
end
local buffer_of = M.buffer_of

local function read_bytes(path)
  local file = io.open(path, "rb")
  if not file then
    return nil
  end
  local bytes = file:read("*a")
  file:close()
  return bytes
end

-- Returns what was thrown, as a sentence for people and models: without the line of this file.
local function reason_of(thrown)
  return (tostring(thrown):gsub("^%S+%.lua:%d+: ", ""))
end

-- Saves a buffer as `:write` does but never asks: a file that has changed on disk is not saved, and the answer says so.
local function save(uri)
  local buffer = buffer_of(uri)
  if not is_loaded(buffer) then
    return "no buffer has the file"
  end
  local is_changed = false
  local watch = vim.api.nvim_create_autocmd("FileChangedShell", {
    callback = function(event)
      is_changed = is_changed or event.buf == buffer
      vim.v.fcs_choice = ""
    end,
  })
  local ok, problem = pcall(function()
    vim.cmd.checktime(buffer)
    if is_changed then
      error("the file has changed on disk", 0)
    end
    vim.api.nvim_buf_call(buffer, function()
      vim.cmd("silent write")
    end)
  end)
  vim.api.nvim_del_autocmd(watch)
  return not ok and reason_of(problem) or nil
end

--- Answers `multiEdit/saveDocuments`. Names the versions around each save, so that an undo also reverses what a
--- formatter changes on save.
function M.save_documents(_, params)
  local answer = { saved = {}, failed = {}, versions = {} }
  for _, uri in ipairs(params.uris) do
    local buffer = buffer_of(uri)
    local before = is_loaded(buffer) and vim.api.nvim_buf_get_changedtick(buffer)
    local problem = save(uri)
    if problem then
      table.insert(answer.failed, { uri = uri, message = problem })
    else
      table.insert(answer.saved, uri)
      local after = vim.api.nvim_buf_get_changedtick(buffer)
      table.insert(answer.versions, { uri = uri, before = before, after = after })
    end
  end
  return answer
end

-- Returns why a document can't be edited as planned, or nil.
local function problem_of_edit(change, hashes)
  local uri, version = change.textDocument.uri, change.textDocument.version
  local buffer = buffer_of(uri)
  local path = vim.uri_to_fname(uri)
  if version == nil or version == vim.NIL then
    if is_loaded(buffer) and vim.bo[buffer].modified then
      return path .. " has changes that the server has not seen"
    end
    local bytes = read_bytes(path)
    -- Neovim 0.10 and earlier can't hash bytes that are not text.
    local ok, hash = pcall(vim.fn.sha256, bytes or "")
    if bytes and hashes[uri] and ok and hash ~= hashes[uri] then
      return path .. " has changed on disk"
    end
    return nil
  end
  if not is_loaded(buffer) or vim.lsp.util.buf_versions[buffer] ~= version then
    return path .. " has changed"
  end
  if not vim.bo[buffer].modifiable then
    return path .. " can't be modified"
  end
  return nil
end

-- Returns why a file operation is impossible after the earlier ones, or nil. `known` tells which paths exist.
local function problem_of_operation(change, known)
  local function exists(path)
    if known[path] == nil then
      known[path] = vim.uv.fs_lstat(path) ~= nil
    end
    return known[path]
  end
  local from = vim.uri_to_fname(change.oldUri or change.uri)
  local to = vim.uri_to_fname(change.newUri or change.uri)
  if change.kind ~= "create" and not exists(from) then
    return from .. " no longer exists"
  end
  local is_new = change.kind == "create" or change.kind == "rename"
  if is_new and exists(to) and not (change.options or {}).overwrite then
    return to .. " already exists"
  end
  known[from] = false
  known[to] = is_new
  return nil
end

-- Returns why an edit can't be applied as planned, or nil. `hashes` maps the URI of each file that is not open to the
-- file's SHA-256.
local function problem_of(edit, hashes)
  local known = {}
  for _, change in ipairs(edit.documentChanges or {}) do
    local problem
    if change.kind then
      problem = problem_of_operation(change, known)
    elseif known[vim.uri_to_fname(change.textDocument.uri)] == nil then
      problem = problem_of_edit(change, hashes)
    end
    if problem then
      return problem
    end
  end
  return nil
end

-- Returns the loaded buffers whose text an edit changes.
local function buffers_of(edit)
  local buffers = {}
  for _, change in ipairs(edit.documentChanges or {}) do
    local buffer = change.textDocument and buffer_of(change.textDocument.uri) or -1
    if is_loaded(buffer) then
      table.insert(buffers, buffer)
    end
  end
  return buffers
end

-- Ensures that text typed before or after an edit is undone separately from the edit.
local function break_undo(edit)
  for _, buffer in ipairs(buffers_of(edit)) do
    vim.bo[buffer].undolevels = vim.bo[buffer].undolevels
  end
end

--- Applies an edit, or returns why it was not applied. If a step fails, the texts of open buffers are restored. Nothing
--- else runs between the checks and the edits, so no text can change in between.
function M.apply(edit, hashes, encoding)
  local problem = problem_of(edit, hashes)
  if problem then
    return problem
  end
  local before = {}
  for _, buffer in ipairs(buffers_of(edit)) do
    before[buffer] = vim.api.nvim_buf_get_lines(buffer, 0, -1, true)
  end
  break_undo(edit)
  local ok, thrown = pcall(vim.lsp.util.apply_workspace_edit, edit, encoding)
  if not ok then
    for buffer, lines in pairs(before) do
      vim.api.nvim_buf_set_lines(buffer, 0, -1, true, lines)
    end
    return reason_of(thrown)
  end
  break_undo(edit)
  return nil
end

--- Answers the server's requests to apply edits. Neovim's own handler checks only the version of the first document,
--- and only if that document was edited before; it also reports skipped edits as applied.
function M.answer(_, params, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  local problem = M.apply(params.edit, {}, client.offset_encoding)
  return { applied = problem == nil, failureReason = problem }
end

return M
