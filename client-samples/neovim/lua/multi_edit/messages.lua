-- Messages about what agents have changed: at most one in five seconds, which sums up several calls.

local names = require("multi_edit.names")
local notice = require("multi_edit.notice")

local M = {}

-- Minimum time between two messages, in milliseconds.
local quiet_time = 5000

-- Calls that no message has mentioned yet, and the time of the last message.
local unsaid, last_said = {}, nil

local function list_of(words)
  if #words < 2 then
    return words[1] or ""
  end
  return table.concat(words, ", ", 1, #words - 1) .. " and " .. words[#words]
end

-- Returns the message about one call, with as many of its files as fit on a line.
local function about_one(call)
  local verb = call.is_undone and "undid a call:" or "changed"
  local hint = call.is_undone and "" or " (:MultiEditUndo)"
  -- A name and its comma take at least three columns.
  local fitting = math.min(#call.files, math.floor(vim.v.echospace / 3))
  local described = vim.tbl_map(names.describe, vim.list_slice(call.files, 1, fitting))
  local text
  for count = fitting, 0, -1 do
    local named = vim.list_slice(described, 1, count)
    local more = #call.files - count
    if more > 0 then
      table.insert(named, ("%d %s"):format(more, (count > 0 and "more " or "") .. (more == 1 and "file" or "files")))
    end
    text = ("%s %s %s%s"):format(call.who, verb, list_of(named), hint)
    if vim.fn.strdisplaywidth(text) <= vim.v.echospace then
      break
    end
  end
  return text
end

-- Returns the message about several calls.
local function about_all(calls)
  local who, paths, added, removed, undone = {}, {}, 0, 0, 0
  for _, call in ipairs(calls) do
    if not vim.tbl_contains(who, call.who) then
      table.insert(who, call.who)
    end
    undone = undone + (call.is_undone and 1 or 0)
    for _, file in ipairs(call.files) do
      paths[file.path] = true
      added = added + (file.added or 0)
      removed = removed + (file.removed or 0)
    end
  end
  local count = vim.tbl_count(paths)
  local files = ("%d %s%s"):format(count, count == 1 and "file" or "files", names.numbers(added, removed))
  local how = ("in %d calls%s"):format(#calls, undone > 0 and (", %d of them undone"):format(undone) or "")
  return ("%s changed %s, %s (:MultiEditChanges)"):format(list_of(who), files, how)
end

local function say()
  local calls = unsaid
  unsaid = {}
  last_said = vim.uv.now()
  notice.show(#calls == 1 and about_one(calls[1]) or about_all(calls))
end

-- Shows a message about a call: at once or, if there was one lately, together with others. The call has `who`, `files`
-- and `is_undone`.
local function mention(call)
  table.insert(unsaid, call)
  if #unsaid > 1 then
    return
  end
  vim.uv.update_time()
  local wait = last_said and last_said + quiet_time - vim.uv.now() or 0
  if wait <= 0 then
    return say()
  end
  vim.defer_fn(say, wait)
end

--- Handles `multiEdit/didApply`: shows a message if an agent made the changes. Plugins can handle the event
--- `User MultiEditDidApply`, whose data are the notification's params.
function M.did_apply(_, params)
  -- A call from the editor itself has an answer, which is shown where the call was made.
  if params.agent and #params.files > 0 then
    mention({
      who = names.printable(params.agent),
      is_undone = params.kind == "undone",
      files = vim.tbl_map(function(file)
        local old_path = file.oldUri and vim.uri_to_fname(file.oldUri)
        return vim.tbl_extend("force", file, { path = vim.uri_to_fname(file.uri), old_path = old_path })
      end, params.files),
    })
  end
  vim.api.nvim_exec_autocmds("User", { pattern = "MultiEditDidApply", modeline = false, data = params })
end

return M
