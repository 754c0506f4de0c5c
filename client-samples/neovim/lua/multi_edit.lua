-- multi-edit-language-server in Neovim 0.10 and later: attaches to all files alongside your other servers, applies
-- calls completely or not at all, and saves files at the server's request. `require("multi_edit").setup()` is all you
-- need.

local M = {}

local name = "multi_edit_ls"

local not_attached = name .. " is not attached to any buffer"

local function notify(problem, result)
  vim.notify(problem or result.text, problem and vim.log.levels.ERROR or vim.log.levels.INFO)
end

local function is_map(value)
  return type(value) == "table" and (next(value) == nil or not vim.islist(value))
end

-- The server knows the valid settings and warns about others; this function only ensures that it receives all of them.
local function problem_of_settings(value)
  if not is_map(value) or not is_map(value.multiEdit or {}) then
    return "must be a table of settings by name"
  end
  return value.multiEdit and vim.tbl_count(value) > 1 and "has other keys besides multiEdit; put all settings under multiEdit" or nil
end

-- For each option, a function that returns what is wrong with a value, or nil.
local options_of_ours = {
  cmd = function(value)
    local is_list = type(value) == "table" and vim.islist(value) and type(value[1]) == "string"
    return not is_list and type(value) ~= "function" and "must be a list of strings, or a function" or nil
  end,
  init_options = problem_of_settings,
  settings = problem_of_settings,
}

-- Returns the problem with the options, or nil. An unknown option is a problem, too: it might be meant to protect text.
local function problem_of_options(options)
  if not is_map(options) then
    return "the options must be a table with named fields"
  end
  for key, value in pairs(options) do
    local problem_of_value = options_of_ours[key]
    if not problem_of_value then
      return ("there is no option %q; the options are cmd, init_options and settings"):format(tostring(key))
    end
    local problem = problem_of_value(value)
    if problem then
      return ("%s %s"):format(key, problem)
    end
  end
  return nil
end

-- If the options have a problem, raises an error that points to the line that called the function named `caller`.
local function check(options, caller)
  local problem = problem_of_options(options)
  if problem then
    error(("multi_edit.%s(): %s"):format(caller, problem), 3)
  end
end

-- Returns settings nested under their section's name, whether or not they were written so, so tables can be merged.
local function in_section(settings)
  if settings == nil or next(settings) == nil then
    return nil
  end
  return { multiEdit = settings.multiEdit == nil and settings or settings.multiEdit }
end

-- Merges configurations; later ones override earlier ones.
local function merged(...)
  local all = vim.tbl_map(function(config)
    local copy = vim.tbl_extend("force", {}, config)
    copy.settings = in_section(config.settings)
    copy.init_options = in_section(config.init_options)
    return copy
  end, { ... })
  return vim.tbl_deep_extend("force", unpack(all))
end

-- Client methods are called with a dot up to Neovim 0.10 and with a colon from 0.11 on.
local function request(client, method, params, handler)
  if vim.fn.has("nvim-0.11") == 1 then
    return client:request(method, params, handler)
  end
  return client.request(method, params, handler)
end

local function notify_server(client, method, params)
  params = params or vim.empty_dict()
  if vim.fn.has("nvim-0.11") == 1 then
    return client:notify(method, params)
  end
  return client.notify(method, params)
end

local function is_file(buffer)
  return vim.bo[buffer].buftype == "" and vim.api.nvim_buf_get_name(buffer) ~= ""
end

local function is_loaded(buffer)
  return buffer ~= -1 and vim.api.nvim_buf_is_loaded(buffer)
end

-- Returns the file's buffer, or -1. `bufnr` would treat the path as a pattern, so this function compares names.
local function buffer_of(uri)
  local path = vim.uri_to_fname(uri)
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(buffer) == path then
      return buffer
    end
  end
  return -1
end

local function read_bytes(path)
  local file = io.open(path, "rb")
  if not file then
    return nil
  end
  local bytes = file:read("*a")
  file:close()
  return bytes
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
  return not ok and tostring(problem) or nil
end

local function save_documents(_, params)
  local answer = { saved = {}, failed = {} }
  for _, uri in ipairs(params.uris) do
    local problem = save(uri)
    if problem then
      table.insert(answer.failed, { uri = uri, message = problem })
    else
      table.insert(answer.saved, uri)
    end
  end
  return answer
