-- `:checkhealth multi_edit`: checks the program, Node, the attached clients, the sessions that agents can reach, and
-- the settings, and says how to repair what is wrong.

local startable = require("multi_edit.startable")

local M = {}

local name = "multi_edit_ls"
local oldest_node = "20.19.0"
local patience = 10000

-- Runs a program. Returns what it prints, or nil and a problem.
local function output(command)
  local ok, run = pcall(vim.system, command, { text = true, timeout = patience })
  if not ok then
    return nil, tostring(run)
  end
  local ended = run:wait()
  if ended.code ~= 0 then
    return nil, vim.trim(ended.stderr ~= "" and ended.stderr or ended.stdout)
  end
  return vim.trim(ended.stdout)
end

-- Returns the command line for a command of the program that the client starts.
local function with_arguments(cmd, ...)
  local command = vim.tbl_filter(function(word)
    return word ~= "--stdio"
  end, cmd)
  return vim.list_extend(command, { ... })
end

-- Checks the program. Returns whether it can be run.
local function check_program(cmd)
  if type(cmd) ~= "table" then
    vim.health.info("The server is started by a function, so the program can't be checked.")
    return false
  end
  if vim.fn.executable(cmd[1]) == 0 then
    vim.health.error(("The program %s was not found."):format(cmd[1]), {
      'Run "npm ci && npm run build && npm link" in a clone of the repository, then start Neovim again.',
      'Or name the program: require("multi_edit").setup({ cmd = { "node", "/path/to/dist/main.cjs", "--stdio" } })',
    })
    return false
  end
  if startable.missing(cmd) then
    vim.health.error(("%s needs node, which is not on Neovim's PATH."):format(cmd[1]), {
      "Start Neovim from a shell that finds node, or write in init.lua, with the path that \"which node\" prints there:",
      startable.advice(cmd),
    })
    return false
  end
  local version, problem = output(with_arguments(cmd, "--version"))
  if not version then
    vim.health.error(("%s can't be run: %s"):format(table.concat(cmd, " "), problem))
    return false
  end
  vim.health.ok(("%s: %s"):format(table.concat(cmd, " "), version))
  return true
end

local function check_node(cmd)
  local is_node = type(cmd) == "table" and vim.fs.basename(cmd[1]):match("^node")
  local version, problem = output({ is_node and cmd[1] or "node", "--version" })
  if not version then
    vim.health.error("Node can't be run: " .. problem, { ("Install Node %s or later."):format(oldest_node) })
  elseif vim.version.lt(vim.version.parse(version), vim.version.parse(oldest_node)) then
    vim.health.error(("Node %s is too old."):format(version), { ("Install Node %s or later."):format(oldest_node) })
  else
    vim.health.ok("Node " .. version)
  end
end

-- Checks the clients. Returns them.
local function check_clients(is_set_up)
  local clients = vim.lsp.get_clients({ name = name })
  for _, client in ipairs(clients) do
    local buffers = vim.tbl_count(client.attached_buffers)
    local root = client.config.root_dir or "no root"
    local noun = buffers == 1 and "buffer" or "buffers"
    vim.health.ok(("Client %d is attached to %d %s; root: %s"):format(client.id, buffers, noun, root))
  end
  if #clients == 0 then
    vim.health.warn("No client is attached.", {
      is_set_up and "Open a file; the server is attached to every buffer that is a file."
        or 'Call require("multi_edit").setup() in init.lua, or vim.lsp.enable("multi_edit_ls").',
      "If a file is open, Neovim's log may say why the server does not start: " .. vim.lsp.log.get_filename(),
    })
  end
  return clients
end

-- Returns what a client's server knows about itself, or nil and a problem.
local function status_of(client)
  local answer, problem
  if vim.fn.has("nvim-0.11") == 1 then
    answer, problem = client:request_sync("multiEdit/status", vim.empty_dict(), patience)
  else
    answer, problem = client.request_sync("multiEdit/status", vim.empty_dict(), patience)
  end
  if answer and answer.result then
    return answer.result
  end
  return nil, problem or answer and answer.err and answer.err.message or "no answer"
end

-- Checks that agents can reach a client's session, as the program itself sees it.
local function check_session(cmd, client, status)
  local printed = output(with_arguments(cmd, "sessions", "--json"))
  local ok, sessions = pcall(vim.json.decode, printed or "[]")
  for _, session in ipairs(ok and sessions or {}) do
    if vim.startswith(session.client:lower(), "neovim") and vim.deep_equal(session.folders, status.folders) then
      vim.health.ok(("Agents can reach client %d as session %s."):format(client.id, session.id))
      return
    end
  end
  vim.health.warn(("Agents can't reach client %d."):format(client.id), {
    "If the setting agent.enabled is false, this is intended.",
    'Otherwise, run "multi-edit doctor" in a terminal.',
  })
end

-- Checks the settings of a client, as its server sees them.
local function check_settings(client, status)
  local problems = status.settingProblems or {}
  for _, sentence in ipairs(problems) do
    vim.health.warn(sentence)
  end
  if #problems == 0 then
    vim.health.ok(("The server of client %d accepts all settings."):format(client.id))
  end
end

--- Implements `:checkhealth multi_edit`.
function M.check()
  local config, problem_of_options, is_set_up = require("multi_edit").state()
  vim.health.start("multi_edit: the program")
  local can_run = check_program(config.cmd)
  check_node(config.cmd)
  vim.health.start("multi_edit: the editor")
  if problem_of_options then
    vim.health.error("setup(): " .. problem_of_options)
  end
  for _, client in ipairs(check_clients(is_set_up)) do
    local status, problem = status_of(client)
    if not status then
      vim.health.error(("The server of client %d does not answer: %s"):format(client.id, problem))
    else
      if can_run then
        check_session(config.cmd, client, status)
      end
      check_settings(client, status)
    end
  end
end

return M
