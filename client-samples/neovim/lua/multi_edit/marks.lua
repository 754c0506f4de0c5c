-- The marks of changes: extmarks, which move with the text, and the highlighting of changes that nobody has seen yet.

local M = {}

local namespace = vim.api.nvim_create_namespace("multi_edit_changes")

--- Defines the highlight groups, unless the user has.
function M.define_highlights()
  vim.api.nvim_set_hl(0, "MultiEditChange", { default = true, link = "DiffAdd" })
  vim.api.nvim_set_hl(0, "MultiEditRemoval", { default = true, link = "DiffDelete" })
end

--- Puts or updates the extmark of a change in its buffer.
function M.put(change, buffer)
  local count = vim.api.nvim_buf_line_count(buffer)
  local first = math.min(change.first, count - 1)
  local options = { id = change.id, end_row = math.min(change.last + 1, count), end_col = 0, strict = false }
  if not change.is_seen and change.is_removal then
    options.virt_text = { { " text was removed here ", "MultiEditRemoval" } }
  elseif not change.is_seen then
    options.hl_group = "MultiEditChange"
    options.hl_eol = true
  end
  change.id = vim.api.nvim_buf_set_extmark(buffer, namespace, first, 0, options)
  change.buffer = buffer
end

--- Updates the lines of a change, because text before it may have changed. Returns its first and last line, from 0.
function M.lines_of(change)
  if change.id then
    local place = vim.api.nvim_buf_get_extmark_by_id(change.buffer, namespace, change.id, { details = true })
    if place[1] then
      local finish = place[3].end_row or place[1]
      change.first = place[1]
      change.last = math.max(place[1], (place[3].end_col or 0) > 0 and finish or finish - 1)
    end
  end
  return change.first, change.last
end

--- Returns whether all lines of a change have been removed since it was marked.
function M.is_emptied(change)
  local place = change.id
    and vim.api.nvim_buf_get_extmark_by_id(change.buffer, namespace, change.id, { details = true })
  local finish = place and place[3] and place[3].end_row
  return finish ~= nil and (finish < place[1] or finish == place[1] and place[3].end_col <= place[2])
end

--- Marks a change in its buffer, at the lines that it has there, also if it was hidden.
function M.show(change, buffer)
  change.is_hidden = nil
  M.put(change, buffer)
end

--- Hides a change, because its buffer's present text does not contain it.
function M.hide(change)
  if not change.is_hidden then
    M.remove(change)
    change.is_hidden = true
  end
end

--- Removes the extmark of a change, if it has one.
function M.remove(change)
  if change.id and vim.api.nvim_buf_is_valid(change.buffer) then
    vim.api.nvim_buf_del_extmark(change.buffer, namespace, change.id)
  end
  change.id, change.buffer = nil, nil
end

--- Removes the highlighting of a change; its extmark stays, and moves with the text.
function M.set_seen(change)
  change.is_seen = true
  if change.id then
    M.lines_of(change)
    M.put(change, change.buffer)
  end
end

return M
