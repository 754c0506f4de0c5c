-- Asks the user about agents' edits, in a window that shows the diff. The window never gets the cursor by itself, so
-- nobody who is typing loses a key or answers by mistake.

local choice = require("multi_edit.choice")
local names = require("multi_edit.names")
local notice = require("multi_edit.notice")

local M = {}

-- Times in milliseconds: between two looks at whether the user is typing; after the server's own limit, for a server
-- that does not withdraw its question.
local pause = 100
local patience = 5000

local cancelled = vim.lsp.protocol.ErrorCodes.RequestCancelled

-- The open questions, in the order in which they arrived; the first one is shown. Each has the request's `params`,
-- `client_id` and `id`, the waiting coroutine `thread`, and, once it has been shown, its `buffer`.
local questions = {}

local is_polling = false

local function who(question)
  return names.printable(question.params.agent or "An agent")
end

local function files_of(question)
  local count = #question.params.files
  local noun = count == 1 and "1 file" or count .. " files"
  return ("%s (+%d -%d)"):format(noun, question.params.added, question.params.removed)
end

-- Returns the id of the request that is being handled. Neovim does not pass it to handlers, but has the message in a
-- variable of the function that runs this coroutine. Returns nil if a later Neovim does not.
local function request_id()
  for level = 2, 20 do
    local info = debug.getinfo(level, "f")
    if not info then
      return nil
    end
    for index = 1, 60 do
      local name, value = debug.getupvalue(info.func, index)
      if not name then
        break
      elseif name == "decoded" and type(value) == "table" and value.method == "multiEdit/confirm" then
        return value.id
      end
    end
  end
end

-- The window ------------------------------------------------------------------------------------------------------------

local keys = "ga: apply   gr: reject, with a reason if you type one   q: answer later"
local more_keys = "x: leave out the change at the cursor, or take it again"

local function file_line(file)
  local old_path = file.oldUri and vim.uri_to_fname(file.oldUri)
  return "  " .. names.describe(vim.tbl_extend("force", file, { path = vim.uri_to_fname(file.uri), old_path = old_path }))
end

-- Returns the lines of a question's buffer, and how many of them are above the diff.
local function lines_of(question)
  local params = question.params
  local lines = { ("%s asks to apply: %s"):format(who(question), notice.cut(params.label, 200)) }
  vim.list_extend(lines, vim.tbl_map(file_line, params.files))
  vim.list_extend(lines, params.hunks and { "", keys, more_keys, "" } or { "", keys, "" })
  local diff = vim.split(params.diff, "\n", { plain = true, trimempty = true })
  local above = #lines
  return vim.list_extend(lines, diff), above
end

local function winbar_of(question)
  local text = ("%s asks about %s"):format(who(question), files_of(question))
  if question.deadline then
    text = text .. os.date(" until %H:%M:%S", question.deadline)
  end
  if #questions > 1 then
    text = ("%s, %d more waiting"):format(text, #questions - 1)
  end
  return (text .. ". ga: apply, gr: reject"):gsub("%%", "%%%%")
end

-- Runs a function that opens or closes a window without scrolling the others.
local function without_scrolling(change)
  local old = vim.o.splitkeep
  vim.o.splitkeep = "screen"
  local ok, result = pcall(change)
  vim.o.splitkeep = old
  return ok and result or nil
end

local function map(buffer, lhs, action, desc)
  vim.keymap.set("n", lhs, action, { buffer = buffer, nowait = true, desc = desc })
end

local answer_one, answer_with_reason

local function create_buffer(question)
  local buffer = vim.api.nvim_create_buf(false, true)
  local lines, above = lines_of(question)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, true, lines)
  vim.bo[buffer].bufhidden = "hide"
  vim.bo[buffer].undolevels = -1
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].filetype = "diff"
  pcall(vim.api.nvim_buf_set_name, buffer, "multi-edit://question")
  -- The keys belong to this question, even if its buffer can't be deleted at once when it ends.
  map(buffer, "ga", function()
    local answer = #question.refused() > 0 and answer_with_reason or answer_one
    answer(question, "apply")
  end, "Apply the agent's edit")
  map(buffer, "gr", function()
    answer_with_reason(question, "reject")
  end, "Reject the agent's edit")
  question.refused = choice.offer(buffer, question.params.hunks or {}, above)
  map(buffer, "q", function()
    -- The last window can't be closed. Without its buffer, it shows another one.
    if not pcall(vim.api.nvim_win_close, 0, true) then
      vim.api.nvim_buf_delete(buffer, { force = true })
    end
  end, "Close the window and answer later")
  vim.api.nvim_create_autocmd("BufUnload", {
    buffer = buffer,
    -- `:bdelete` would leave an empty buffer.
    callback = vim.schedule_wrap(function()
      if vim.api.nvim_buf_is_valid(buffer) then
        vim.api.nvim_buf_delete(buffer, { force = true })
      end
    end),
  })
  return buffer
