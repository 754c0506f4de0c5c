-- The part of a proposed diff that the user refuses.

local M = {}

local namespace = vim.api.nvim_create_namespace("multi_edit_choice")

local function draw(buffer, hunks, refused, above)
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  for _, hunk in ipairs(hunks) do
    if refused[hunk.id] then
      local first, last = above + hunk.diffLines[1] - 1, above + hunk.diffLines[2]
      vim.api.nvim_buf_set_extmark(buffer, namespace, first, 0, {
        end_row = last,
        hl_group = "MultiEditRefused",
        virt_text = { { "left out", "MultiEditRefused" } },
      })
    end
  end
end

--- Maps the key `x` in the buffer of a question, whose diff begins after the line `above`: it leaves out the change at the
--- cursor, or those in the selected lines, or takes them again. Returns a function that returns the ids of those left out.
function M.offer(buffer, hunks, above)
  vim.api.nvim_set_hl(0, "MultiEditRefused", { default = true, link = "Comment" })
  local refused = {}
  local function toggle()
    local first, last = vim.fn.line("v") - above, vim.fn.line(".") - above
    first, last = math.min(first, last), math.max(first, last)
    for _, hunk in ipairs(hunks) do
      if hunk.diffLines[1] <= last and hunk.diffLines[2] >= first then
        refused[hunk.id] = not refused[hunk.id] or nil
      end
    end
    draw(buffer, hunks, refused, above)
    if vim.api.nvim_get_mode().mode ~= "n" then
      vim.api.nvim_feedkeys(vim.keycode("<Esc>"), "n", false)
    end
  end
  vim.keymap.set({ "n", "x" }, "x", toggle, { buffer = buffer, nowait = true, desc = "Leave out the change" })
  return function()
    return vim.tbl_keys(refused)
  end
end

return M
