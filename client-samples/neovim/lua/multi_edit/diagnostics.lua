-- Tells what the other language servers report before and after a call, so that an agent learns what its call has broken.

local M = {}

local name = "multi_edit_ls"

-- Milliseconds to wait for a server's first report after a call, and for the end of its reports.
local first_ms, quiet_ms = 1000, 300

-- By client: the number of its server's reports, the time of the last one, and the number when the latest call began.
local reports = setmetatable({}, {
  __index = function(all, id)
    all[id] = { count = 0, at = 0, since = 0 }
    return all[id]
  end,
})

-- By URI: the time at which a document was closed last.
local closed = {}

-- Neovim closes and opens the document of a file that it loads again. A server then says at once that the closed document has
-- no errors, and checks the new text only after that.
local function is_about_closing(report)
  local at = closed[report and report.uri]
  return at and #(report.diagnostics or {}) == 0 and vim.uv.now() - at < 200
end

-- Tables of handlers that count the reports. Clients may share one.
local counting = setmetatable({}, { __mode = "k" })

local function follow(client)
  if counting[client.handlers] or client.name == name then
    return
  end
  counting[client.handlers] = true
  for _, method in ipairs({ "textDocument/publishDiagnostics", "textDocument/diagnostic" }) do
    local own = client.handlers[method]
    client.handlers[method] = function(problem, result, context, ...)
      if not is_about_closing(result) then
        local report = reports[context.client_id]
        report.count, report.at = report.count + 1, vim.uv.now()
      end
      return (own or vim.lsp.handlers[method])(problem, result, context, ...)
    end
  end
end

-- Returns what a client has of its server, by file. Its namespaces are named after it.
local function files_of(client)
  local own, files = ("lsp.%s.%d."):format(client.name, client.id), {}
  for namespace, about in pairs(vim.diagnostic.get_namespaces()) do
    local is_own = vim.startswith(about.name:gsub("^n?vim%.", "") .. ".", own)
    for _, one in ipairs(is_own and vim.diagnostic.get(nil, { namespace = namespace }) or {}) do
      local uri = vim.uri_from_bufnr(one.bufnr)
      local first, last = { line = one.lnum, character = one.col }, { line = one.end_lnum, character = one.end_col }
      files[uri] = files[uri] or { uri = uri, diagnostics = {} }
      table.insert(files[uri].diagnostics, {
        range = { start = first, ["end"] = last },
        severity = one.severity,
        source = one.source,
        code = one.code,
        message = one.message,
      })
    end
  end
  return vim.tbl_values(files)
end

-- Returns the clients of the servers that serve these files, or other files of their types; also of those that are starting.
local function clients_for(uris)
  local names, types = {}, {}
  for _, uri in ipairs(uris) do
    local path = vim.uri_to_fname(uri)
    names[path] = true
    types[vim.filetype.match({ filename = path }) or path] = true
  end
  return vim.tbl_filter(function(client)
    local is_served = vim.iter(pairs(client.attached_buffers)):any(function(buffer)
      return names[vim.api.nvim_buf_get_name(buffer)] or types[vim.bo[buffer].filetype]
    end)
    return is_served and client.name ~= name
  end, vim.lsp.get_clients({ _uninitialized = true }))
end

-- Asks a server that reports only what it is asked for.
local function pull(client)
  local provider = (client.server_capabilities or {}).diagnosticProvider
  for buffer in pairs(provider and client.attached_buffers or {}) do
    local document = { uri = vim.uri_from_bufnr(buffer) }
    local params = { textDocument = document, identifier = provider.identifier }
    if vim.fn.has("nvim-0.11") == 1 then
      client:request("textDocument/diagnostic", params, nil, buffer)
    else
      client.request("textDocument/diagnostic", params, nil, buffer)
    end
  end
end

local function answer(clients, is_pending)
  local servers = vim.tbl_map(function(client)
    return { name = client.name, pending = is_pending(client), files = files_of(client) }
  end, clients)
  return { servers = servers }
end

local function is_loading(client)
  local is_silent = reports[client.id].count == 0 and #files_of(client) == 0
  return is_silent or next(client.progress and client.progress.pending or {}) ~= nil
end

local function has_not_reported(client)
  return reports[client.id].count == reports[client.id].since
end

--- Answers the request `multiEdit/diagnostics`: at once before the call, otherwise once the servers have reported.
function M.answer(_, params)
  local clients = clients_for(params.uris)
  if params.waitMs == 0 then
    for _, client in ipairs(clients) do
      follow(client)
      reports[client.id].since = reports[client.id].count
    end
    return answer(clients, is_loading)
  end
  vim.iter(clients):each(pull)
  local thread, start, timer = coroutine.running(), vim.uv.now(), vim.uv.new_timer()
  local function is_awaited(client)
    if has_not_reported(client) then
      return vim.uv.now() - start < first_ms
    end
    return vim.uv.now() - reports[client.id].at < quiet_ms
  end
  local function check()
    -- A server may have ended.
    local running = clients_for(params.uris)
    local is_late = vim.uv.now() - start >= params.waitMs
    if not timer:is_closing() and (is_late or not vim.iter(running):any(is_awaited)) then
      timer:close()
      coroutine.resume(thread, answer(running, has_not_reported))
    end
  end
  timer:start(0, 20, vim.schedule_wrap(check))
  return coroutine.yield()
end

--- Counts the reports of all servers from now on.
function M.watch()
  local group = vim.api.nvim_create_augroup(name .. "_diagnostics", {})
  vim.api.nvim_create_autocmd("LspNotify", {
    group = group,
    callback = function(event)
      if event.data.method == "textDocument/didClose" then
        closed[event.data.params.textDocument.uri] = vim.uv.now()
      end
    end,
  })
  vim.api.nvim_create_autocmd("LspAttach", {
    group = group,
    callback = function(event)
      local client = vim.lsp.get_client_by_id(event.data.client_id)
      if client then
        follow(client)
      end
    end,
  })
end

return M