end

local function has_buffer(question)
  return question.buffer ~= nil and vim.api.nvim_buf_is_loaded(question.buffer)
end

-- Returns the window of the current tab page that shows the question, or nil. Users can show something else in the
-- window that was opened for it.
local function window_of(question)
  local window = has_buffer(question) and vim.fn.bufwinid(question.buffer) or -1
  return window ~= -1 and window or nil
end

-- Updates the line above the diff, which says how many questions wait.
local function update_winbar()
  local question = questions[1]
  if question and has_buffer(question) then
    for _, window in ipairs(vim.fn.win_findbuf(question.buffer)) do
      vim.wo[window][0].winbar = winbar_of(question)
    end
  end
end

-- Opens the window without moving the cursor there. Returns whether it is open.
local function show(question)
  if window_of(question) then
    return true
  end
  if not has_buffer(question) then
    question.buffer = create_buffer(question)
  end
  question.sizes = { count = vim.fn.winnr("$"), command = vim.fn.winrestcmd(), tab = vim.api.nvim_get_current_tabpage() }
  local half = math.max(math.floor(vim.o.lines / 2), 5)
  local height = math.min(vim.api.nvim_buf_line_count(question.buffer) + 1, half)
  local window = without_scrolling(function()
    return vim.api.nvim_open_win(question.buffer, false, { split = "below", win = -1, height = height })
  end)
  if not window then
    return false
  end
  update_winbar()
  local options = vim.wo[window][0]
  options.number, options.relativenumber, options.signcolumn = false, false, "no"
  options.wrap, options.spell, options.list, options.foldenable = false, false, false, false
  return true
end

-- Removes the question's windows and buffer; the other windows get their sizes back, and the cursor its place. The last
-- window can't be closed, so it gets another buffer. In the command-line window, no other window can be closed, so the
-- buffer stays until the user leaves.
local function hide(question)
  if not has_buffer(question) then
    return
  end
  local buffer, sizes = question.buffer, question.sizes
  local was_there = vim.api.nvim_get_current_buf() == buffer
  without_scrolling(function()
    for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
      pcall(vim.api.nvim_win_close, window, true)
    end
    vim.api.nvim_buf_delete(buffer, { force = true })
    if sizes.tab == vim.api.nvim_get_current_tabpage() and sizes.count == vim.fn.winnr("$") then
      vim.cmd(sizes.command)
    end
  end)
  if has_buffer(question) and vim.fn.getcmdwintype() ~= "" then
    vim.api.nvim_create_autocmd("CmdwinLeave", {
      once = true,
      callback = vim.schedule_wrap(function()
        hide(question)
      end),
    })
  elseif was_there and question.from and vim.api.nvim_win_is_valid(question.from) then
    vim.api.nvim_set_current_win(question.from)
  end
end

-- The queue -------------------------------------------------------------------------------------------------------------

-- Reports whether the user is in the middle of something: typing text, a command line or a command of several keys,
-- recording keys, or in the command-line window, where no window can be opened. In a terminal, the window opens at once:
-- no message can be seen there, and the keys still go to the terminal.
local function is_busy()
  local mode = vim.api.nvim_get_mode()
  return mode.blocking
    or not vim.tbl_contains({ "n", "nt", "t" }, mode.mode)
    or vim.fn.reg_recording() ~= ""
    or vim.fn.getcmdwintype() ~= ""
    or vim.fn.state("mo") ~= ""
end

local function poll()
  is_polling = false
  local question = questions[1]
  if not question or question.was_shown then
    return
  end
  if not is_busy() then
    -- If there is no room, the command says so.
    show(question)
    question.was_shown = true
    return notice.show(("%s asks to change %s: :MultiEditQuestion"):format(who(question), files_of(question)))
  end
  is_polling = true
  vim.defer_fn(poll, pause)
end

local function start_polling()
  if not is_polling then
    poll()
  end
end

-- Ends a question: its window disappears, and the server gets the answer.
local function settle(question, result, problem)
  for index, one in ipairs(questions) do
    if one == question then
      table.remove(questions, index)
    end
  end
  hide(question)
  update_winbar()
  if question.timer then
    question.timer:stop()
    question.timer:close()
    question.timer = nil
  end
  -- The server's request ends, and with it this coroutine.
  coroutine.resume(question.thread, result, problem)
  start_polling()
