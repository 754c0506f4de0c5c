-- Shows messages of one line that never ask for a key, even if somebody is typing.

local names = require("multi_edit.names")

local M = {}

-- Time, in milliseconds, after which a message that could not be shown is tried again.
local pause = 100

-- Messages that wait until the user has finished a command line, answered a prompt, or left a terminal.
local waiting = {}

-- A message during a command line or a prompt would scroll the screen and ask for Enter. In a terminal, Neovim would
-- overwrite it at once with "-- TERMINAL --".
local function is_hidden()
  return vim.api.nvim_get_mode().mode:match("^[cr!t]") ~= nil
end

--- Cuts a text to one line of at most `width` columns, by default as many as fit on the screen without a question.
function M.cut(text, width)
  width = width or vim.v.echospace
  local line = names.printable((text:gsub("%s*\n%s*", " ")))
  if vim.fn.strdisplaywidth(line) <= width then
    return line
  end
  -- A character takes at least one column, unless it is combined with another.
  line = vim.fn.strcharpart(line, 0, width)
  while vim.fn.strdisplaywidth(line) >= width and line ~= "" do
    line = vim.fn.strcharpart(line, 0, vim.fn.strchars(line) - 1)
  end
  return line .. "…"
end

local function has_shown_mode()
  return vim.api.nvim_get_mode().mode:match("^[iRvVsS\22\19]") ~= nil
end

-- While text is typed or selected, Neovim would overwrite a message at once with "-- INSERT --" or "-- VISUAL --". So it
-- does not show the mode until the user is done.
local function hide_mode()
  if not vim.o.showmode or not has_shown_mode() then
    return
  end
  vim.o.showmode = false
  vim.api.nvim_create_autocmd("ModeChanged", {
    callback = function()
      if has_shown_mode() then
        return false
      end
      vim.o.showmode = true
      return true
    end,
  })
end

local function flush()
  if is_hidden() then
    return vim.defer_fn(flush, pause)
  end
  local all = waiting
  waiting = {}
  hide_mode()
  for _, message in ipairs(all) do
    -- Without this, a second message below the first one would ask for Enter.
    vim.cmd.redraw()
    vim.notify(M.cut(message.text), message.level)
  end
end

--- Shows a message as soon as nobody is typing a command line or in a terminal. `level` is one of `vim.log.levels`, by default `INFO`.
function M.show(text, level)
  table.insert(waiting, { text = text, level = level or vim.log.levels.INFO })
  if #waiting == 1 then
    flush()
  end
end

return M
