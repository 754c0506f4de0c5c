-- Remembers what agents have changed, and marks the changed lines until the cursor has been there.

local edits = require("multi_edit.edits")
local marks = require("multi_edit.marks")
local messages = require("multi_edit.messages")
local names = require("multi_edit.names")
local states = require("multi_edit.states")

local M = {}

--- The largest number of changes to remember. The oldest are forgotten first.
M.most = 2000

-- The changes, oldest first. Each is one changed place, or one file if the file has no such places:
--   file         what the server says about the file; `path` and `old_path` are file names
--   transaction, who, at   of the call
--   first, last  lines, from 0, until the change is marked in a buffer; nil if there is no place
--   is_removal   true if text was only removed
--   is_seen      true once the cursor has been there
--   buffer, id   the buffer and its extmark, while the buffer is loaded and its text contains the change
--   is_hidden    true if the buffer's text does not contain the change, for example because it was undone
--   seq          the first state of the buffer that may contain the change; nil before the file was loaded
--   text, left   some of the change's lines when it was marked, and when its buffer was unloaded
local changes = {}

-- The changes that contain the cursor and are still highlighted.
local at_cursor = {}

-- Returns the changes to lines of a buffer's file, also the hidden ones.
local function changes_in(buffer)
  local path = vim.api.nvim_buf_get_name(buffer)
  return vim.tbl_filter(function(change)
    return change.first ~= nil and change.file.path == path
  end, changes)
end

-- The most lines of a change to remember, to find them in a text that is read again.
local most_lines = 50

-- Returns some of the lines of a change, and if it has none, the two around it.
local function text_of(change, buffer)
  local above = change.is_removal and math.min(change.first, 1) or 0
  local last = math.min(change.last, change.first + most_lines - 1)
  return { above = above, lines = vim.api.nvim_buf_get_lines(buffer, change.first - above, last + 1, false) }
end

-- Marks a change in a buffer whose text contains it, in this state and those after it.
local function mark(change, buffer, seq)
  marks.show(change, buffer)
  marks.lines_of(change)
  change.seq, change.text = seq, text_of(change, buffer)
end

-- Marks the changes of a buffer that has been loaded.
local function mark_buffer(buffer)
  local found = changes_in(buffer)
  if #found > 0 then
    local seq = states.number_of(buffer)
    for _, change in ipairs(found) do
      if not change.text then
        mark(change, buffer, seq)
      end
    end
    states.reload(buffer, found)
  end
end

-- Remembers the lines of a buffer's changes, because its text and its extmarks are about to disappear.
local function leave_buffer(buffer)
  for _, change in ipairs(changes) do
    if change.buffer == buffer then
      marks.lines_of(change)
      change.left = text_of(change, buffer)
      marks.remove(change)
    end
  end
end

-- Keeps the marks at their lines after the text has changed.
local function follow_text(buffer)
  local found = changes_in(buffer)
  if #found > 0 then
    states.follow(buffer, found)
  end
end

-- Removes the highlighting from the changes that the cursor has left.
local function follow_cursor()
  local buffer = vim.api.nvim_get_current_buf()
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local here = {}
  for _, change in ipairs(changes) do
    if change.buffer == buffer and not change.is_seen and not change.is_hidden then
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
  local seq = buffer and (edits.take_state(buffer) or states.number_of(buffer))
  local function change_at(fields)
    local common = { file = file, who = call.who, at = call.at, transaction = call.transaction }
    local change = vim.tbl_extend("error", common, fields)
    table.insert(changes, change)
    if change.first and buffer then
      mark(change, buffer, seq)
    end
  end
  for _, range in ipairs(ranges) do
    local start, finish = range.start, range["end"]
    local is_removal = start.line == finish.line and start.character == finish.character
    local ends_before = finish.character == 0 and finish.line > start.line
    change_at({
      first = start.line,
      last = ends_before and finish.line - 1 or finish.line,
      is_removal = is_removal,
    })
  end
  if #ranges == 0 then
    change_at({})
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
      if loaded[file.path] then
        follow_text(loaded[file.path])
      end
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

--- Returns all changes that were not undone in the editor, oldest first.
function M.all()
  return vim.tbl_filter(function(change)
    return not change.is_hidden
  end, changes)
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
  for _, change in vim.iter(M.all()):rev():enumerate() do
    if not vim.tbl_contains(ids, change.transaction) then
      table.insert(ids, change.transaction)
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
  on({ "TextChanged", "TextChangedI", "TextChangedP", "BufEnter" }, function(event)
    if #changes > 0 then
      follow_text(event.buf)
    end
  end)
  on("BufWipeout", function(event)
    states.forget(event.buf)
  end)
  on({ "CursorMoved", "CursorMovedI", "WinEnter", "BufEnter" }, function()
    if #changes > 0 then
      follow_cursor()
    end
  end)
  on("WinLeave", leave_window)
end

return M
