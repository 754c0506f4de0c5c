-- Lists the locations of a failed call in the quickfix list.

local names = require("multi_edit.names")

local M = {}

-- Returns the first line of a text.
local function first_line(text)
  return names.printable(vim.split(text or "", "\n", { plain = true })[1])
end

-- Returns the reason of a failure: the first sentence of its message.
local function reason_of(failure)
  local line = first_line(failure.message)
  return ((line:match("^(.-[.?])%s") or line):gsub(":$", ""))
end

-- Returns the path in the file system; nil if there is none, or if no file can have it.
local function path_of(failure, root)
  local path = failure.path
  if type(path) ~= "string" or not names.is_possible(path) then
    return nil
  end
  return vim.startswith(path, "/") and path or root .. "/" .. path
end

--- Replaces the quickfix list by the locations in `data`, the data of a failed call; each entry has the reason. Relative
--- paths start at `root`.
function M.list(root, data)
  local items = {}
  for _, failure in ipairs(data and data.failures or {}) do
    local places = failure.matches or failure.nearest or {}
    local function add(line, text)
      local entry = ("%s: %s"):format(failure.code, reason_of(failure))
      if text then
        entry = ("%s | %s"):format(entry, vim.trim(first_line(text)))
      end
      table.insert(items, { filename = path_of(failure, root), lnum = line or 1, text = entry })
    end
    for _, place in ipairs(places) do
      add(place.line or place.startLine, place.text)
    end
    if #places == 0 then
      add(failure.line)
    end
  end
  vim.fn.setqflist({}, " ", { title = "MultiEdit", items = items })
end

return M
