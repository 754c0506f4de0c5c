-- Files that other programs change on disk: loads the buffers without unsaved text again, and has Neovim treat a file as
-- read whose changes the server has merged, so that it neither asks nor warns (W11, W12) at the next save.

local notice = require("multi_edit.notice")

local M = {}

local function buffer_of(uri)
  local buffer = vim.uri_to_bufnr(uri)
  return vim.api.nvim_buf_is_loaded(buffer) and buffer or nil
end

local function lines_of(buffer)
  return vim.api.nvim_buf_get_lines(buffer, 0, -1, true)
end

-- Returns the bytes of a buffer's file; nil if it can't be read.
local function bytes_of(buffer)
  local file = io.open(vim.api.nvim_buf_get_name(buffer), "rb")
  local bytes = file and file:read("*a")
  if file then
    file:close()
  end
  return bytes
end

-- Replaces the lines of a buffer one by one where they differ, so that marks, folds and cursors stay with their lines.
local function replace(buffer, lines)
  local before = lines_of(buffer)
  local diff = vim.text and vim.text.diff or vim.diff
  local hunks = diff(table.concat(before, "\n") .. "\n", table.concat(lines, "\n") .. "\n", { result_type = "indices" })
  for i = #hunks, 1, -1 do
    local from, removed, at, added = unpack(hunks[i])
    local start = removed == 0 and from or from - 1
    vim.api.nvim_buf_set_lines(buffer, start, start + removed, true, vim.list_slice(lines, at, at + added - 1))
  end
end

-- Runs `act` and then puts all windows of a buffer back to where they were.
local function in_place(buffer, act)
  local views = {}
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    views[window] = vim.api.nvim_win_call(window, vim.fn.winsaveview)
  end
  act()
  for window, view in pairs(views) do
    vim.api.nvim_win_call(window, function()
      vim.fn.winrestview(view)
    end)
  end
end

-- Has Neovim read a buffer's file, and puts the present text back if the buffer is to keep it. Only reading the file sets
-- the time with which Neovim compares it at the next save. The undo tree gets a step without an effect, which is undone.
local function read_file(buffer, keeps)
  local is_read, text = false, lines_of(buffer)
  local watch = vim.api.nvim_create_autocmd("FileChangedShell", {
    buffer = buffer,
    callback = function()
      is_read = true
      vim.v.fcs_choice = "reload"
    end,
  })
  local now = vim.fn.undotree(buffer).seq_cur
  vim.cmd.checktime(buffer)
  vim.api.nvim_del_autocmd(watch)
  if not is_read or not keeps then
    return
  end
  local is_same = vim.deep_equal(lines_of(buffer), text)
  if not is_same then
    vim.api.nvim_buf_call(buffer, function()
      pcall(vim.cmd.undojoin)
      replace(buffer, text)
    end)
  end
  if vim.fn.undotree(buffer).seq_cur ~= now then
    vim.api.nvim_buf_call(buffer, function()
      vim.cmd("silent undo " .. now)
    end)
  end
  if is_same then
    vim.bo[buffer].modified = false
  end
end

-- Reading a file while text is being typed into its buffer would end the typing, so it waits. If the file then has other
-- bytes than `bytes`, it is not read, because Neovim would no longer ask before it saves over them. `keeps`: true if the
-- buffer keeps its text; otherwise it gets the file's, if it has no unsaved text.
local function read_later(buffer, bytes, keeps)
  local function read()
    local is_loaded = vim.api.nvim_buf_is_loaded(buffer)
    if is_loaded and (keeps or not vim.bo[buffer].modified) and bytes and bytes_of(buffer) == bytes then
      in_place(buffer, function()
        read_file(buffer, keeps)
      end)
    end
  end
  local is_typing = vim.api.nvim_get_mode().mode:find("^[iR]") and vim.api.nvim_get_current_buf() == buffer
  if not is_typing then
    return read()
  end
  vim.api.nvim_create_autocmd({ "InsertLeave", "BufUnload" }, {
    buffer = buffer,
    once = true,
    callback = function(event)
      if event.event == "InsertLeave" then
        vim.schedule(read)
      end
    end,
  })
end

-- Returns the lines of a file with these bytes as Neovim would load them into the buffer; nil if only Neovim itself can.
local function loaded_lines(buffer, bytes)
  local options = vim.bo[buffer]
  local is_plain = (options.fileencoding == "utf-8" or options.fileencoding == "") and not options.bomb
  if not bytes or not is_plain or options.fileformat == "mac" then
    return nil
  end
  local text = options.fileformat == "dos" and bytes:gsub("\r\n", "\n") or bytes
  return vim.split((text:gsub("\n$", "")), "\n", { plain = true })
end

--- Answers the notification `multiEdit/didChangeOnDisk`.
function M.changed(_, params)
  for _, uri in ipairs(params.uris) do
    local buffer = buffer_of(uri)
    if buffer and not vim.bo[buffer].modified then
      local bytes = bytes_of(buffer)
      local can_edit = vim.bo[buffer].modifiable and not vim.bo[buffer].readonly
      local lines = can_edit and loaded_lines(buffer, bytes)
      if lines then
        replace(buffer, lines)
      end
      read_later(buffer, bytes, lines and true)
    end
  end
end

--- Answers the request `multiEdit/adoptDiskText`.
function M.adopt(_, params)
  local buffer = buffer_of(params.uri)
  local bytes = buffer and bytes_of(buffer)
  if not bytes or vim.fn.sha256(bytes) ~= params.hash then
    return { adopted = false }
  end
  read_later(buffer, bytes, true)
  return { adopted = true }
end

--- Implements `:MultiEditMerge`: shows the file on disk beside the buffer, as Neovim's own diff, in which `do` and `dp`
--- take a change to one side. Closing that window says that all of it has been merged as far as the user wants.
--- `notify(method, params)` tells the server.
function M.merge(notify)
  local buffer = vim.api.nvim_get_current_buf()
  local bytes = bytes_of(buffer)
  local lines = loaded_lines(buffer, bytes)
  if not bytes or not lines then
    return notice.show("This file can't be read", vim.log.levels.ERROR)
  end
  local filetype = vim.bo.filetype
  vim.cmd("diffthis | vertical new")
  local disk = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_lines(disk, 0, -1, true, lines)
  local options = { buftype = "nofile", bufhidden = "wipe", filetype = filetype, modified = false, modifiable = false }
  for option, value in pairs(options) do
    vim.bo[disk][option] = value
  end
  vim.api.nvim_buf_set_name(disk, ("on disk: %s"):format(vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ":.")))
  vim.cmd("diffthis | wincmd p")
  vim.api.nvim_create_autocmd("BufWipeout", {
    buffer = disk,
    once = true,
    callback = function()
      for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
        vim.api.nvim_win_call(window, function()
          vim.cmd("diffoff")
        end)
      end
      vim.schedule(function()
        read_later(buffer, bytes, true)
        notify("multiEdit/didMerge", { uri = vim.uri_from_bufnr(buffer), hash = vim.fn.sha256(bytes) })
      end)
    end,
  })
end

local levels = { vim.log.levels.ERROR, vim.log.levels.WARN }

--- Shows a message of the server. One that is too long for a line makes Neovim ask for Enter, so it is cut while somebody is
--- typing.
function M.message(problem, params, ...)
  local is_typing = vim.api.nvim_get_mode().mode:find("^[iR]")
  if is_typing or notice.cut(params.message) == params.message then
    notice.show(params.message, levels[params.type])
    return vim.NIL
  end
  return vim.lsp.handlers["window/showMessage"](problem, params, ...)
end

return M
