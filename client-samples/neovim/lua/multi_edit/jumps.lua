-- The list of the changes that wait for review, in the quickfix list, and the jumps from change to change.

local names = require("multi_edit.names")
local notice = require("multi_edit.notice")
local review = require("multi_edit.review")

local M = {}

local none = "No change of an agent waits for review."

--- Returns the local time of day of an ISO time.
function M.time_of(at)
  local year, month, day, hour, minute = (at or ""):match("^(%d+)-(%d+)-(%d+)T(%d+):(%d+)")
  if not year then
    return ""
  end
  -- `os.time` takes these fields for local time, so the difference between that and UTC is added.
  local utc = os.time({ year = year, month = month, day = day, hour = hour, min = minute, isdst = false })
  local offset = os.difftime(utc, os.time(os.date("!*t", utc)))
  return os.date("%H:%M", utc + offset)
end

local function entry_of(hunk)
  local path = review.path_of(hunk)
  local line = vim.split(hunk.newText or "", "\n", { plain = true })[1]
  local text = ("%s %s"):format(M.time_of(hunk.at), hunk.message)
  text = names.printable(line ~= "" and ("%s | %s"):format(text, vim.trim(line)) or text)
  if hunk.kind == "delete" or not names.is_possible(path) then
    -- Without a file, so that nobody jumps to a file that no longer exists.
    return { text = ("%s: %s"):format(names.of(path), text), user_data = hunk }
  end
  return { filename = path, lnum = review.row_of(hunk) + 1, text = text, user_data = hunk }
end

-- Fills the quickfix list. `action` is that of `setqflist`.
local function fill(action)
  local items = vim.tbl_map(entry_of, review.all())
  vim.fn.setqflist({}, action, { title = "Changes by agents", context = "multi_edit", items = items })
end

--- Lists the changes in the quickfix list and opens it.
function M.list()
  if #review.all() == 0 then
    return notice.show(none)
  end
  fill(" ")
  vim.cmd.copen()
end

--- Returns the hunk of each entry of the list, if it is the list in the current window; nil otherwise.
function M.listed()
  local list = vim.bo.buftype == "quickfix" and vim.fn.getqflist({ context = 0, items = 0 }) or {}
  return list.context == "multi_edit" and vim.tbl_map(function(item)
    return item.user_data
  end, list.items) or nil
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

-- Goes to a hunk, or says why Neovim does not allow it. Returns whether the cursor is there.
local function go_to(hunk)
  vim.cmd("normal! m'")
  local buffer = vim.fn.bufadd(review.path_of(hunk))
  vim.bo[buffer].buflisted = true
  local ok, problem = pcall(vim.cmd.buffer, buffer)
  if not ok then
    notice.show(tostring(problem):match("E%d+: .*") or tostring(problem), vim.log.levels.ERROR)
    return false
  end
  local row = math.min(review.row_of(hunk), vim.api.nvim_buf_line_count(buffer) - 1)
  vim.api.nvim_win_set_cursor(0, { row + 1, 0 })
  vim.cmd("normal! ^zv")
  return true
end

-- Returns the nearest hunk after the cursor or, if `step` is negative, before it; nil if there is none.
local function beyond_cursor(hunks, step)
  local path, row = vim.api.nvim_buf_get_name(0), vim.api.nvim_win_get_cursor(0)[1] - 1
  for index = 1, #hunks do
    local hunk = hunks[step > 0 and index or #hunks + 1 - index]
    local other, line = review.path_of(hunk), review.row_of(hunk)
    local is_after = other > path or other == path and line > row
    local is_before = other < path or other == path and line < row
    if step > 0 and is_after or step < 0 and is_before then
      return hunk
    end
  end
  return nil
end

--- Goes to the next change or, if `step` is negative, to the one before, in whatever file it is, and shows the former
--- text there.
function M.go(step)
  local hunks = vim.tbl_filter(function(hunk)
    return hunk.kind ~= "delete" and names.is_possible(review.path_of(hunk))
  end, review.all())
  if #hunks == 0 then
    return notice.show(none)
  end
  -- In the command-line window, this fails, and the next command says why.
  pcall(leave_special_window)
  for _ = 1, math.abs(step) do
    local hunk = beyond_cursor(hunks, step)
    if not hunk then
      notice.show(step > 0 and "This is the first change again." or "This is the last change again.")
    end
    hunk = hunk or hunks[step > 0 and 1 or #hunks]
    if not go_to(hunk) then
      return
    end
    review.show(hunk)
  end
end

--- Keeps the list up to date from now on.
function M.watch()
  vim.api.nvim_create_autocmd("User", {
    group = vim.api.nvim_create_augroup("multi_edit_list", {}),
    pattern = "MultiEditDidChangeReview",
    callback = function()
      if vim.fn.getqflist({ context = 0 }).context == "multi_edit" then
        fill("r")
      end
    end,
  })
end

return M
