--- The sidecar of this Neovim: starts it, says hello, starts it again when it
--- ended by itself. Nothing that ran in it is ever run again from here.
local Backoff = require('pillion.backoff')
local Inbox = require('pillion.inbox')
local handshake = require('pillion.handshake')
local log = require('pillion.log')
local rpc = require('pillion.rpc')

---@alias pillion.ServerState 'stopped'|'starting'|'ready'|'waiting'|'failed'

---@class pillion.Located
---@field cmd string[]
---@field env? table<string, string>
---@field path string
---@field version string

---@class pillion.ServerOptions
---@field locate fun(callback: fun(found?: pillion.Located, problem?: string))
---@field init_options fun(): pillion.InitializationOptions
---@field ask? pillion.Asker
---@field message? fun(text: string, level: integer)
---@field changed? fun(state: pillion.ServerState)
---@field trace? fun(): string

---@class pillion.Server
---@field state pillion.ServerState
---@field problem? string why it is 'failed'
---@field info? pillion.InitializeResult
---@field located? pillion.Located
---@field connection? pillion.Connection
---@field inbox pillion.Inbox
---@field folders string[] that are to be open
local Server = {}
Server.__index = Server

-- The exit code for a wrong command line: another start would end the same way.
local usage = 2

---@param options pillion.ServerOptions
---@return pillion.Server
function Server.new(options)
  return setmetatable({
    options = options,
    state = 'stopped',
    backoff = Backoff.new(),
    inbox = Inbox.new(options.ask, options.message),
    folders = {},
    waiting = {},
  }, Server)
end

local settled = { ready = true, failed = true, stopped = true }

---@private
function Server:become(state, problem)
  self.state, self.problem = state, problem
  log.add('nvim', problem or 'the sidecar is ' .. state)
  if self.options.changed then
    self.options.changed(state)
  end
  if settled[state] then
    local waiting = self.waiting
    self.waiting = {}
    for _, callback in ipairs(waiting) do
      callback(state ~= 'ready' and (problem or 'pillion: the sidecar was stopped') or nil)
    end
  end
end

--- Calls back when commands can be run, or with why they can't.
---@param callback fun(problem?: string)
function Server:ready(callback)
  if self.state == 'ready' then
    return callback()
  elseif self.state == 'failed' then
    return callback(self.problem)
  end
  table.insert(self.waiting, callback)
  if self.state == 'stopped' then
    self:start()
  end
end

---@private
function Server:start()
  local attempt = {}
  self.attempt = attempt -- what an earlier one still has to say does not count
  self:become('starting')
  self.options.locate(function(found, problem)
    if self.attempt == attempt then
      self.located = found
      if found then
        self:spawn(found)
      else
        self:become('failed', problem)
      end
    end
  end)
end

---@private
function Server:spawn(found)
  local connection, problem
  connection, problem = rpc.start(found.cmd, { env = found.env }, {
    notification = function(method, params)
      self.inbox:notification(method, params)
    end,
    request = function(method, params, id)
      self.inbox:request(connection, method, params, id)
    end,
    stderr = function(text)
      log.add('sidecar', text)
    end,
    exit = function(code, signal, broken)
      self:exited(code, signal, broken)
    end,
  })
  if not connection then
    return self:become('failed', ('pillion: %s (server.path) does not start: %s'):format(found.path, problem))
  end
  self.connection, self.started_at, self.refused = connection, vim.uv.now(), nil
  self.opened = vim.deepcopy(self.folders)
  handshake.initialize(self, connection, function(info, refused)
    if info then
      self.info = info
      self:become('ready')
      self:tell_folders()
    elseif not refused.lost then -- else `exited` says so
      self.refused = refused.message
      connection:close()
    end
  end)
end

---@private
function Server:exited(code, signal, broken)
  self.connection = nil
  self.inbox:withdraw_all()
  local how = broken and ('with ' .. broken) or signal ~= 0 and 'by signal ' .. signal or 'with code ' .. code
  log.add('nvim', 'the sidecar ended ' .. how)
  if self.refused then
    return self:become('failed', self.refused)
  elseif self.state == 'starting' and code == usage and signal == 0 then
    local args = table.concat(vim.list_slice(self.located.cmd, 2), ' ')
    local sentence = 'pillion: %s does not take the arguments of server.args (%s): correct or remove the setting'
    return self:become('failed', sentence:format(self.located.path, args))
  end
  local now = vim.uv.now()
  local delay = self.backoff:crashed(now, now - self.started_at)
  if not delay then
    local sentence = 'pillion: the sidecar ended %s, for the sixth time: see :Pillion log, then :Pillion restart'
    return self:become('failed', sentence:format(how))
  end
  local attempt = self.attempt
  self:become('waiting')
  vim.defer_fn(function()
    if self.attempt == attempt then
      self:start()
    end
  end, delay)
end

--- Which folders are open for the commands to come.
---@param folders string[]
function Server:open_folders(folders)
  self.folders = folders
  self:tell_folders()
end

--- Lets the policy files of the open folders be read again.
function Server:reopen_folders()
  local folders = self.folders
  self:open_folders({})
  self:open_folders(folders)
end

---@private
function Server:tell_folders()
  if self.state == 'ready' then
    local event = handshake.folders_event(self.opened, self.folders)
    self.opened = vim.deepcopy(self.folders)
    if event then
      self.connection:notify('workspace/didChangeWorkspaceFolders', { event = event })
    end
  end
end

---@param method pillion.Method|string
---@param params table
---@param callback? fun(err?: table, result?: any)
function Server:request(method, params, callback)
  callback = callback or function() end
  if self.connection and self.state == 'ready' then
    self.connection:request(method, params, callback)
  else
    callback(rpc.lost)
  end
end

---@param method pillion.Method|string
---@param params table
function Server:notify(method, params)
  if self.connection and self.state == 'ready' then
    self.connection:notify(method, params)
  end
end

--- Ends the sidecar and with it every command, and waits for that.
function Server:stop()
  local connection = self.connection
  self.attempt, self.connection = nil, nil
  if connection then
    local ended = false
    connection:request('shutdown', nil, function()
      ended = true
      connection:notify('exit')
    end)
    vim.wait(2000, function()
      return ended
    end, 5)
    connection:abandon()
  end
  self.inbox:withdraw_all()
  self:become('stopped')
end

--- A person's restart: what has failed before does not count.
function Server:restart()
  self.backoff:reset()
  self:stop()
  self:start()
end

return Server
