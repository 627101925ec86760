--- The commands of this Neovim: which run, which was the last, what is shown of them.
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
---@field stdin? pillion.StdinParams

---@class pillion.Run
---@field number integer by which a person names it
---@field spec pillion.Spec
---@field folders string[] that were open when it began
---@field again? pillion.Again it is a run that has ended, with what that was refused
---@field undo? string names what it changed, or what an undo of it did
---@field view? pillion.Seen the window it had
---@field trusted? boolean its folder is
---@field exec? pillion.Exec
---@field outcome? pillion.Outcome
---@field buffer? integer
local Run = {}
Run.__index = Run

---@type pillion.Run[]
local active = {}

--- The newest runs, the last one first; of older ones nothing is kept.
---@type pillion.Run[]
M.recent = {}

local most_recent, serial = 20, 0

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

--- A folder is open while a command runs in it; the command gets no other. A folder that a
--- person is still asked about is not open.
---@param others? string[] that are open besides
---@return string[]
local function open_folders(others)
  local roots = {}
  for _, root in ipairs(others or {}) do
    roots[root] = true
  end
  for _, run in ipairs(active) do
    if run.trusted then
      roots[run.spec.root] = true
    end
  end
  local folders = vim.tbl_keys(roots)
  table.sort(folders)
  session.get():open_folders(folders)
  return folders
end

--- Opens the folders of a run that is over, for a question about it.
---@param run pillion.Run
---@return fun() done closes them
function M.open(run)
  open_folders(run.folders)
  return function()
    open_folders()
  end
end

---@private
function Run:finish(outcome)
  self.outcome = outcome
  for i, run in ipairs(active) do
    if run == self then
      table.remove(active, i)
    end
  end
  self.undo = vim.tbl_get(outcome, 'result', 'effects', 'id')
  require('pillion.quit').guard(active)
  self.handlers.done(outcome)
  announce('PillionRunFinished', self)
end

---@private
function Run:start()
  self.trusted = true
  self.folders = open_folders()
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
    stdin = spec.stdin,
    timeoutMs = config.get().timeout_ms,
  }, handlers, self.again)
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
---@param again? pillion.Again
---@return pillion.Run
function M.start(spec, handlers, buffer, again)
  serial = serial + 1
  local run = { number = serial, spec = spec, handlers = handlers, buffer = buffer, folders = {}, again = again }
  setmetatable(run, Run)
  table.insert(active, run)
  M.last = run
  M.remember(run)
  require('pillion.quit').guard(active)
  announce('PillionRunStarted', run)
  local refusal = config.refusal()
  if refusal then
    vim.schedule(function()
      local message = refusal .. ': nothing runs until they are corrected'
      run:finish({ error = { code = 0, message = message, data = { kind = 'settings', started = false } } })
    end)
    return run
  end
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

---@param run pillion.Run
---@return string
function M.title(run)
  return run.spec.command or table.concat(run.spec.argv, ' ')
end

--- Keeps a run among the newest ones. The window of one that is forgotten goes, unless it
--- is the current one.
---@param run pillion.Run
function M.remember(run)
  table.insert(M.recent, 1, run)
  for i = #M.recent, most_recent + 1, -1 do
    local old = M.recent[i]
    if old.outcome then
      table.remove(M.recent, i)
      if old.view and vim.api.nvim_buf_is_valid(old.buffer) and #vim.fn.win_findbuf(old.buffer) == 0 then
        vim.api.nvim_buf_delete(old.buffer, { force = true })
      end
    end
  end
end

--- The run of a number, else that of a buffer, else the last one.
---@param number? integer|string
---@param buffer? integer
---@return pillion.Run?
function M.find(number, buffer)
  if number and number ~= '' then
    for _, run in ipairs(M.recent) do
      if run.number == tonumber(number) then
        return run
      end
    end
    return nil
  end
  for _, run in ipairs(M.recent) do
    if run.buffer and run.buffer == buffer then
      return run
    end
  end
  return M.last
end

--- A person has edited a command that was asked about: that is what runs, and runs again.
---@param id string
---@param command string
function M.edited(id, command)
  for _, run in ipairs(active) do
    if run.exec and run.exec.id == id then
      run.spec.command = command
    end
  end
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
