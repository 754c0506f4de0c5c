-- Keeps the changes at their places through undo and redo: when a state of a buffer's text comes back, so do the places
-- that the changes had in it.

local marks = require("multi_edit.marks")

local M = {}

--- The largest number of states of a buffer to remember.
M.most = 1000

-- Returns a table whose changes are forgotten with the list of changes.
local function weak()
  return setmetatable({}, { __mode = "k" })
end

-- By buffer: `seq`, the number of its present state in the undo tree, and `places`, which has by the numbers of states
-- a table with the first and last lines of the changes that the text contained.
local histories = {}

local function history_of(buffer)
  histories[buffer] = histories[buffer] or { places = {} }
  return histories[buffer]
end

--- Returns the number of the buffer's present state, which grows with each new state.
function M.number_of(buffer)
  -- In the command-line window, no other buffer can become the current one, not even for a moment.
  local is_current = buffer == vim.api.nvim_get_current_buf()
  return is_current and vim.fn.changenr() or vim.fn.undotree(buffer).seq_cur
end

-- Remembers the places of the buffer's changes in its present state.
local function remember(history, seq, changes)
  local places = weak()
  for _, change in ipairs(changes) do
    if not change.is_hidden then
      local first, last = marks.lines_of(change)
      if first then
        places[change] = { first, last }
      end
    end
  end
  history.seq, history.places[seq], history.places[seq - M.most] = seq, places, nil
end

--- Follows the text of a buffer with the given changes. Those that its present state does not contain are hidden.
function M.follow(buffer, changes)
  local history, seq = history_of(buffer), M.number_of(buffer)
  local known = seq ~= history.seq and history.places[seq] or nil
  for _, change in ipairs(changes) do
    local place = known and known[change]
    if place then
      change.first, change.last = place[1], place[2]
      marks.show(change, buffer)
    elseif known or seq < change.seq or marks.is_emptied(change) then
      marks.hide(change)
    end
  end
  remember(history, seq, changes)
end

-- Returns whether the lines of `wanted` are in `lines` after the first `start` of them.
local function is_at(lines, wanted, start)
  for index, line in ipairs(wanted) do
    if lines[start + index] ~= line then
      return false
    end
  end
  return true
end

-- Returns the line, from 0, nearest to `near` at which the lines of `wanted` are in `lines`, or nil.
local function find(lines, wanted, near)
  for distance = 0, #lines do
    if is_at(lines, wanted, near - distance) then
      return near - distance
    elseif is_at(lines, wanted, near + distance) then
      return near + distance
    end
  end
  return nil
end

--- Finds the given changes in a buffer that has been read again, by their text. A change that is not there is hidden.
function M.reload(buffer, changes)
  local history, seq = history_of(buffer), M.number_of(buffer)
  if vim.fn.undotree(buffer).seq_last < (history.seq or 0) then
    -- The text was read without the undo tree that the numbers belong to.
    histories[buffer] = { places = {} }
    history = histories[buffer]
    for _, change in ipairs(changes) do
      change.seq = seq
    end
  end
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  for _, change in ipairs(changes) do
    for _, text in ipairs({ change.left or change.text, change.text }) do
      local start = find(lines, text.lines, change.first - text.above)
      if start then
        change.first, change.last = start + text.above, start + text.above + change.last - change.first
        marks.show(change, buffer)
        break
      end
      marks.hide(change)
    end
  end
  remember(history, seq, changes)
end

--- Forgets a buffer, because its number will never come back.
function M.forget(buffer)
  histories[buffer] = nil
end

return M
