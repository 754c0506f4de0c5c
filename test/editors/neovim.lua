-- The driver inside Neovim 0.10 or later: connects to the test's socket and runs its commands, one JSON value per line.
-- The user's configuration attaches the server; this file knows only the plugin's name.

local pipe = vim.uv.new_pipe()
local functions = {}
-- Functions that can run at any time, even while Neovim is waiting for a key.
local at_once = {}

local function buffer_of(path)
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(buffer) == path and vim.api.nvim_buf_is_loaded(buffer) then
      return buffer
    end
  end
end

local function show(path)
  local buffer = assert(buffer_of(path), path .. " is not open")
  vim.api.nvim_set_current_buf(buffer)
end

function functions.open(path)
  vim.cmd.edit(vim.fn.fnameescape(path))
end

function functions.retype(params)
  show(params.path)
  -- As when a user replaces everything: the last line ending belongs to the file, not to a line.
  local ends = vim.endswith(params.text, "\n")
  local text = vim.bo.fileformat == "dos" and params.text:gsub("\r\n", "\n") or params.text
  local lines = vim.split(ends and text:sub(1, -2) or text, "\n", { plain = true })
  vim.bo.fixendofline = ends
  vim.bo.endofline = ends
  vim.api.nvim_buf_set_lines(0, 0, -1, true, lines)
end

function functions.held(path)
  local buffer = buffer_of(path)
  if not buffer then
    return vim.NIL
  end
  local options = vim.bo[buffer]
  local line_end = ({ unix = "\n", dos = "\r\n", mac = "\r" })[options.fileformat]
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, true)
  local is_empty = vim.api.nvim_buf_call(buffer, function()
    return vim.fn.line2byte(1) == -1
  end)
  local text = is_empty and "" or table.concat(lines, line_end) .. (options.endofline and line_end or "")
  return { text = text, modified = options.modified, bom = options.bomb }
end

function functions.opened()
  local paths = {}
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local name = vim.api.nvim_buf_get_name(buffer)
    if name ~= "" and vim.api.nvim_buf_is_loaded(buffer) then
      table.insert(paths, name)
    end
  end
  return paths
end

function functions.undo(path)
  show(path)
  vim.cmd("normal! u")
end

function functions.save(path)
  show(path)
  vim.cmd("silent write")
end

function functions.lock(path)
  vim.bo[buffer_of(path)].modifiable = false
end

function functions.close_all()
  vim.cmd("silent! %bwipeout!")
end

-- As in the README: Neovim's own function sends the protocol's command.
function functions.command(call)
  local client = vim.lsp.get_clients({ name = "multi_edit_ls" })[1]
  local command = { title = "multiEdit.apply", command = "multiEdit.apply", arguments = { call } }
  if vim.fn.has("nvim-0.11") == 1 then
    client:exec_cmd(command, nil, function() end)
  else
    client.request("workspace/executeCommand", command, function() end)
  end
end

-- Answers when the plugin calls its callback.
function functions.request(call, answer)
  require("multi_edit").apply(call, function(problem, result)
    answer({ applied = problem == nil, message = problem or result.text })
  end)
  return nil, true
end

function functions.type_before(params)
  show(params.path)
  vim.cmd("stopinsert")
  vim.fn.cursor(1, 1)
  assert(vim.fn.search("\\V" .. vim.fn.escape(params.before, "\\"), "cW") > 0, params.before .. " is not there")
  vim.api.nvim_input("i")
end

function functions.mode()
  return vim.api.nvim_get_mode().mode
end

function functions.run(text)
  return assert(loadstring(text))()
end

function at_once.key(key)
  vim.api.nvim_input(key)
end

function at_once.mode_now()
  return vim.api.nvim_get_mode().mode
end

local function send(value)
  pipe:write(vim.json.encode(value) .. "\n")
end

local function serve(order)
  local fast = at_once[order.method]
  local function run()
    local function answer(result)
      send({ id = order.id, result = result })
    end
    local ok, result, is_pending = xpcall(fast or functions[order.method], debug.traceback, order.params, answer)
    if not ok then
      send({ id = order.id, error = tostring(result) })
    elseif not is_pending then
      answer(result == nil and vim.NIL or result)
    end
  end
  if fast then
    run()
  else
    vim.schedule(run)
  end
end

pipe:connect(vim.env.EDITOR_SOCKET, function(problem)
  assert(not problem, problem)
  send({ editor = 1 })
  local rest = ""
  pipe:read_start(function(_, chunk)
    if not chunk then
      return vim.schedule(function()
        vim.cmd("qall!")
      end)
    end
    rest = rest .. chunk
    for line in rest:gmatch("([^\n]*)\n") do
      serve(vim.json.decode(line))
    end
    rest = rest:match("[^\n]*$")
  end)
end)
