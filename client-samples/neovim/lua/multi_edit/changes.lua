-- Remembers what agents have changed, and marks the changed lines until the cursor has been there.

local marks = require("multi_edit.marks")
local messages = require("multi_edit.messages")
local names = require("multi_edit.names")

local M = {}

--- The largest number of changes to remember. The oldest are forgotten first.
M.most = 2000

-- The changes, oldest first. Each is one changed place, or one file if the file has no such places:
--   file         what the server says about the file; `path` and `old_path` are file names
--   transaction, who, at   of the call
--   first, last  lines, from 0, until the change is marked in a buffer; nil if there is no place
--   is_removal   true if text was only removed
--   is_seen      true once the cursor has been there
--   buffer, id   the buffer and its extmark, while the buffer is loaded
--   starts_file  true for the first change of a file in a call
local changes = {}

-- The changes that contain the cursor and are still highlighted.
local at_cursor = {}

-- Marks the changes of a buffer that has been loaded.
local function mark_buffer(buffer)
  local path = vim.api.nvim_buf_get_name(buffer)
  for _, change in ipairs(changes) do
    if change.first and not change.id and change.file.path == path then
      marks.put(change, buffer)
    end
  end
end

-- Remembers the lines of a buffer's changes, because its text and its extmarks are about to disappear.
local function leave_buffer(buffer)
  for _, change in ipairs(changes) do
    if change.buffer == buffer then
      marks.lines_of(change)
      marks.remove(change)
    end
  end
end

-- Removes the highlighting from the changes that the cursor has left.
local function follow_cursor()
  local buffer = vim.api.nvim_get_current_buf()
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local here = {}
  for _, change in ipairs(changes) do
    if change.buffer == buffer and not change.is_seen then
      local first, last = marks.lines_of(change)
      if first <= row and row <= last then
        table.insert(here, change)
      end
    end
  end
  for _, change in ipairs(at_cursor) do
    if not vim.tbl_contains(here, change) then
      marks.set_seen(change)
    end
  end
  at_cursor = here
end

local function leave_window()
  for _, change in ipairs(at_cursor) do
    marks.set_seen(change)
  end
  at_cursor = {}
end

local function drop(is_wanted)
  local kept = {}
  for _, change in ipairs(changes) do
    if is_wanted(change) then
      table.insert(kept, change)
    else
      marks.remove(change)
    end
  end
  changes = kept
  at_cursor = vim.tbl_filter(is_wanted, at_cursor)
end

-- Returns the loaded buffers by their names.
local function loaded_buffers()
  local loaded = {}
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) then
      loaded[vim.api.nvim_buf_get_name(buffer)] = buffer
    end
  end
  return loaded
end

-- A file's changes move along if the file is renamed, and only the deletion remains if it is deleted.
local function follow_file(file)
  if file.kind == "rename" then
    for _, change in ipairs(changes) do
      if change.file.path == file.old_path then
        change.file = vim.tbl_extend("force", change.file, { uri = file.uri, path = file.path })
      end
    end
  elseif file.kind == "delete" then
    drop(function(change)
      return change.file.path ~= file.path
    end)
  end
end

-- Remembers the changes of a call to a file, and marks them in `buffer` unless it is nil.
local function add_file(call, file, buffer)
  follow_file(file)
  local ranges = file.kind ~= "delete" and file.ranges or {}
  local function change_at(fields)
    local common = { file = file, who = call.who, at = call.at, transaction = call.transaction }
    local change = vim.tbl_extend("error", common, fields)
    table.insert(changes, change)
    if change.first and buffer then
      marks.put(change, buffer)
    end
  end
  for index, range in ipairs(ranges) do
    local start, finish = range.start, range["end"]
    local is_removal = start.line == finish.line and start.character == finish.character
    local ends_before = finish.character == 0 and finish.line > start.line
    change_at({
      first = start.line,
      last = ends_before and finish.line - 1 or finish.line,
      is_removal = is_removal,
      starts_file = index == 1,
    })
  end
  if #ranges == 0 then
    change_at({ starts_file = true })
  end
end

--- Handles `multiEdit/didApply`: marks and lists the changes and, if an agent made them, shows a message. Plugins can
--- handle the event `User MultiEditDidApply`, whose data are the notification's params.
function M.did_apply(_, params)
  local call = {
    transaction = params.transaction,
    who = names.printable(params.agent or "You"),
    at = params.at,
    is_undone = params.kind == "undone",
    files = vim.tbl_map(function(file)
      local old_path = file.oldUri and vim.uri_to_fname(file.oldUri)
      return vim.tbl_extend("force", file, { path = vim.uri_to_fname(file.uri), old_path = old_path })
    end, params.files),
  }
  drop(function(change)
    return change.transaction ~= call.transaction
  end)
  if not call.is_undone then
    local loaded = loaded_buffers()
    for _, file in ipairs(call.files) do
      add_file(call, file, loaded[file.path])
    end
    local is_old = {}
    for index = 1, #changes - M.most do
      is_old[changes[index]] = true
    end
    drop(function(change)
      return not is_old[change]
    end)
    follow_cursor()
  end
  -- A call from the editor itself has an answer, which is shown where the call was made.
  if params.agent and #call.files > 0 then
    messages.mention(call)
  end
  vim.api.nvim_exec_autocmds("User", { pattern = "MultiEditDidApply", modeline = false, data = params })
end

--- Returns all changes, oldest first.
function M.all()
  return changes
end

--- Removes all marks and empties the list. The texts stay as they are.
function M.clear()
  drop(function()
    return false
  end)
end

--- Returns the ids of the calls that can be undone, the latest first, for the completion of `:MultiEditUndo`.
function M.transactions()
  local ids = {}
  for index = #changes, 1, -1 do
    if not vim.tbl_contains(ids, changes[index].transaction) then
      table.insert(ids, changes[index].transaction)
    end
  end
  return ids
end

--- Follows buffers and the cursor from now on.
function M.watch()
  marks.define_highlights()
  local group = vim.api.nvim_create_augroup("multi_edit_changes", {})
  local function on(events, callback)
    vim.api.nvim_create_autocmd(events, { group = group, callback = callback })
  end
  on("ColorScheme", marks.define_highlights)
  on({ "BufReadPost", "BufNewFile", "BufFilePost" }, function(event)
    mark_buffer(event.buf)
  end)
  on("BufUnload", function(event)
    leave_buffer(event.buf)
  end)
  on({ "CursorMoved", "CursorMovedI", "WinEnter", "BufEnter" }, function()
    if #changes > 0 then
      follow_cursor()
    end
  end)
  on("WinLeave", leave_window)
end

return M
