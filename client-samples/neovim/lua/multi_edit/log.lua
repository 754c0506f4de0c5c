-- The history of the agents' calls, in a window of its own, where each can be undone and redone.

local jumps = require("multi_edit.jumps")
local names = require("multi_edit.names")
local notice = require("multi_edit.notice")
local server = require("multi_edit.server")

local M = {}

local states = { partlyUndone = " (partly undone)", undone = " (undone)", kept = " (kept)", applied = "" }

local function line_of(call)
  local files = table.concat(vim.tbl_map(names.of, call.files), ", ")
  local who = call.agent or "You"
  local state = states[call.state] or ""
  local numbers = names.numbers(call.added, call.removed)
  return names.printable(("%s %s%s: %s%s"):format(jumps.time_of(call.at), who, numbers, files, state))
end

-- Shows the calls in a buffer.
local function fill(buffer)
  server.request("multiEdit/history", vim.empty_dict(), function(failure, result)
    if failure then
      return notice.show(failure.message, vim.log.levels.ERROR)
    elseif vim.api.nvim_buf_is_valid(buffer) then
      vim.b[buffer].calls = vim.tbl_map(function(call)
        return call.transaction
      end, result.calls)
      vim.bo[buffer].modifiable = true
      vim.api.nvim_buf_set_lines(buffer, 0, -1, true, vim.tbl_map(line_of, result.calls))
      vim.bo[buffer].modifiable = false
    end
  end)
end

--- Implements `:MultiEditLog`.
function M.open()
  vim.cmd("botright 10new")
  local buffer = vim.api.nvim_get_current_buf()
  vim.bo.buftype, vim.bo.bufhidden, vim.bo.modifiable = "nofile", "wipe", false
  vim.wo[0][0].winbar = "Calls by agents. u: undo, CTRL-R: redo, q: close"
  local function map(lhs, method)
    vim.keymap.set("n", lhs, function()
      local transaction = vim.b.calls[vim.fn.line(".")]
      server.request(method, { transaction = transaction }, function(failure, result)
        notice.show(failure and failure.message or result.text, failure and vim.log.levels.ERROR)
        fill(buffer)
      end)
    end, { buffer = buffer, nowait = true })
  end
  map("u", "multiEdit/undo")
  map("<C-r>", "multiEdit/redo")
  vim.keymap.set("n", "q", "<C-w>c", { buffer = buffer, nowait = true })
  fill(buffer)
end

return M
