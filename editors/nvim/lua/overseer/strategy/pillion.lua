--- A strategy of overseer.nvim: its tasks run in pillion's sandbox.
---   overseer.new_task({ cmd = 'make', strategy = 'pillion' })
local Output = require('pillion.output')
local runs = require('pillion.runs')
local summary = require('pillion.summary')
local text = require('pillion.text')
local verdict = require('pillion.verdict')
local workspace = require('pillion.workspace')

---@class overseer.PillionStrategy
---@field name string
---@field private view? pillion.View
---@field private active? pillion.Run
local Strategy = {}
Strategy.__index = Strategy

---@return overseer.PillionStrategy
function Strategy.new()
  return setmetatable({}, Strategy)
end

function Strategy:reset()
  self:stop()
  self.view = nil
end

---@return integer?
function Strategy:get_bufnr()
  return self.view and self.view.buffer
end

--- Gives pieces of output to the task: as they come, and as whole lines.
local function dispatcher(task)
  local open = ''
  return function(bytes)
    if not bytes then -- the end: what is left in a last line without an end
      return open ~= '' and task:dispatch('on_output_lines', text.plain(open))
    end
    local lines = vim.split(bytes, '\n', { plain = true })
    task:dispatch('on_output', lines)
    lines[1] = open .. lines[1]
    open = table.remove(lines)
    if #lines > 0 then
      task:dispatch('on_output_lines', text.plain(table.concat(lines, '\n')))
    end
  end
end

local function finish(view, outcome)
  if vim.api.nvim_buf_is_valid(view.buffer) then
    if outcome.error then
      verdict.refusal(outcome.error):show(view.buffer)
    else
      view:reset()
      local lines = outcome.result and summary.lines(outcome.result) or { 'interrupted: ' .. outcome.interrupted }
      for _, line in ipairs(lines) do
        view:say(line, '2')
      end
    end
  end
end

---@param task table overseer.Task
function Strategy:start(task)
  local view = Output.new()
  self.view = view
  local place = workspace.of(task.cwd)
  local spec = {
    command = type(task.cmd) == 'string' and task.cmd or nil,
    argv = type(task.cmd) == 'table' and task.cmd or nil,
    root = place.root,
    cwd = place.cwd,
    env = task.env,
    pty = { rows = math.max(1, vim.o.lines - 4), cols = math.max(1, vim.o.columns - 4) },
  }
  local dispatch, run = dispatcher(task), nil
  run = runs.start(spec, {
    started = function()
      if vim.api.nvim_buf_is_valid(view.buffer) then
        view:terminal(spec.command or table.concat(spec.argv, ' '), function(bytes)
          run.exec:write(bytes)
        end, run.exec.pty)
      end
    end,
    output = function(bytes)
      view:feed(bytes)
      dispatch(bytes)
    end,
    done = function(outcome)
      dispatch()
      finish(view, outcome)
      if outcome.result then
        require('pillion.retry').offer(run)
      end
      if self.active == run then -- not after stop(), as of overseer's own strategies
        self.active = nil
        task:on_exit(summary.code(outcome))
      end
    end,
  }, view.buffer)
  self.active = run
end

function Strategy:stop()
  local run = self.active
  self.active = nil
  if run then
    run:cancel()
  end
end

function Strategy:dispose()
  self:stop()
  if self.view and vim.api.nvim_buf_is_valid(self.view.buffer) then
    vim.api.nvim_buf_delete(self.view.buffer, { force = true })
  end
end

return Strategy
