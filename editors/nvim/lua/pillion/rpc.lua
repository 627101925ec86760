--- JSON-RPC 2.0 with one child process, over its standard input and output.
--- Callbacks come on the main loop, in the order of the messages.
local framing = require('pillion.framing')

local M = {}

--- The answer to pending requests when the process is gone.
M.lost = { code = 0, message = 'the sidecar ended', lost = true }

---@class pillion.RpcHandlers
---@field notification fun(method: string, params: table)
---@field request fun(method: string, params: table, id: string|integer)
---@field stderr fun(text: string)
---@field exit fun(code: integer, signal: integer, broken?: string)

---@class pillion.Connection
---@field private pending table<integer, fun(err?: table, result?: any)>
---@field private next_id integer
---@field private process vim.SystemObj?
---@field private handlers pillion.RpcHandlers
local Connection = {}
Connection.__index = Connection

--- A mistake in what one message leads to, an autocommand of the user's included, must not
--- cost the messages after it.
local function guarded(call, ...)
  local ok, why = xpcall(call, debug.traceback, ...)
  if not ok then
    vim.schedule(function()
      vim.notify('pillion: ' .. why, vim.log.levels.ERROR)
    end)
  end
end

--- Starts a process; nil and why if there is none to start.
---@param cmd string[]
---@param opts { env?: table<string, string> }
---@param handlers pillion.RpcHandlers
---@return pillion.Connection?, string?
function M.start(cmd, opts, handlers)
  local self = setmetatable({ pending = {}, next_id = 1, handlers = handlers, arrived = {} }, Connection)
  local feed = framing.decoder(function(body)
    self:arrive(body)
  end)
  local started, process = pcall(vim.system, cmd, {
    stdin = true,
    env = opts.env,
    stdout = function(_, chunk)
      self:read(feed, chunk)
    end,
    stderr = function(_, chunk)
      if chunk then
        vim.schedule_wrap(handlers.stderr)(chunk)
      end
    end,
  }, function(done)
    vim.schedule(function()
      self:gone(done)
    end)
  end)
  if not started then
    return nil, tostring(process)
  end
  self.process, self.pid = process, process.pid
  return self
end

--- In a callback of libuv, where the editor must not be touched.
---@private
function Connection:read(feed, chunk)
  if not chunk or self.broken then
    return
  end
  local ok, why = pcall(feed, chunk)
  if not ok then
    self.broken = tostring(why):gsub('^.-:%d+: ', '')
    self.process:kill('sigkill')
    vim.schedule(function() -- its end may not be told while somebody else has its output open
      self:gone({ code = 0, signal = 9 })
    end)
  end
end

--- Many messages that come together take one turn of the main loop.
---@private
function Connection:arrive(body)
  table.insert(self.arrived, vim.json.decode(body, { luanil = { object = true, array = true } }))
  if #self.arrived == 1 then
    vim.schedule(function()
      local messages = self.arrived
      self.arrived = {}
      for _, message in ipairs(messages) do
        guarded(self.dispatch, self, message)
      end
    end)
  end
end

---@private
function Connection:dispatch(message)
  if message.method and message.id ~= nil then
    self.handlers.request(message.method, message.params or {}, message.id)
  elseif message.method then
    self.handlers.notification(message.method, message.params or {})
  elseif message.id ~= nil then
    local callback = self.pending[message.id]
    self.pending[message.id] = nil
    if callback then
      callback(message.error, message.result)
    end
  end
end

---@private
function Connection:gone(done)
  if self.over then
    return
  end
  self.over = true
  local pending = self.pending
  self.process, self.pending = nil, {}
  for _, callback in pairs(pending) do
    guarded(callback, M.lost)
  end
  self.handlers.exit(done.code, done.signal, self.broken)
end

--- A write to a process that has just ended fails silently: its exit says so.
---@private
function Connection:send(message)
  if self.process then
    message.jsonrpc = '2.0'
    local frame = framing.encode(message)
    pcall(self.process.write, self.process, frame)
  end
end

---@param method pillion.Method|string
---@param params table?
---@param callback fun(err?: table, result?: any)
---@return integer id
function Connection:request(method, params, callback)
  local id = self.next_id
  self.next_id = id + 1
  if not self.process then
    vim.schedule(function()
      callback(M.lost)
    end)
    return id
  end
  self.pending[id] = callback
  self:send({ id = id, method = method, params = params })
  return id
end

---@param method pillion.Method|string
---@param params table?
function Connection:notify(method, params)
  self:send({ method = method, params = params })
end

---@param id string|integer
---@param result any
---@param err? { code: integer, message: string }
function Connection:respond(id, result, err)
  self:send({ id = id, result = not err and (result == nil and vim.NIL or result) or nil, error = err })
end

--- From now on there is no listener: open requests are answered as lost, and a sidecar
--- that does not end with its input is killed.
function Connection:abandon()
  local pending, process = self.pending, self.process
  self:close()
  self.pending, self.process = {}, nil
  local function deaf() end
  self.handlers = { notification = deaf, request = deaf, stderr = self.handlers.stderr, exit = deaf }
  for _, callback in pairs(pending) do
    guarded(callback, M.lost)
  end
  if process then
    vim.defer_fn(function()
      process:kill('sigkill')
    end, 3000)
  end
end

--- The end of its input is what the sidecar ends by, and all commands with it.
function Connection:close()
  if self.process then
    pcall(self.process.write, self.process, nil)
  end
end

return M
