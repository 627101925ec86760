--- What the sidecar says by itself: progress, messages, and questions, which it
--- may withdraw.
local log = require('pillion.log')

--- Shows a question and gives how to withdraw it. `reply` may be called once.
---@alias pillion.Asker fun(params: pillion.ApprovalParams, reply: fun(result: pillion.ApprovalResult)): fun()

---@class pillion.Inbox
---@field sinks table<string, fun(event: table)> by progress token
---@field private ask? pillion.Asker
---@field private message? fun(text: string, level: integer)
---@field private questions table<string, fun()>
local Inbox = {}
Inbox.__index = Inbox

---@param ask? pillion.Asker
---@param message? fun(text: string, level: integer)
---@return pillion.Inbox
function Inbox.new(ask, message)
  return setmetatable({ ask = ask, message = message, sinks = {}, questions = {} }, Inbox)
end

local levels = { vim.log.levels.ERROR, vim.log.levels.WARN }

local on = {}

on['$/progress'] = function(self, params)
  local sink = self.sinks[params.token]
  if sink then
    sink(params.value)
  end
end

for _, kind in ipairs({ 'waiting', 'port' }) do
  on['exec/' .. kind] = function(self, params)
    local sink = self.sinks[params.execId] -- it is the token, too
    if sink then
      sink(vim.tbl_extend('error', params, { type = kind }))
    end
  end
end

on['$/cancelRequest'] = function(self, params)
  local withdraw = self.questions[params.id]
  if withdraw then
    withdraw()
  end
end

on['window/showMessage'] = function(self, params)
  log.add('sidecar', params.message)
  if self.message then
    self.message(params.message, levels[params.type] or vim.log.levels.INFO)
  end
end

on['window/logMessage'] = function(_, params)
  log.add('sidecar', params.message)
end

on['$/logTrace'] = function(_, params)
  log.add('trace', params.message .. (params.verbose and '\n' .. params.verbose or ''))
end

---@param method string
---@param params table
function Inbox:notification(method, params)
  if on[method] then
    on[method](self, params)
  end
end

---@param connection pillion.Connection
---@param method string
---@param params table
---@param id string|integer
function Inbox:request(connection, method, params, id)
  if method ~= 'exec/requestApproval' or not self.ask then
    return connection:respond(id, nil, { code = -32601, message = 'method not found' })
  end
  local open = true
  local withdraw = self.ask(params, function(result)
    if open then
      open, self.questions[id] = false, nil
      connection:respond(id, result)
    end
  end)
  self.questions[id] = open and function()
    open, self.questions[id] = false, nil
    withdraw()
  end or nil
end

function Inbox:withdraw_all()
  for _, withdraw in pairs(vim.deepcopy(self.questions)) do
    withdraw()
  end
end

return Inbox
