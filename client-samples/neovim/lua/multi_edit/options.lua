-- The options of `setup()` and `config()`: those that exist, the problems with those that a user gives, and how several
-- configurations are merged.

local M = {}

local function is_map(value)
  return type(value) == "table" and (next(value) == nil or not vim.islist(value))
end

-- The server knows the valid settings and warns about others; this function only ensures that it receives all of them.
local function problem_of_settings(value)
  if not is_map(value) or not is_map(value.multiEdit or {}) then
    return "must be a table of settings by name"
  end
  if value.multiEdit and vim.tbl_count(value) > 1 then
    return "has other keys besides multiEdit; put all settings under multiEdit"
  end
  return nil
end

-- For each option, a function that returns what is wrong with a value, or nil.
local known = {
  cmd = function(value)
    local is_list = type(value) == "table" and vim.islist(value) and type(value[1]) == "string"
    return not is_list and type(value) ~= "function" and "must be a list of strings, or a function" or nil
  end,
  init_options = problem_of_settings,
  settings = problem_of_settings,
}

-- Returns strings as a list in one sentence, in alphabetical order.
local function listed(words)
  table.sort(words)
  local last = table.remove(words)
  return #words == 0 and last or ("%s and %s"):format(table.concat(words, ", "), last)
end

--- Returns the options that can be used, and one message about all others, or nil. An option that can't be used must
--- not take the others with it, because each of them might be meant to protect text.
function M.usable(options)
  if options == nil then
    return {}, nil
  end
  if not is_map(options) then
    return {}, "the options must be a table with named fields"
  end
  local usable, unknown, problems = {}, {}, {}
  for key, value in pairs(options) do
    local problem_of_value = known[key]
    local problem = problem_of_value and problem_of_value(value)
    if not problem_of_value then
      table.insert(unknown, ("%q"):format(tostring(key)))
    elseif problem then
      table.insert(problems, ("%s %s"):format(key, problem))
    else
      usable[key] = value
    end
  end
  table.sort(problems)
  if #unknown > 0 then
    table.insert(
      problems,
      ("there is no option %s; the options are %s, and settings holds the server's settings"):format(
        listed(unknown),
        listed(vim.tbl_keys(known))
      )
    )
  end
  return usable, #problems > 0 and table.concat(problems, "; ") .. "; the other options are used" or nil
end

-- Returns settings nested under their section's name, whether or not they were written so, so tables can be merged.
local function in_section(settings)
  if settings == nil or next(settings) == nil then
    return nil
  end
  return { multiEdit = settings.multiEdit == nil and settings or settings.multiEdit }
end

--- Merges configurations; later ones override earlier ones.
function M.merged(...)
  local all = vim.tbl_map(function(config)
    local copy = vim.tbl_extend("force", {}, config)
    copy.settings = in_section(config.settings)
    copy.init_options = in_section(config.init_options)
    return copy
  end, { ... })
  return vim.tbl_deep_extend("force", unpack(all))
end

return M
