-- The changes that wait for the user's review, as the server last sent them, and their marks in the buffers.

local edits = require("multi_edit.edits")
local names = require("multi_edit.names")

local M = {}

local namespace = vim.api.nvim_create_namespace("multi_edit_review")

-- The most lines of former text to show.
local most_lines = 40

local signs = { create = "+", rename = "»" }

-- By path, a file's changes: `client_id`, and `hunks` in the order of their lines, each as in the protocol and with
--   buffer, marks  the buffer and its extmarks, while the buffer is loaded
--   glow           the extmarks that highlight it and show its former text until the cursor has been there
--   is_seen        true once the cursor has been there
--   is_shown       true while its former text is shown
local files = {}

-- By buffer and extmark, the hunk.
local marked = {}

-- The hunks that contain the cursor.
local at_cursor = {}

-- The window in which text is shown above the first line.
local filled

local function define_highlights()
  vim.api.nvim_set_hl(0, "MultiEditSign", { default = true, link = "Changed" })
  vim.api.nvim_set_hl(0, "MultiEditChange", { default = true, link = "DiffAdd" })
  vim.api.nvim_set_hl(0, "MultiEditRemoval", { default = true, link = "DiffDelete" })
end

-- Without this, Neovim would keep the room above the first line.
local function unfill()
  if filled and vim.api.nvim_win_is_valid(filled) then
    vim.api.nvim_win_call(filled, function()
      vim.fn.winrestview({ topfill = 0 })
    end)
  end
  filled = nil
end

-- Marks a part of a hunk: a range of whole lines, which is empty if lines were only removed.
local function mark(hunk, range, buffer)
  local count = vim.api.nvim_buf_line_count(buffer)
  local first = math.min(range.start.line, count - 1)
  local after = range["end"].line + (range["end"].character > 0 and 1 or 0)
  local is_removal = after <= range.start.line
  local function put(options)
    options.strict = false
    return vim.api.nvim_buf_set_extmark(buffer, namespace, first, 0, options)
  end
  local sign = signs[hunk.kind] or is_removal and "▔" or "▎"
  -- The sign is in all rows, also that of the end. Without an end, Neovim also redraws the row when the mark is removed.
  local last = math.max(math.min(after, count) - 1, first)
  local id = put({ end_row = last > first and last or nil, sign_text = sign, sign_hl_group = "MultiEditSign" })
  table.insert(hunk.marks, id)
  marked[buffer][id] = hunk
  if hunk.is_seen or hunk.kind ~= "text" then
    return
  end
  local removed = { virt_text = { { " text was removed here ", "MultiEditRemoval" } } }
  local changed = { end_row = last + 1, end_col = 0, hl_group = "MultiEditChange", hl_eol = true }
  table.insert(hunk.glow, put(is_removal and removed or changed))
end

-- Marks a file's hunks in its buffer, and removes the marks that were there.
local function draw(buffer, hunks)
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  unfill()
  marked[buffer] = {}
  for _, hunk in ipairs(hunks) do
    hunk.buffer, hunk.marks, hunk.glow = buffer, {}, {}
    for _, range in ipairs(hunk.ranges or { hunk.range }) do
      mark(hunk, range, buffer)
    end
  end
end

--- Returns the hunks in some rows of a buffer, from 0.
function M.at(buffer, first, last)
  local found = {}
  local function add(id, row, details)
    local hunk = (marked[buffer] or {})[id]
    local is_there = row <= last and math.max(details.end_row or row, row) >= first
    if hunk and is_there and not vim.tbl_contains(found, hunk) then
      table.insert(found, hunk)
    end
  end
  local options = { details = true, overlap = true }
  for _, one in ipairs(vim.api.nvim_buf_get_extmarks(buffer, namespace, { first, 0 }, { last, -1 }, options)) do
    add(one[1], one[2], one[4])
  end
  return found
end

-- Removes the highlighting from the hunks that the cursor has left.
local function follow_cursor()
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local before = at_cursor
  at_cursor = M.at(vim.api.nvim_get_current_buf(), row, row)
  for _, hunk in ipairs(before) do
    if not vim.tbl_contains(at_cursor, hunk) then
      hunk.is_seen, hunk.is_shown = true, nil
      unfill()
      for _, id in ipairs(vim.api.nvim_buf_is_valid(hunk.buffer) and hunk.glow or {}) do
        vim.api.nvim_buf_del_extmark(hunk.buffer, namespace, id)
      end
    end
  end