end

-- Ends a question without an answer, and says so.
local function withdraw(question, reason)
  local has_expired = question.deadline and os.time() >= question.deadline
  settle(question, nil, { code = cancelled, message = "The question was withdrawn." })
  reason = reason or has_expired and "has expired" or "was withdrawn"
  notice.show(("The question of %s about %s %s. Nothing was changed."):format(who(question), files_of(question), reason))
end

local function is_open(question)
  return vim.tbl_contains(questions, question)
end

--- Handles `multiEdit/confirm`: answers once the user has decided or the server has withdrawn the question.
function M.confirm(_, params, context)
  local question = { params = params, client_id = context.client_id, thread = coroutine.running(), id = request_id() }
  if params.expiresInMs then
    question.deadline = os.time() + math.floor(params.expiresInMs / 1000)
    question.timer = vim.defer_fn(function()
      question.timer = nil
      if is_open(question) then
        withdraw(question)
      end
    end, params.expiresInMs + patience)
  end
  table.insert(questions, question)
  update_winbar()
  if is_busy() or #questions > 1 then
    local hint = #questions > 1 and "It comes after the open question." or ":MultiEditQuestion"
    notice.show(("%s asks to change %s: %s"):format(who(question), files_of(question), hint))
  end
  vim.schedule(start_polling)
  return coroutine.yield()
end

--- Handles `$/cancelRequest`: withdraws the question.
function M.cancel(_, params, context)
  local own = vim.tbl_filter(function(question)
    return question.client_id == context.client_id
  end, questions)
  for _, question in ipairs(own) do
    -- Without ids, the only open question must be meant, because the server withdraws nothing else.
    if question.id == params.id or (question.id == nil and #own == 1) then
      return withdraw(question)
    end
  end
end

-- Returns the question that is asked now, or nil after saying that there is none.
local function current_question()
  if not questions[1] then
    notice.show("No agent is asking.")
  end
  return questions[1]
end

-- Answers a question, unless it is over.
function answer_one(question, answer, reason)
  if is_open(question) then
    local refused = answer == "apply" and question.refused() or {}
    local result = { answer = answer, reason = reason ~= "" and reason or nil }
    settle(question, vim.tbl_extend("error", result, #refused > 0 and { refused = refused } or {}))
  else
    notice.show("This question is over. Nothing was answered.")
  end
end

-- Asks the user for a reason, and answers a question.
function answer_with_reason(question, answer)
  if not is_open(question) then
    return answer_one(question)
  end
  vim.ui.input({ prompt = "Reason for the agent, or Enter for none: " }, function(reason)
    -- If the question was withdrawn in the meantime, a message has said so.
    if reason ~= nil and is_open(question) then
      answer_one(question, answer, reason)
    end
  end)
end

--- Answers the shown question: `answer` is "apply" or "reject"; `reason` is for the agent, and may be nil.
function M.answer(answer, reason)
  local question = current_question()
  if question and window_of(question) then
    answer_one(question, answer, reason)
  elseif question then
    -- Nobody can agree to what they do not see.
    M.open()
  end
end

--- Opens the window of the question and goes there.
function M.open()
  local question = current_question()
  if not question then
    return
  end
  if not show(question) then
    return notice.show("There is no room for the question's window.", vim.log.levels.WARN)
  end
  question.was_shown = true
  if vim.api.nvim_get_current_buf() ~= question.buffer then
    question.from = vim.api.nvim_get_current_win()
    vim.api.nvim_set_current_win(window_of(question))
  end
end

--- Implements `:MultiEditQuestion`.
function M.command(input)
  local answer, reason = input.args:match("^%s*(%S*)%s*(.-)%s*$")
  if answer == "" then
    M.open()
  elseif answer == "apply" and reason == "" or answer == "reject" then
    M.answer(answer, reason)
  else
    notice.show(":MultiEditQuestion takes apply, or reject and a reason.", vim.log.levels.ERROR)
  end
end

--- Withdraws the questions of servers that have ended, from now on.
function M.watch()
  vim.api.nvim_create_autocmd("LspDetach", {
    group = vim.api.nvim_create_augroup("multi_edit_question", {}),
    callback = vim.schedule_wrap(function()
      for _, question in ipairs(vim.list_slice(questions)) do
        if not vim.lsp.get_client_by_id(question.client_id) then
          withdraw(question, "ended with its server")
        end
      end
    end),
  })
end

return M
