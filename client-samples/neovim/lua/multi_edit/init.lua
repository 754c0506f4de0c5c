-- multi-edit-language-server in Neovim 0.10 and later: attaches to all files alongside your other servers, applies
-- calls completely or not at all, and saves files at the server's request. `:help multi-edit` explains it.

local buffers = require("multi_edit.buffers")
local diagnostics = require("multi_edit.diagnostics")
local disk = require("multi_edit.disk")
local edits = require("multi_edit.edits")
local failures = require("multi_edit.failures")
local jumps = require("multi_edit.jumps")
local log = require("multi_edit.log")
local messages = require("multi_edit.messages")
local names = require("multi_edit.names")
local notice = require("multi_edit.notice")
local options_of = require("multi_edit.options")
local patches = require("multi_edit.patches")
local question = require("multi_edit.question")
local review = require("multi_edit.review")
local server = require("multi_edit.server")
local startable = require("multi_edit.startable")
local unsynced = require("multi_edit.unsynced")
local verdicts = require("multi_edit.verdicts")

local M = {}

local name, call = server.name, server.call
local program = "multi-edit-language-server"

-- Shows the outcome of a call in one line. The quickfix list has all failures.
local function notify(problem, result)
  if problem then
    local failed = vim.trim((problem:gsub("^Nothing was changed[.:]%s*", "")))
    return notice.show("Nothing was changed: " .. failed, vim.log.levels.ERROR)
  end
  notice.show(result.text)
end

-- The server's command line: the program on the PATH or, if there is none, the one that was built in this repository.
local function default_cmd()
  local here = vim.uv.fs_realpath(debug.getinfo(1, "S").source:sub(2))
  local built = here and vim.fn.fnamemodify(here, ":h:h:h:h:h") .. "/dist/main.cjs"
  if vim.fn.executable(program) == 0 and built and vim.uv.fs_stat(built) then
    return { "node", built, "--stdio" }
  end
  return { program, "--stdio" }
end

-- Returns the options that can be used. Shows one message about all others.
local function checked(options, caller)
  local usable, problem = options_of.usable(options)
  if problem then
    vim.notify(("multi_edit.%s(): %s"):format(caller, problem), vim.log.levels.ERROR)
  end
  return usable, problem
end

--- Returns the client's configuration for `vim.lsp.start` and `vim.lsp.config`. Options: `cmd` is the server's command
--- line, `settings` are the server's settings, and `init_options` are settings that are sent when the server starts.
function M.config(options)
  local usable = checked(options, "config")
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities.experimental = {
    multiEdit = {
      save = true,
      syncDelay = 0,
      didApply = true,
      confirm = true,
      didChangeOnDisk = true,
      diagnostics = true,
      review = true,
    },
  }
  return options_of.merged({
    name = name,
    cmd = default_cmd(),
    root_markers = { ".git" },
    capabilities = capabilities,
    handlers = {
      ["multiEdit/saveDocuments"] = edits.save_documents,
      ["workspace/applyEdit"] = edits.answer,
      ["multiEdit/didApply"] = messages.did_apply,
      ["multiEdit/didChangeReview"] = review.changed,
      ["multiEdit/confirm"] = question.confirm,
      ["multiEdit/didChangeOnDisk"] = disk.changed,
      ["multiEdit/adoptDiskText"] = disk.adopt,
      ["multiEdit/diagnostics"] = diagnostics.answer,
      ["window/showMessage"] = disk.message,
      ["$/cancelRequest"] = question.cancel,
      ["textDocument/hover"] = patches.hovered,
      ["textDocument/publishDiagnostics"] = patches.published,
    },
    commands = { ["multiEdit.show"] = patches.show },
    get_language_id = patches.language,
    -- By default, Neovim debounces changes for 150 ms. The server matches edits against the synced text and waits until
    -- each edit appears there. With no delay, the server always knows the current text and answers immediately.
    flags = { debounce_text_changes = 0 },
  }, usable)
end

-- The user's own configuration for this server, which Neovim 0.11 and later store.
local function user_config()
  return server.is_new() and vim.lsp.config[name] or {}
end

-- What the last `setup()` was given: the options that can be used, and the problem with the others. nil before.
local last_setup
-- Ids of the clients that an earlier `setup()` started with other options.
local replaced = {}

--- Returns the configuration in use, the problem with the options of `setup()` (nil if there is none), and whether
--- `setup()` was called. For `:checkhealth`.
function M.state()
  local given = last_setup or { options = {} }
  return options_of.merged(M.config(), user_config(), given.options), given.problem, last_setup ~= nil
end

