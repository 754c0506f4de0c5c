-- The list of the changes, in the quickfix list, and the jumps from change to change.

local changes = require("multi_edit.changes")
local marks = require("multi_edit.marks")
local names = require("multi_edit.names")
local notice = require("multi_edit.notice")

local M = {}

-- Returns the local time of day of a change.
local function time_of(change)
  local year, month, day, hour, minute = (change.at or ""):match("^(%d+)-(%d+)-(%d+)T(%d+):(%d+)")
  if not year then
    return ""
  end
  -- `os.time` takes these fields for local time, so the difference between that and UTC is added.
  local utc = os.time({ year = year, month = month, day = day, hour = hour, min = minute, isdst = false })
  local offset = os.difftime(utc, os.time(os.date("!*t", utc)))
  return os.date("%H:%M", utc + offset)
end

-- Returns the text of a change's first line, or nil.
local function text_of(change)
  local first = change.first and marks.lines_of(change)
  if not first then
    return nil
  end
  if change.buffer then
    return vim.api.nvim_buf_get_lines(change.buffer, first, first + 1, false)[1]
  end
  local ok, lines = pcall(vim.fn.readfile, change.file.path, "", first + 1)
  return ok and lines[first + 1] or nil
end

-- `starts_file`: whether this is the first change of a file in a call.
local function entry_of(change, starts_file)
  local file = change.file
  local what = starts_file and names.describe(file) or nil
  local text = vim.trim(change.who .. " " .. time_of(change)) .. (what and (": " .. what) or "")
  local line = text_of(change)
  if line and file.kind ~= "create" then
    text = ("%s | %s"):format(text, change.is_removal and "text was removed" or names.printable(vim.trim(line)))
  end
  if file.kind == "delete" then
    -- Without a file, so that nobody jumps to a file that no longer exists.
    return { text = text }
  end
  local first = change.first and marks.lines_of(change) or 0
  return { filename = names.is_possible(file.path) and file.path or nil, lnum = first + 1, text = text }
end

-- Returns the changes in the order of their files and lines. Deleted files come last.
local function in_order()
  local rank, sorted = {}, {}
  for index, change in ipairs(changes.all()) do
    local is_deleted = change.file.kind == "delete"
    rank[change.file.path] = rank[change.file.path] or (is_deleted and index + changes.most or index)
    table.insert(sorted, { change = change, index = index, line = change.first and marks.lines_of(change) or 0 })
  end
  table.sort(sorted, function(a, b)
    local x, y = rank[a.change.file.path], rank[b.change.file.path]
    if x ~= y then
      return x < y
    elseif a.line ~= b.line then
      return a.line < b.line
    end
    return a.index < b.index
  end)
  return vim.tbl_map(function(item)
    return item.change
  end, sorted)
end

local none = "No agent has changed anything, or the changes were cleared."

--- Lists the changes in the quickfix list and opens it.
function M.list()
  if #changes.all() == 0 then
    return notice.show(none)
  end
  local items, starts = {}, {}
  local function key_of(change)
    return change.transaction .. "\0" .. change.file.path
  end
  for _, change in ipairs(changes.all()) do
    starts[key_of(change)] = starts[key_of(change)] or change
  end
  for _, change in ipairs(in_order()) do
    table.insert(items, entry_of(change, starts[key_of(change)] == change))
  end
  vim.fn.setqflist({}, " ", { title = "Changes by agents", items = items })
  vim.cmd.copen()
end

-- Goes to a window for files, and not one with a list, a question, or a dialog.
local function leave_special_window()
  local function is_special(window)
    local buffer = vim.api.nvim_win_get_buf(window)
    return vim.bo[buffer].buftype ~= "" or vim.api.nvim_win_get_config(window).relative ~= ""
  end
  if not is_special(0) then
    return
  end
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if not is_special(window) then
      return vim.api.nvim_set_current_win(window)
    end
  end
  vim.cmd("topleft split")
end

-- Goes to a change, or says why Neovim does not allow it. Returns whether the cursor is there.
local function go_to(change)
  vim.cmd("normal! m'")
  local buffer = vim.fn.bufadd(change.file.path)
  vim.bo[buffer].buflisted = true
  local ok, problem = pcall(vim.cmd.buffer, buffer)
  if not ok then
    notice.show(tostring(problem):match("E%d+: .*") or tostring(problem), vim.log.levels.ERROR)
    return false
  end
  local first = change.first and marks.lines_of(change) or 0
  local count = vim.api.nvim_buf_line_count(buffer)
  vim.api.nvim_win_set_cursor(0, { math.min(first + 1, count), 0 })
  vim.cmd("normal! ^zv")
  return true
end

-- Returns the index of the change to go to. `step` is 1 for the next change and -1 for the one before.
local function index_from_cursor(places, step)
  local path = vim.api.nvim_buf_get_name(0)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local before, after
  for index, change in ipairs(places) do
    if change.file.path == path then
      local first = change.first and marks.lines_of(change) or 0
      if first < row then
        before = index
      elseif first == row then
        before, after = before or index - 1, index + 1
      else
        after = after or index
      end
      -- The first change of the next file, unless a later line has one.
      if not after and (index == #places or places[index + 1].file.path ~= path) then
        after = index + 1
      end
      before = before or index - 1
    end
  end
  if not after then
    return step > 0 and 1 or #places
  end
  return step > 0 and after or before
end

--- Goes to the next change or, if `step` is negative, to the one before, in whatever file it is.
function M.go(step)
  local places = vim.tbl_filter(function(change)
    return change.file.kind ~= "delete" and names.is_possible(change.file.path)
  end, in_order())
  if #places == 0 then
    return notice.show(none)
  end
  -- In the command-line window, this fails, and the next command says why.
  pcall(leave_special_window)
  for _ = 1, math.abs(step) do
    local index = index_from_cursor(places, step)
    local wrapped = (index - 1) % #places + 1
    if not go_to(places[wrapped]) then
      return
    end
    if index ~= wrapped then
      notice.show(step > 0 and "This is the first change again." or "This is the last change again.")
    end
  end
end

return M
