-- Drives a headless Neovim, 0.7 or later, through one scenario: opens files, leaves unsaved text in them, attaches the
-- server, sends one call, has Neovim's own code apply the answer, and writes down what its buffers then hold.
-- The scenario is the JSON file in $SCENARIO; what came out is written to $OUTCOME as JSON.

local patience = 60000

local function read_json(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("*a")
  file:close()
  return vim.fn.json_decode(text)
end

local function write_json(path, value)
  local file = assert(io.open(path, "wb"))
  file:write(vim.fn.json_encode(value))
  file:close()
end

-- Neovim 0.7 predates the negotiation of position encodings: there the client is told which one it has. Later ones
-- negotiate it, and `offset_encoding` says what came out.
local function start_client(scenario)
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities.general = capabilities.general or {}
  capabilities.general.positionEncodings = { scenario.encoding }
  local config = {
    name = "multi-edit",
    cmd = scenario.server,
    root_dir = scenario.root,
    capabilities = capabilities,
    offset_encoding = scenario.encoding,
    flags = { debounce_text_changes = 0 },
  }
  local id
  if vim.fn.has("nvim-0.11") == 1 then
    id = vim.lsp.start(config, { attach = false })
  else
    id = vim.lsp.start_client(config)
  end
  assert(id, "the server does not start")
  local function client()
    return vim.lsp.get_client_by_id(id)
  end
  assert(vim.wait(patience, function()
    return client() ~= nil and client().initialized ~= nil
  end, 10), "the server does not answer")
  if vim.fn.has("nvim-0.8") == 0 then
    client().offset_encoding = scenario.encoding
  end
  return client()
end

-- Methods are called with a dot up to 0.10 and with a colon from 0.11 on.
local function ask(client, method, params)
  local answer, problem
  if vim.fn.has("nvim-0.11") == 1 then
    answer, problem = client:request_sync(method, params, patience)
  else
    answer, problem = client.request_sync(method, params, patience)
  end
  assert(answer, problem)
  return answer
end

local function buffer_of(scenario, path)
  return vim.fn.bufnr("^" .. scenario.root .. "/" .. path .. "$")
end

local function buffers(scenario)
  local found = {}
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local name = vim.api.nvim_buf_get_name(buffer)
    if vim.api.nvim_buf_is_loaded(buffer) and name ~= "" then
      found[name:sub(#scenario.root + 2)] = {
        lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, true),
        fileformat = vim.bo[buffer].fileformat,
        endofline = vim.bo[buffer].endofline,
        bomb = vim.bo[buffer].bomb,
        modified = vim.bo[buffer].modified,
      }
    end
  end
  return found
end

local function run(scenario)
  vim.o.hidden = true
  vim.o.fileencodings = "ucs-bom,utf-8"
  for _, path in ipairs(scenario.open) do
    vim.cmd("edit " .. vim.fn.fnameescape(scenario.root .. "/" .. path))
  end
  local client = start_client(scenario)
  for _, path in ipairs(scenario.open) do
    assert(vim.lsp.buf_attach_client(buffer_of(scenario, path), client.id), "not attached to " .. path)
  end
  for _, typed in ipairs(scenario.typed) do
    vim.api.nvim_buf_set_lines(buffer_of(scenario, typed.path), typed.line - 1, typed.line, true, typed.lines)
  end
  local before = buffers(scenario)
  local answer
  if scenario.door == "request" then
    answer = ask(client, "multiEdit/apply", scenario.call)
    if answer.result then
      vim.lsp.util.apply_workspace_edit(answer.result.edit, client.offset_encoding)
    end
  else
    local params = { command = "multiEdit.apply", arguments = { scenario.call } }
    answer = ask(client, "workspace/executeCommand", params)
  end
  local read = {}
  for _, path in ipairs(scenario.open) do
    read[path] = ask(client, "multiEdit/read", { path = path }).result
  end
  return {
    encoding = client.offset_encoding,
    before = before,
    after = buffers(scenario),
    read = read,
    result = answer.result,
    failure = answer.err or answer.error,
  }
end

local ok, outcome = xpcall(function()
  return run(read_json(vim.env.SCENARIO))
end, debug.traceback)
write_json(vim.env.OUTCOME, ok and outcome or { crash = tostring(outcome) })
vim.cmd("qall!")
