-- Names of files, and other texts that somebody else has chosen, as one line can show them.

local M = {}

--- Returns a text with control pictures such as "␊" instead of control characters.
function M.printable(text)
  return (text:gsub("%c", function(character)
    local code = character:byte()
    return code == 127 and "␡" or "\226\144" .. string.char(128 + code)
  end))
end

--- Reports whether a file can have this path. Neovim's own functions throw if a path has a NUL.
function M.is_possible(path)
  return not path:find("%z")
end

--- Returns the name of a file: relative to the current folder or to the home folder if it is there.
function M.of(path)
  return vim.fn.fnamemodify(M.printable(path), ":~:.")
end

--- Returns the added and removed lines of a file or a call, after a space; nothing if they are not known.
function M.numbers(added, removed)
  return added and removed and (" +%d -%d"):format(added, removed) or ""
end

--- Describes a file of a call in a few words. `file.path` and `file.old_path` are paths.
function M.describe(file)
  local name = M.of(file.path)
  if file.kind == "delete" then
    return name .. " (deleted)"
  elseif file.kind == "create" then
    return name .. " (new)" .. M.numbers(file.added, file.removed)
  elseif file.kind == "rename" then
    return ("%s (was %s)"):format(name, M.of(file.old_path)) .. M.numbers(file.added, file.removed)
  end
  return name .. M.numbers(file.added, file.removed)
end

return M
