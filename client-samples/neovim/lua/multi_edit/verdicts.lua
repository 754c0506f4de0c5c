-- What the user says of agents' changes: undo, keep, or a comment; for the lines of a command, or for a file, a call, an
-- agent, or everything.

local jumps = require("multi_edit.jumps")
local names = require("multi_edit.names")
local notice = require("multi_edit.notice")
local review = require("multi_edit.review")
local server = require("multi_edit.server")

local M = {}

-- What a command can be about instead of its lines.
local scopes = { "file", "call", "agent", "all" }

--- Returns what a command can be about, for its completion: also the ids of calls, the latest first.
function M.scopes()
  local words = vim.list_extend({}, scopes)
  local hunks = review.all()
  table.sort(hunks, function(a, b)
    return a.at > b.at
  end)
  for _, hunk in ipairs(hunks) do
    if not vim.tbl_contains(words, hunk.transaction) then
      table.insert(words, hunk.transaction)
    end
  end
  return words
end

-- Returns the hunks in the lines of a command; in the list, those of its entries.
local function hunks_in(input)
  local listed = jumps.listed()
  if listed then
    return vim.list_slice(listed, input.line1, input.line2)
  end
  return review.at(vim.api.nvim_get_current_buf(), input.line1 - 1, input.line2 - 1)
end

local function lines_of(input)
  local start, finish = { line = input.line1 - 1, character = 0 }, { line = input.line2, character = 0 }
  return { uri = vim.uri_from_bufnr(0), range = { start = start, ["end"] = finish } }
end

-- Returns what a command is about, as the server's requests want it; nil, after saying so, if there is nothing.
local function selected(input)
  local hunks = hunks_in(input)
  local hunk = hunks[1]
  if input.args == "all" then
    return { all = true }
  elseif input.args ~= "" and not vim.tbl_contains(scopes, input.args) then
    return { transaction = input.args }
  elseif input.args == "file" then
    return { uri = hunk and hunk.uri or vim.uri_from_bufnr(0) }
  elseif not hunk then
    return notice.show("No change of an agent is in these lines.")
  elseif input.args == "" then
    return { hunks = vim.tbl_map(function(one)
      return one.id
    end, hunks) }
  elseif input.args == "agent" and hunk.agent then
    return { agent = hunk.agent }
  end
  return { transaction = hunk.transaction }
end

--- Implements `:MultiEditUndo`: returns the params for the server; nil, after saying so, if there is nothing to undo.
function M.to_undo(input)
  return input.args == "" and input.range == 0 and vim.empty_dict() or selected(input)
end

--- Implements `:MultiEditKeep`.
function M.keep(input)
  local params = selected(input)
  if not params then
    return
  end
  server.request("multiEdit/keep", params, function(failure, result)
    local count = result and #result.kept
    notice.show(failure and failure.message or ("Kept %d change%s"):format(count, count == 1 and "" or "s"))
  end)
end

--- Implements `:MultiEditComment`: sends what the user says of a change, or of the lines, to the agent.
function M.comment(input)
  local hunk = hunks_in(input)[1]
  local params = hunk and { hunk = hunk.id } or lines_of(input)
  local function send(text)
    params.text = text
    server.request("multiEdit/comment", params, function(failure, result)
      local told = failure and failure.message or ("The agent will read this about %s"):format(result.about)
      notice.show(names.printable(told), failure and vim.log.levels.ERROR)
    end)
  end
  if input.args ~= "" then
    return send(input.args)
  end
  vim.ui.input({ prompt = "Comment for the agent: ", default = hunk and hunk.comment }, function(text)
    if text then
      send(text)
    end
  end)
end

return M
