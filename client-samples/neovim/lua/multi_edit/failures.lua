-- Lists the locations of a failed call in the quickfix list.

local M = {}

-- Neovim turns a string with a NUL into a blob, which the quickfix list does not accept.
local function without_nul(text)
  return (text:gsub("%z", "␀"))
end

-- Returns the first line of a text.
local function first_line(text)
  return without_nul(vim.split(text or "", "\n", { plain = true })[1])
end

-- Returns the path in the file system; nil if there is none, or if no file can have it.
local function path_of(failure, root)
  local path = failure.path
  if type(path) ~= "string" or path:find("%z") then
    return nil
  end
  return vim.startswith(path, "/") and path or root .. "/" .. path
end

--- Replaces the quickfix list by the locations in `data`, the data of a failed call. Relative paths start at `root`.
function M.list(root, data)
  local items = {}
  for _, failure in ipairs(data and data.failures or {}) do
    local places = failure.matches or failure.nearest or {}
    local function add(line, text)
      local entry = ("%s: %s"):format(failure.code, first_line(text))
      table.insert(items, { filename = path_of(failure, root), lnum = line or 1, text = entry })
    end
    for _, place in ipairs(places) do
      add(place.line or place.startLine, place.text)
    end
    if #places == 0 then
      add(failure.line, failure.message)
    end
  end
  vim.fn.setqflist({}, " ", { title = "MultiEdit", items = items })
end

return M