end

local function client_here()
  local get = vim.lsp.get_clients
  return get({ name = name, bufnr = 0 })[1] or get({ name = name })[1]
end

-- The list that each client's server was last sent, as one string.
local reported = {}

-- Tells each server which files have unsaved changes in buffers that it is not attached to, such as those of a plugin for
-- notebooks, so that it does not write these files on disk.
local function report_unsynced()
  for _, client in ipairs(vim.lsp.get_clients({ name = name })) do
    local uris = {}
    for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
      local path = vim.api.nvim_buf_get_name(buffer)
      local is_unsaved = is_loaded(buffer) and vim.bo[buffer].modified and vim.startswith(path, "/")
      if is_unsaved and not vim.lsp.buf_is_attached(buffer, client.id) then
        table.insert(uris, vim.uri_from_fname(path))
      end
    end
    local list = table.concat(uris, "\n")
    if list ~= (reported[client.id] or "") then
      reported[client.id] = list
      notify_server(client, "multiEdit/didChangeUnsynced", { uris = uris })
    end
  end
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

-- Ensures that text typed before or after an edit is undone separately from the edit.
local function break_undo(edit)
  for _, change in ipairs(edit.documentChanges or {}) do
    local buffer = change.textDocument and buffer_of(change.textDocument.uri) or -1
    if is_loaded(buffer) then
      vim.bo[buffer].undolevels = vim.bo[buffer].undolevels
    end
  end
end

-- Applies an edit, or returns why it was not applied. If a step fails, the texts of open buffers are restored. Nothing
-- else runs between the checks and the edits, so no text can change in between.
local function apply_edit(edit, hashes, encoding)
  local problem = problem_of(edit, hashes)
  if problem then
    return problem
  end
  local before = {}
  for _, change in ipairs(edit.documentChanges or {}) do
    local buffer = change.textDocument and buffer_of(change.textDocument.uri) or -1
    if is_loaded(buffer) then
      before[buffer] = vim.api.nvim_buf_get_lines(buffer, 0, -1, true)
    end
  end
  break_undo(edit)
  local ok, thrown = pcall(vim.lsp.util.apply_workspace_edit, edit, encoding)
  if not ok then
    for buffer, lines in pairs(before) do
      vim.api.nvim_buf_set_lines(buffer, 0, -1, true, lines)
    end
    return tostring(thrown)
  end
  break_undo(edit)
  return nil
end

-- Answers the server's requests to apply edits. Neovim's own handler checks only the version of the first document, and
-- only if that document was edited before; it also reports skipped edits as applied.
local function answer_apply_edit(_, params, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  local problem = apply_edit(params.edit, {}, client.offset_encoding)
  return { applied = problem == nil, failureReason = problem }
end

--- Returns the client's configuration for `vim.lsp.start` and `vim.lsp.config`. Options: `cmd` is the server's command
--- line, `settings` are the server's settings, and `init_options` are settings that are sent when the server starts.
function M.config(options)
  check(options or {}, "config")
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities.experimental = { multiEdit = { save = true, syncDelay = 0 } }
  return merged({
    name = name,
    cmd = { "multi-edit-language-server", "--stdio" },
    root_markers = { ".git" },
    capabilities = capabilities,
    handlers = { ["multiEdit/saveDocuments"] = save_documents, ["workspace/applyEdit"] = answer_apply_edit },
    -- By default, Neovim debounces changes for 150 ms. The server matches edits against the synced text and waits until
    -- each edit appears there. With no delay, the server always knows the current text and answers immediately.
    flags = { debounce_text_changes = 0 },
  }, options or {})
end

-- The user's own configuration for this server, which Neovim 0.11 and later store.
local function user_config()
  return vim.fn.has("nvim-0.11") == 1 and vim.lsp.config[name] or {}
end

-- Each client gets its own table, because Neovim keeps the table and each project has a different root.
local function attach(buffer, options)
  if not is_file(buffer) then
    return
  end
  local config = merged(M.config(), user_config(), options)
  local function start(root)
    config.root_dir = root
    vim.lsp.start(config, { bufnr = buffer, reuse_client = config.reuse_client })
  end
  if type(config.root_dir) == "function" then
    return config.root_dir(buffer, vim.schedule_wrap(start))
  end
  start(config.root_dir or vim.fs.root(buffer, config.root_markers) or vim.fn.getcwd())
end

--- Attaches the server to every buffer that is a file, with or without a file type, and defines `:MultiEdit` and
--- `:MultiEditUndo`. The options are those of `config()`; they override `vim.lsp.config("multi_edit_ls", …)`. An unknown
--- option is an error.
function M.setup(options)
  options = options or {}
  check(options, "setup")
  if user_config().filetypes then
    error('multi_edit.setup() attaches to files of all types: leave "filetypes" out, or use vim.lsp.enable instead', 2)
  end
  local group = vim.api.nvim_create_augroup(name, {})
  -- The last two events are for buffers that become files only later, when they get a name.
  vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile", "BufFilePost", "BufWritePost" }, {
    group = group,
    callback = function(event)
      attach(event.buf, options)
    end,
  })
  vim.api.nvim_create_autocmd({ "BufModifiedSet", "BufFilePost", "BufUnload", "LspAttach", "LspDetach" }, {
    group = group,
    -- Once the event is over, the buffers and clients are in their new state.
    callback = vim.schedule_wrap(report_unsynced),
  })
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if is_loaded(buffer) then
      attach(buffer, options)
    end
  end
  vim.api.nvim_create_user_command("MultiEdit", M.command, {
    range = true,
    nargs = "?",
    desc = "Apply the JSON call or the patch in the selection, the register or the buffer",
  })
  vim.api.nvim_create_user_command("MultiEditUndo", function()
    M.undo()
  end, { desc = "Undo the last call" })