-- Like Neovim's own rule, but does not reuse a client that has the options of an earlier `setup()`.
local function reuse_client(client, config)
  return client.name == config.name
    and not replaced[client.id]
    and not call(client, "is_stopped")
    and client.config.root_dir == config.root_dir
end

-- Each client gets its own table, because Neovim keeps the table and each project has a different root.
local function attach(buffer)
  local config = M.state()
  local function start(root)
    if not buffers.is_file(buffer) then
      return
    end
    config.root_dir = root
    local reuse = config.reuse_client or next(replaced) and reuse_client or nil
    vim.lsp.start(config, { bufnr = buffer, reuse_client = reuse })
  end
  if not buffers.is_file(buffer) or not startable.check(config.cmd) then
    return
  end
  if type(config.root_dir) == "function" then
    return config.root_dir(buffer, vim.schedule_wrap(start))
  end
  start(config.root_dir or vim.fs.root(buffer, config.root_markers) or vim.fn.getcwd())
end

--- Has the server read the patches in the current buffer, such as a chat.
function M.attach()
  local scheme = vim.api.nvim_buf_get_name(0):match("^(%a[%w+.-]+)://")
  if scheme and not vim.tbl_contains((M.state().settings or { multiEdit = {} }).multiEdit.schemes or {}, scheme) then
    return notice.show(('Add "%s" to the setting schemes first'):format(scheme), vim.log.levels.WARN)
  end
  vim.b.multi_edit_attached = true
  attach(vim.api.nvim_get_current_buf())
end

-- Follows the unnamed buffer that the user is in, once it has a text, if the server runs already.
local function attach_unnamed(event)
  local has_text = patches.is_unnamed(event.buf) and vim.fn.wordcount().bytes > 1
  if has_text and #vim.lsp.get_clients({ name = name }) > 0 then
    buffers.keep_unnamed(event.buf)
    attach(event.buf)
  end
end

-- Stops the clients that were started with other options, so that the new ones take effect.
local function replace_clients(options)
  if last_setup and not vim.deep_equal(last_setup.options, options) then
    for _, client in ipairs(vim.lsp.get_clients({ name = name })) do
      replaced[client.id] = true
      call(client, "stop")
    end
  end
end

--- Attaches the server to every buffer that is a file, with or without a file type. The options are those of
--- `config()`; they override `vim.lsp.config("multi_edit_ls", …)`. An option that does not exist is named in a message,
--- and the others are used. Called again, the new options replace the old ones.
function M.setup(options)
  if user_config().filetypes then
    error('multi_edit.setup() attaches to files of all types: leave "filetypes" out, or use vim.lsp.enable instead', 2)
  end
  local usable, problem = checked(options, "setup")
  replace_clients(usable)
  last_setup = { options = usable, problem = problem }
  -- The last two events are for buffers that become files only later, when they get a name.
  vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile", "BufFilePost", "BufWritePost" }, {
    group = vim.api.nvim_create_augroup(name, {}),
    callback = function(event)
      attach(event.buf)
    end,
  })
  vim.api.nvim_create_autocmd({ "BufEnter", "InsertLeave", "TextChanged" }, { group = name, callback = attach_unnamed })
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if edits.is_loaded(buffer) and not patches.is_unnamed(buffer) then
      attach(buffer)
    end
  end
  M.watch()
  M.define_commands()
end

--- Follows the buffers and the cursor: for buffers that stop being files, for unsaved text that the server does not see, and for the marks on changes.
function M.watch()
  buffers.watch()
  unsynced.watch()
  review.watch()
  jumps.watch()
  question.watch()
  diagnostics.watch()
end

local function matching(candidates, start)
  return vim.tbl_filter(function(word)
    return vim.startswith(word, start)
  end, candidates)
end

