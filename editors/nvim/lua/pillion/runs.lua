--- The commands of this Neovim: which run, which was the last, what is told of them.
local Exec = require('pillion.exec')
local config = require('pillion.config')
local session = require('pillion.session')
local summary = require('pillion.summary')
local workspace = require('pillion.workspace')

local M = {}

---@class pillion.Spec
---@field command? string shell text; exactly one of command and argv
---@field argv? string[]
---@field root string
---@field cwd string
---@field env? table<string, string>
---@field pty? { rows: integer, cols: integer }

---@class pillion.Run
---@field spec pillion.Spec
---@field trusted? boolean its folder is
---@field exec? pillion.Exec
---@field outcome? pillion.Outcome
---@field buffer? integer
local Run = {}
Run.__index = Run

---@type pillion.Run[]
local active = {}

---@type pillion.Run?
M.last = nil

---@return pillion.Run[]
function M.active()
  return active
end

---@param name string
---@param run pillion.Run
local function announce(name, run)
  require('pillion.status').changed()
  vim.api.nvim_exec_autocmds('User', {
    pattern = name,
    modeline = false,
    data = {
      command = run.spec.command,
      argv = run.spec.argv,
      cwd = run.spec.cwd,
      root = run.spec.root,
      buffer = run.buffer,
      result = run.outcome and run.outcome.result,
      error = run.outcome and run.outcome.error,
      interrupted = run.outcome and run.outcome.interrupted,
      code = run.outcome and summary.code(run.outcome),
    },
  })
end

--- A folder is open while something runs in it; a command gets no more than that.
--- One that a person is still asked about is not.
local function open_folders()
  local roots = {}
  for _, run in ipairs(active) do
    if run.trusted then
      roots[run.spec.root] = true
    end
  end
  local folders = vim.tbl_keys(roots)
  table.sort(folders)
  session.get():open_folders(folders)
end

---@private
function Run:finish(outcome)
  self.outcome = outcome
  for i, run in ipairs(active) do
    if run == self then
      table.remove(active, i)
    end
  end
  self.handlers.done(outcome)
  announce('PillionRunFinished', self)
end

---@private
function Run:start()
  self.trusted = true
  open_folders()
  local spec = self.spec
  local handlers = vim.tbl_extend('force', self.handlers, {
    done = function(outcome)
      self:finish(outcome)
    end,
  })
  self.exec = Exec.start(session.get(), {
    command = spec.command,
    argv = spec.argv,
    cwd = spec.cwd,
    env = spec.env and next(spec.env) and spec.env or nil,
    pty = spec.pty,
    timeoutMs = config.get().timeout_ms,
  }, handlers)
end

---@param force? boolean
function Run:cancel(force)
  self.cancelled = true
  if self.exec then
    self.exec:cancel(force)
  end
end

--- Runs a command, in a folder that a person trusts.
---@param spec pillion.Spec
---@param handlers pillion.ExecHandlers
---@param buffer? integer in which it is seen
---@return pillion.Run
function M.start(spec, handlers, buffer)
  local run = setmetatable({ spec = spec, handlers = handlers, buffer = buffer }, Run)
  table.insert(active, run)
  M.last = run
  announce('PillionRunStarted', run)
  workspace.ask(spec.root, function(trusted)
    if run.cancelled then
      run:finish({ error = { code = -32800, message = 'cancelled before it was started' } })
    elseif not trusted then
      local message = ('%s is not trusted: run it again and say yes, or see :Pillion trust'):format(spec.root)
      run:finish({ error = { code = 0, message = message, data = { kind = 'untrusted', started = false } } })
    else
      run:start()
    end
  end)
  return run
end

--- The run to cancel: that of the buffer, else the newest that is not over.
---@param buffer integer
---@return pillion.Run?
function M.of(buffer)
  for _, run in ipairs(active) do
    if run.buffer == buffer then
      return run
    end
  end
  return active[#active]
end

return M