end

local function list_failures(client, data)
  local items = {}
  local function add(failure, line, text)
    local path = failure.path
    if path and not vim.startswith(path, "/") then
      path = (client.config.root_dir or vim.fn.getcwd()) .. "/" .. path
    end
    table.insert(items, { filename = path, lnum = line or 1, text = text })
  end
  for _, failure in ipairs(data and data.failures or {}) do
    local places = failure.matches or failure.nearest or {}
    for _, place in ipairs(places) do
      add(failure, place.line or place.startLine, failure.code .. ": " .. vim.split(place.text, "\n")[1])
    end
    if #places == 0 then
      add(failure, failure.line, failure.code .. ": " .. vim.split(failure.message, "\n")[1])
    end
  end
  vim.fn.setqflist({}, " ", { title = "MultiEdit", items = items })
end

--- Sends a call to `multiEdit/apply` and applies the whole answer or nothing: all versions are checked before the
--- first change, and each buffer gets one undo step. Calls `callback(problem, result)`: `problem` is nil if the edit
--- was applied; otherwise it is text for the model, and nothing has changed. Failures are listed in the quickfix list.
function M.apply(params, callback)
  callback = callback or notify
  local client = client_here()
  if not client then
    return callback(not_attached)
  end
  request(client, "multiEdit/apply", params, function(failure, result)
    if failure then
      list_failures(client, failure.data)
      return callback(failure.message)
    end
    local hashes = {}
    for _, file in ipairs(result.files) do
      hashes[file.uri] = file.hash
    end
    local problem = apply_edit(result.edit, hashes, client.offset_encoding)
    if not problem then
      -- Tell the server, so that `multiEdit/undo` can undo the batch.
      notify_server(client, "multiEdit/didApply")
    end
    callback(problem, result)
  end)
end

--- Undoes the last applied batch, or the one that `params.transaction` names, unless its text has been changed since.
function M.undo(params, callback)
  callback = callback or notify
  local client = client_here()
  if not client then
    return callback(not_attached)
  end
  request(client, "multiEdit/undo", params or vim.empty_dict(), function(failure, result)
    callback(failure and failure.message, result)
  end)
end

--- Implements `:MultiEdit`: applies the call in the buffer, in the given range, or in the named register.
function M.command(input)
  local text
  if input.args ~= "" then
    text = vim.fn.getreg(input.args)
  else
    local first, last = input.line1 - 1, input.line2
    if input.range == 0 then
      first, last = 0, -1
    end
    text = table.concat(vim.api.nvim_buf_get_lines(0, first, last, true), "\n")
  end
  if not text:match("^%s*{") then
    return M.apply({ patch = text })
  end
  local ok, call = pcall(vim.json.decode, text)
  if not ok then
    return vim.notify("MultiEdit: " .. call, vim.log.levels.ERROR)
  end
  M.apply(call)
end

return M
