-- multi-edit-language-server in Neovim 0.10 and later: attaches to all files alongside your other servers, applies
-- calls completely or not at all, and saves files at the server's request. `:help multi-edit` explains it.

local edits = require("multi_edit.edits")
local failures = require("multi_edit.failures")
local options_of = require("multi_edit.options")
local unsynced = require("multi_edit.unsynced")

local M = {}

local name = "multi_edit_ls"
local program = "multi-edit-language-server"

local not_attached = name .. " is not attached to any buffer"

local function notify(problem, result)
  vim.notify(problem or result.text, problem and vim.log.levels.ERROR or vim.log.levels.INFO)
end

local function is_new()
  return vim.fn.has("nvim-0.11") == 1
end

-- Client methods are called with a dot up to Neovim 0.10 and with a colon from 0.11 on.
local function call(client, method, ...)
  if is_new() then
    return client[method](client, ...)
  end
  return client[method](...)
end

local function client_here()
  local get = vim.lsp.get_clients
  return get({ name = name, bufnr = 0 })[1] or get({ name = name })[1]
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
  capabilities.experimental = { multiEdit = { save = true, syncDelay = 0 } }
  return options_of.merged({
    name = name,
    cmd = default_cmd(),
    root_markers = { ".git" },
    capabilities = capabilities,
    handlers = { ["multiEdit/saveDocuments"] = edits.save_documents, ["workspace/applyEdit"] = edits.answer },
    -- By default, Neovim debounces changes for 150 ms. The server matches edits against the synced text and waits until
    -- each edit appears there. With no delay, the server always knows the current text and answers immediately.
    flags = { debounce_text_changes = 0 },
  }, usable)
end

-- The user's own configuration for this server, which Neovim 0.11 and later store.
local function user_config()
  return is_new() and vim.lsp.config[name] or {}
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

local function is_file(buffer)
  return vim.bo[buffer].buftype == "" and vim.api.nvim_buf_get_name(buffer) ~= ""
end

-- Each client gets its own table, because Neovim keeps the table and each project has a different root.
local function attach(buffer)
  if not is_file(buffer) then
    return
  end
  local config = M.state()
  local function start(root)
    config.root_dir = root
    local reuse = config.reuse_client or next(replaced) and reuse_client or nil
    vim.lsp.start(config, { bufnr = buffer, reuse_client = reuse })
  end
  if type(config.root_dir) == "function" then
    return config.root_dir(buffer, vim.schedule_wrap(start))
  end
  start(config.root_dir or vim.fs.root(buffer, config.root_markers) or vim.fn.getcwd())
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
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if edits.is_loaded(buffer) then
      attach(buffer)
    end
  end
  unsynced.watch()
  M.define_commands()
end

--- Defines `:MultiEdit` and `:MultiEditUndo`.
function M.define_commands()
  vim.api.nvim_create_user_command("MultiEdit", M.command, {
    range = true,
    nargs = "?",
    desc = "Apply the JSON call or the patch in the selection, the register or the buffer",
  })
  vim.api.nvim_create_user_command("MultiEditUndo", function()
    M.undo()
  end, { desc = "Undo the last call" })
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
  call(client, "request", "multiEdit/apply", params, function(failure, result)
    if failure then
      failures.list(client.config.root_dir or vim.fn.getcwd(), failure.data)
      return callback(failure.message)
    end
    local hashes = {}
    for _, file in ipairs(result.files) do
      hashes[file.uri] = file.hash
    end
    local problem = edits.apply(result.edit, hashes, client.offset_encoding)
    if not problem then
      -- Tell the server, so that `multiEdit/undo` can undo the batch.
      call(client, "notify", "multiEdit/didApply", vim.empty_dict())
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
  call(client, "request", "multiEdit/undo", params or vim.empty_dict(), function(failure, result)
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
  local ok, decoded = pcall(vim.json.decode, text)
  if not ok then
    return vim.notify("MultiEdit: " .. decoded, vim.log.levels.ERROR)
  end
  M.apply(decoded)
end

return M
