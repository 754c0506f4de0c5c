-- Finds out why the server can't be started, so that one message says so instead of one for each file.

local notice = require("multi_edit.notice")

local M = {}

-- Returns the first line of a file, or nil.
local function first_line(path)
  local file = io.open(path, "rb")
  local line = file and file:read("*l")
  if file then
    file:close()
  end
  return line
end

--- Returns the program of a command line that Neovim does not find, or nil.
function M.missing(cmd)
  if type(cmd) ~= "table" then
    return nil
  elseif vim.fn.executable(cmd[1]) == 0 then
    return cmd[1]
  end
  local needed = (first_line(vim.fn.exepath(cmd[1])) or ""):match("^#!%S*/env (node)%s*$")
  return needed and vim.fn.executable(needed) == 0 and needed or nil
end

--- Returns the line for init.lua that names Node and the server by their paths.
function M.advice(cmd)
  local path = vim.uv.fs_realpath(vim.fn.exepath(cmd[1])) or ""
  local server = vim.endswith(path, ".cjs") and path or "/path/to/dist/main.cjs"
  return ('require("multi_edit").setup({ cmd = { "/path/to/node", "%s", "--stdio" } })'):format(server)
end

-- Programs that a message has already named.
local named = {}

--- Reports whether the server can be started. The first time that it can't, shows a message.
function M.check(cmd)
  local missing = M.missing(cmd)
  if missing and not named[missing] then
    named[missing] = true
    local text = "No %s on Neovim's PATH; see :checkhealth multi_edit"
    -- Not at once, and no error: while Neovim opens a file, both would ask for Enter.
    vim.schedule(function()
      notice.show(text:format(vim.fs.basename(missing)), vim.log.levels.WARN)
    end)
  end
  return missing == nil
end

return M
