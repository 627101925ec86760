--- One command of the sidecar, from the request to its end. It knows no windows; what
--- shows it gets bytes.
local log = require('pillion.log')

---@class pillion.Outcome exactly one of these
---@field result? pillion.ExecResult a process was started, and this is how it ended
---@field error? { code: integer, message: string, data?: table } none was started
---@field interrupted? string the sidecar is gone: nobody knows; it is not run again

---@class pillion.ExecHandlers
---@field started? fun(event: pillion.StartedEvent)
---@field output? fun(bytes: string, stream: string)
---@field gap? fun(event: pillion.GapEvent)
---@field violation? fun(event: pillion.ViolationEvent)
---@field waiting? fun(event: pillion.WaitingParams)
---@field port? fun(event: pillion.PortParams)
---@field done fun(outcome: pillion.Outcome)

---@class pillion.Exec
---@field id string
---@field outcome? pillion.Outcome
---@field ports table<integer, string> that it listens on, and which program does
local Exec = {}
Exec.__index = Exec

local M = {}

-- An acknowledgement is due when half of this has come, see "Flow control" in
-- docs/protocol.md: what is not on the screen yet must not pile up here.
local window = 262144

local serial = 0

local on = {}

function on:started(event)
  if self.handlers.started then
    self.handlers.started(event)
  end
end

function on:output(event)
  self.consumed = self.consumed + event.length
  if self.consumed - self.acknowledged >= window / 2 then
    self.acknowledged = self.consumed
    self.server:notify('exec/ack', { execId = self.id, consumed = self.consumed })
  end
  if self.handlers.output then
    self.handlers.output(event.text or vim.base64.decode(event.data), event.stream)
  end
end

function on:gap(event)
  if self.handlers.gap then
    self.handlers.gap(event)
  end
end

function on:violation(event)
  if self.handlers.violation then
    self.handlers.violation(event)
  end
end

---@private
function Exec:finish(outcome)
  self.server.inbox.sinks[self.id] = nil
  self.outcome = outcome
  self.handlers.done(outcome)
end

function on:waiting(event)
  if self.handlers.waiting then
    self.handlers.waiting(event)
  end
end

function on:port(event)
  self.ports[event.port] = event.listening and event.process or nil
  if self.handlers.port then
    self.handlers.port(event)
  end
end

---@param err? table
---@param result? pillion.ExecResult
---@private
function Exec:answered(err, result)
  if err and err.lost then
    self:finish({ interrupted = 'the sidecar ended while it ran; it is not run again by itself' })
  else
    self:finish({ error = err, result = result })
  end
end

---@private
function Exec:send(params)
  if self.cancelled then
    return self:finish({ error = { code = -32800, message = 'cancelled before it was started' } })
  end
  if not vim.tbl_get(self.server.info, 'capabilities', 'execProvider', 'pty') then
    params.pty, self.pty = nil, false -- there are none on Windows; pipes are what is left
  end
  self.sent = true
  self.server.inbox.sinks[self.id] = function(event)
    if on[event.type] then
      on[event.type](self, event)
    end
  end
  self.server:request(self.method, params, function(err, result)
    self:answered(err, result)
  end)
end

---@class pillion.Again a command that has ended, with what a person gives it this time
---@field execId string
---@field grants pillion.AccessGrant[]

--- Runs a command; `done` is called once, last, and later than this returns.
---@param server pillion.Server
---@param params pillion.ExecParams without execId and partialResultToken
---@param handlers pillion.ExecHandlers
---@param again? pillion.Again
---@return pillion.Exec
function M.start(server, params, handlers, again)
  serial = serial + 1
  local id = ('nvim-%d-%d'):format(vim.fn.getpid(), serial)
  local self = { id = id, server = server, handlers = handlers, consumed = 0, acknowledged = 0, ports = {} }
  self = setmetatable(self, Exec)
  self.method, self.pty = again and 'exec/retry' or 'exec', params.pty ~= nil
  local named = again and { newExecId = id } or { execId = id }
  params = vim.tbl_extend('force', again or params, named, { partialResultToken = id })
  vim.schedule(function()
    server:ready(function(problem)
      if problem then
        self:finish({ error = { code = 0, message = problem, data = { kind = 'noSidecar', started = false } } })
      else
        self:send(params)
      end
    end)
  end)
  return self
end

---@private
function Exec:tell(method, params)
  if self.sent and not self.outcome then
    params.execId = self.id
    self.server:request(method, params, function(err)
      if err and not err.lost then
        log.add('sidecar', ('%s: %s'):format(method, err.message))
      end
    end)
  end
end

--- Lets a port out, to 127.0.0.1 of the machine that the sidecar runs on.
---@param port integer
---@param callback fun(err?: table, result?: pillion.ForwardResult)
function Exec:forward(port, callback)
  self.server:request('exec/forward', { execId = self.id, port = port }, callback)
end

--- Keys, or input. As base64, because not all that is typed is UTF-8.
---@param bytes string
function Exec:write(bytes)
  self:tell('exec/write', { data = vim.base64.encode(bytes) })
end

function Exec:close_input()
  self:tell('exec/write', { close = true })
end

---@param rows integer
---@param cols integer
function Exec:resize(rows, cols)
  self:tell('exec/resize', { size = { rows = rows, cols = cols } })
end

---@param force? boolean kill at once
function Exec:cancel(force)
  self.cancelled = true
  self:tell('exec/cancel', { force = force or nil })
end

return M