end

--- Shows who made the change at the cursor, and the former text above it, until the cursor leaves it.
function M.show(hunk)
  local lines = { { { names.printable(hunk.message), "Comment" } } }
  for line in vim.gsplit(hunk.oldText or "", "\n", { plain = true, trimempty = true }) do
    if #lines > most_lines then
      table.insert(lines, { { "…", "MultiEditRemoval" } })
      break
    end
    table.insert(lines, { { line, "MultiEditRemoval" } })
  end
  local buffer, row = vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_cursor(0)[1] - 1
  if hunk.buffer == buffer then
    follow_cursor()
    hunk.is_shown = true
    local options = { virt_lines = lines, virt_lines_above = true }
    table.insert(hunk.glow, vim.api.nvim_buf_set_extmark(buffer, namespace, row, 0, options))
    -- Above the first line, Neovim does not show them by itself.
    if vim.fn.line("w0") == row + 1 then
      vim.fn.winrestview({ topfill = #lines })
      filled = vim.api.nvim_get_current_win()
    end
  end
end

-- Replaces the hunks of a file.
local function set(path, hunks, client_id)
  local buffer = edits.buffer_at(path)
  files[path] = #hunks > 0 and { client_id = client_id, hunks = hunks } or nil
  if edits.is_loaded(buffer) then
    draw(buffer, hunks)
  end
  vim.api.nvim_exec_autocmds("User", { pattern = "MultiEditDidChangeReview", modeline = false })
end

--- Handles `multiEdit/didChangeReview`.
function M.changed(_, params, context)
  local before = {}
  local path = vim.uri_to_fname(params.uri)
  for _, hunk in ipairs((files[path] or { hunks = {} }).hunks) do
    before[hunk.id] = hunk
  end
  for _, hunk in ipairs(params.hunks) do
    local old = before[hunk.id]
    hunk.is_seen = old and old.is_seen and old.newText == hunk.newText
    hunk.is_shown = old and old.is_shown
  end
  set(path, params.hunks, context.client_id)
  -- A hunk that was replaced while the cursor is in it has not been left.
  at_cursor = {}
  follow_cursor()
  for _, hunk in ipairs(at_cursor) do
    if hunk.is_shown then
      M.show(hunk)
    end
  end
end

--- Returns the path of a hunk's file.
function M.path_of(hunk)
  return vim.uri_to_fname(hunk.uri)
end

--- Returns the first row of a hunk, from 0.
function M.row_of(hunk)
  local is_marked = hunk.buffer and vim.api.nvim_buf_is_loaded(hunk.buffer)
  local place = is_marked and vim.api.nvim_buf_get_extmark_by_id(hunk.buffer, namespace, hunk.marks[1], {}) or {}
  return place[1] or hunk.range.start.line
end

--- Returns all hunks in the order of their files and lines.
function M.all()
  local hunks = {}
  local paths = vim.tbl_keys(files)
  table.sort(paths)
  for _, path in ipairs(paths) do
    vim.list_extend(hunks, files[path].hunks)
  end
  return hunks
end

-- Forgets the hunks of servers that have ended.
local function forget_ended()
  for path, file in pairs(files) do
    if not vim.lsp.get_client_by_id(file.client_id) then
      set(path, {})
    end
  end
end

--- Follows the cursor and the servers from now on.
function M.watch()
  define_highlights()
  local group = vim.api.nvim_create_augroup("multi_edit_review", {})
  local function on(events, callback)
    vim.api.nvim_create_autocmd(events, { group = group, callback = callback })
  end
  on("ColorScheme", define_highlights)
  on({ "CursorMoved", "CursorMovedI", "WinEnter", "BufEnter" }, function()
    if next(files) or #at_cursor > 0 then
      follow_cursor()
    end
  end)
  on({ "BufReadPost", "BufNewFile" }, function(event)
    local file = files[vim.api.nvim_buf_get_name(event.buf)]
    if file then
      draw(event.buf, file.hunks)
    end
  end)
  on("BufUnload", function(event)
    marked[event.buf] = nil
  end)
  on("LspDetach", vim.schedule_wrap(forget_ended))
end

return M
