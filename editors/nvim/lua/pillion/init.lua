--- pillion: run shell commands in a sandbox. The functions that a configuration may call;
--- :help pillion has the commands.
local M = {}

--- Optional: every setting may be in vim.g.pillion instead.
---@param settings? table see :help pillion-settings
function M.setup(settings)
  local old = require('pillion.requires').problem()
  if old then
    return vim.api.nvim_echo({ { old, 'ErrorMsg' } }, true, {})
  end
  require('pillion.config').set(settings)
end

---@class pillion.RunOptions
---@field bang? boolean the other kind of window
---@field cwd? string

--- Runs shell text in a window.
---@param command string
---@param opts? pillion.RunOptions
---@return pillion.Run
function M.run(command, opts)
  opts = opts or {}
  if vim.o.autowrite or vim.o.autowriteall then -- as `:!` and `:make` do
    vim.cmd('silent! wall')
  end
  local workspace = require('pillion.workspace')
  local place = opts.cwd and workspace.of(opts.cwd) or workspace.current()
  return require('pillion.show').run({ command = command, root = place.root, cwd = place.cwd }, opts.bang)
end

--- Runs the last command again, in the directory it ran in.
---@param opts? pillion.RunOptions
---@return pillion.Run?
function M.rerun(opts)
  local last = require('pillion.runs').last
  if not last then
    return vim.notify('pillion: nothing has run yet: :Pillion run COMMAND', vim.log.levels.WARN)
  end
  return require('pillion.show').run(last.spec, opts and opts.bang)
end

--- Runs a command again with what the sandbox has refused to it, this once.
---@param opts? { bang?: boolean, number?: integer|string } absent: that of this buffer, else the last
---@return pillion.Run?
function M.retry(opts)
  opts = opts or {}
  local run = require('pillion.runs').find(opts.number, vim.api.nvim_get_current_buf())
  return require('pillion.retry').run(run, opts.bang)
end

--- Ends the command of this buffer, else the newest one.
---@param opts? { force?: boolean, all?: boolean, number?: integer }
function M.cancel(opts)
  opts = opts or {}
  local runs = require('pillion.runs')
  local run = opts.number and runs.find(opts.number) or not opts.number and runs.of(vim.api.nvim_get_current_buf())
  if not run or run.outcome then
    return vim.notify('pillion: no command is running', vim.log.levels.WARN)
  end
  for _, each in ipairs(opts.all and vim.list_slice(runs.active()) or { run }) do
    each:cancel(opts.force)
  end
end

--- Starts the sidecar anew. Commands that run are ended.
function M.restart()
  require('pillion.session').get():restart()
end

--- For the statusline: "pillion runs", or "" before the first command.
---@return string
function M.statusline()
  return require('pillion.status').line()
end

return M