--- Defines the commands.
function M.define_commands()
  local function define(command, run, options)
    vim.api.nvim_create_user_command(command, run, options)
  end
  define("MultiEdit", M.command, {
    range = true,
    nargs = "?",
    desc = "Apply the JSON call or the patch in the selection, the register or the buffer",
  })
  local function define_for_lines(command, run, desc)
    local complete = function(start)
      return matching(verdicts.scopes(), start)
    end
    define(command, run, { range = true, nargs = "?", complete = complete, desc = desc })
  end
  define_for_lines("MultiEditUndo", function(input)
    local params = verdicts.to_undo(input)
    if params then
      M.undo(params)
    end
  end, "Undo the last call, the one with this id, or the changes in the range or in all of the file, call or agent")
  define_for_lines("MultiEditKeep", verdicts.keep, "Keep the changes in the range or in all of the file, call or agent")
  define("MultiEditComment", verdicts.comment, {
    range = true,
    nargs = "?",
    desc = "Tell the agent something about the change or the lines",
  })
  define("MultiEditLog", log.open, { bar = true, desc = "Show the calls by agents, to undo or redo them" })
  define("MultiEditAttach", M.attach, { bar = true, desc = "Find the patches in this buffer, such as a chat" })
  define("MultiEditChanges", jumps.list, { bar = true, desc = "List the changes by agents" })
  define("MultiEditMerge", function()
    local client = server.current()
    disk.merge(function(method, params)
      return client and call(client, "notify", method, params)
    end)
  end, { bar = true, desc = "Merge this buffer with the file on disk, change by change" })
  define("MultiEditNext", function(input)
    jumps.go(input.count)
  end, { bar = true, count = 1, desc = "Go to the next change by an agent" })
  define("MultiEditPrevious", function(input)
    jumps.go(-input.count)
  end, { bar = true, count = 1, desc = "Go to the previous change by an agent" })
  define("MultiEditQuestion", question.command, {
    nargs = "*",
    complete = function(start)
      return matching({ "apply", "reject" }, start)
    end,
    desc = "Go to an agent's question, or answer it",
  })
end

-- Returns the setting `save` of a client, which decides what is saved after a call. The call's own option overrides it.
local function save_mode(client, params)
  local settings = ((client.config.settings or {}).multiEdit or {}).save
  local initial = ((client.config.init_options or {}).multiEdit or {}).save
  return (params.options or {}).save or settings or initial or "ifWasClean"
end

-- Returns the URIs of the files that a call changes and that are to be saved after it.
local function uris_to_save(edit, mode)
  local uris = {}
  for _, change in ipairs(mode ~= "never" and edit.documentChanges or {}) do
    local uri = change.newUri or (change.kind ~= "delete" and change.uri) or (change.textDocument or {}).uri
    local buffer = uri and edits.buffer_of(change.oldUri or uri)
    local was_clean = uri and not (edits.is_loaded(buffer) and vim.bo[buffer].modified)
    if uri and uris[uri] == nil then
      uris[uri] = mode == "always" or was_clean
    end
  end
  return vim.tbl_filter(function(uri)
    return uris[uri]
  end, vim.tbl_keys(uris))
end

-- Saves files, and returns a warning about those that could not be saved, or nil.
local function save(uris)
  local failed = edits.save_documents(nil, { uris = uris }).failed
  local listed = vim.tbl_map(function(one)
    return ("%s (%s)"):format(names.of(vim.uri_to_fname(one.uri)), one.message)
  end, failed)
  return #failed > 0 and "not saved: " .. table.concat(listed, ", ") or nil
end

--- Sends a call to `multiEdit/apply` and applies the whole answer or nothing: all versions are checked before the
--- first change, and each buffer gets one undo step. Calls `callback(problem, result)`: `problem` is nil if the edit
--- was applied; otherwise it is text for the model, and nothing has changed. Failures are listed in the quickfix list.
--- If `is_saving` is true, the files that had no unsaved changes are saved afterwards, as the setting `save` says.
function M.apply(params, callback, is_saving)
  callback = callback or notify
  local client = server.current()
  if not client then
    return callback(server.none)
  end
  call(client, "request", "multiEdit/apply", params, function(failure, result)
    if failure then
      failures.list(client.config.root_dir or vim.fn.getcwd(), failure.data)
      return callback(failure.message)
    end
    local hashes = {}
    for _, file in ipairs(result.files) do
      hashes[file.uri] = file.hash
    end
    local uris = is_saving and uris_to_save(result.edit, save_mode(client, params)) or {}
    local problem = edits.apply(result.edit, hashes, client.offset_encoding)
    if not problem then
      local warning = save(uris)
      result.text = warning and ("%s; %s"):format(result.text, warning) or result.text
      -- Tell the server, so that `multiEdit/undo` can undo the batch.
      call(client, "notify", "multiEdit/didApply", vim.empty_dict())
    end
    callback(problem, result)
  end)
end

--- Undoes the last applied batch, or what `params` name, as in the protocol, unless its text has been changed since.
function M.undo(params, callback)
  callback = callback or notify
  server.request("multiEdit/undo", params or vim.empty_dict(), function(failure, result)
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
  local call = { patch = text }
  if text:match("^%s*{") then
    local ok, decoded = pcall(vim.json.decode, text)
    if not ok then
      return notice.show("MultiEdit: " .. decoded, vim.log.levels.ERROR)
    end
    call = decoded
  end
  -- For a person, the messages count edits from 1.
  if type(call) == "table" and (call.options == nil or type(call.options) == "table") then
    call.options = vim.tbl_extend("keep", call.options or {}, { reader = "person" })
  end
  M.apply(call, nil, true)
end

return M
