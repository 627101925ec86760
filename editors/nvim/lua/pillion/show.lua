--- A command in a window, from its first byte to the line that says how it ended.
local config = require('pillion.config')
local output = require('pillion.output')
local quickfix = require('pillion.quickfix')
local runs = require('pillion.runs')
local status = require('pillion.status')
local summary = require('pillion.summary')
local text = require('pillion.text')

local M = {}

---@class pillion.Seen
---@field title string
---@field spec pillion.Spec without pty
---@field kept table the output
---@field origin integer the window that it was started from

---@param spec pillion.Spec
---@return string
local function title_of(spec)
  return spec.command or table.concat(spec.argv, ' ')
end

--- Keys in the output buffer that are not the terminal's.
local function map(view, run)
  vim.keymap.set('n', '<C-c>', function()
    run:cancel()
  end, { buffer = view.buffer, desc = 'pillion: cancel this command' })
  for _, lhs in ipairs({ '<CR>', 'gf' }) do
    vim.keymap.set('n', lhs, function()
      require('pillion.place').jump(run)
    end, { buffer = view.buffer, desc = 'pillion: go to the place that this line names' })
  end
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = view.buffer,
    desc = 'pillion: a command that cannot be seen any more is ended',
    callback = function()
      run:cancel()
    end,
  })
end

--- The terminal of the command has the size of its window.
local function keep_size(view, run)
  local size = view:size()
  local group = vim.api.nvim_create_augroup('pillion-size-' .. view.buffer, { clear = true })
  vim.api.nvim_create_autocmd({ 'WinResized', 'VimResized', 'BufWinEnter' }, {
    group = group,
    desc = 'pillion: tell the command its new size',
    callback = vim.schedule_wrap(function()
      local now = vim.api.nvim_buf_is_valid(view.buffer) and view:size()
      if run.outcome then
        pcall(vim.api.nvim_del_augroup_by_id, group)
      elseif now and run.exec and not vim.deep_equal(now, size) then
        size = now
        run.exec:resize(now.rows, now.cols)
      end
    end),
  })
end

--- Tells what was refused to a command that still runs a moment later: it may try again for
--- long. Most say it themselves, and end.
local function refused(view, run, event)
  vim.defer_fn(function()
    for _, line in ipairs(not run.outcome and view.channel and event.display or {}) do
      view:say(line.text, '33')
      if #vim.fn.win_findbuf(view.buffer) == 0 then
        vim.notify(text.visible('pillion: ' .. line.text), vim.log.levels.WARN)
      end
    end
  end, 1000)
end

---@param view pillion.View
---@param spec pillion.Spec
---@param outcome pillion.Outcome
local function finish(view, spec, outcome)
  status.finished = { code = summary.code(outcome) }
  local result = outcome.result
  if not vim.api.nvim_buf_is_valid(view.buffer) then
    return
  elseif outcome.error then
    require('pillion.verdict').refusal(outcome.error):show(view.buffer)
    return
  end
  if not view.channel then -- it was lost before it began
    view:terminal(title_of(spec), function() end, true)
  end
  view:reset()
  local good = result and summary.code(outcome) == 0
  local lines = result and summary.lines(result) or { 'interrupted: ' .. outcome.interrupted .. ' (:Pillion rerun)' }
  for i, line in ipairs(lines) do
    view:say(line, i == #lines and (good and '32' or '31') or '33')
  end
  if vim.api.nvim_get_current_buf() == view.buffer and vim.fn.mode() == 't' then
    vim.cmd.stopinsert() -- nobody reads the keys any more
  end
end

--- Tells what a person may have missed.
local function tell(view, spec, outcome)
  if #vim.fn.win_findbuf(view.buffer) == 0 then
    local r, e = outcome.result, outcome.error
    local how = r and summary.ending(r) or e and 'not run: ' .. e.message or 'interrupted'
    local level = summary.code(outcome) == 0 and vim.log.levels.INFO or vim.log.levels.WARN
    vim.notify(text.visible(('pillion: %s: %s'):format(title_of(spec), how)), level)
  end
end

--- Says how to answer, unless the user is typing.
local function waits(view, title, number, event)
  local here = vim.api.nvim_get_current_buf() == view.buffer
  if here and vim.fn.mode() == 't' then
    return
  end
  local how = here and 'i to answer' or (':Pillion output %d to answer'):format(number)
  local line = ('pillion: %s: %s (%s)'):format(title, event.display[1].text, how)
  vim.notify(text.visible(line), vim.log.levels.WARN)
end

---@param spec pillion.Spec without pty
---@param bang? boolean the other kind of window
---@param again? pillion.Again
---@return pillion.Run
function M.run(spec, bang, again)
  local view, kept, run = output.new(), quickfix.keep(), nil
  local title = title_of(spec)
  local seen = { title = title, spec = spec, kept = kept, origin = vim.api.nvim_get_current_win() }
  output.window(view.buffer, bang, title)
  vim.b[view.buffer].pillion_place = { root = spec.root, cwd = spec.cwd }
  local errorformat = config.get().errorformat or vim.o.errorformat
  spec = vim.tbl_extend('force', spec, { pty = view:size() })
  run = runs.start(spec, {
    started = function()
      if not vim.api.nvim_buf_is_valid(view.buffer) then
        return
      end
      title = title_of(spec) -- a person may have edited it
      output.retitle(view.buffer, title)
      output.name(view.buffer, run.number, title)
      seen.title, seen.spec = title, vim.tbl_extend('force', seen.spec, { command = spec.command })
      view:terminal(title, function(bytes)
        run.exec:write(bytes)
      end, run.exec.pty)
      if config.get().output.insert and vim.api.nvim_get_current_buf() == view.buffer then
        vim.cmd.startinsert()
      end
    end,
    output = function(bytes)
      kept.add(bytes)
      view:feed(bytes)
    end,
    gap = function(event)
      view:say(
        ('[%d bytes are not shown (%s): :Pillion full has them]'):format(event.to - event.from, event.reason),
        '33'
      )
    end,
    port = function(event)
      require('pillion.ports').tell(title, event)
    end,
    violation = function(event)
      refused(view, run, event)
    end,
    waiting = function(event)
      waits(view, title, run.number, event)
    end,
    done = function(outcome)
      finish(view, spec, outcome)
      if outcome.result then
        require('pillion.retry').offer(run, bang)
      end
      tell(view, spec, outcome)
      if config.get().quickfix and outcome.result and summary.code(outcome) ~= 0 then
        quickfix.fill(kept.lines(), spec.cwd, title, errorformat)
      end
    end,
  }, view.buffer, again)
  run.view = seen
  output.name(view.buffer, run.number, title)
  map(view, run)
  keep_size(view, run)
  return run
end

--- The run of a number, of this window, or the last one, if its window can be shown.
---@param number? string
---@return pillion.Run?
local function shown(number)
  local run = runs.find(number, vim.api.nvim_get_current_buf())
  if run and run.view and vim.api.nvim_buf_is_valid(run.buffer) then
    return run
  end
  local such = number and number ~= '' and 'there is no output ' .. number .. ': :Pillion list'
  vim.notify('pillion: ' .. (such or 'there is no output: :Pillion run COMMAND'), vim.log.levels.WARN)
end

--- Opens an output again.
---@param bang? boolean
---@param number? string of the run; absent: the last one
function M.again(bang, number)
  local run = shown(number)
  if run then
    output.window(run.buffer, bang, run.view.title)
  end
end

--- Fills the quickfix list with an output and opens it.
---@param number? string
function M.quickfix(number)
  local run = runs.find(number, vim.api.nvim_get_current_buf())
  if not run or not run.view then
    return vim.notify('pillion: there is no output: :Pillion run COMMAND', vim.log.levels.WARN)
  end
  local places = quickfix.fill(run.view.kept.lines(), run.view.spec.cwd, run.view.title)
  vim.cmd('botright copen')
  if places == 0 then
    vim.notify("pillion: no line of the output names a place (see 'errorformat')", vim.log.levels.WARN)
  end
end

--- A list of the newest commands to choose an output from.
---@param bang? boolean
function M.list(bang)
  local items = {}
  for _, run in ipairs(runs.recent) do
    if run.view and vim.api.nvim_buf_is_valid(run.buffer) then
      local r = run.outcome and run.outcome.result
      local how = r and summary.ending(r) or run.outcome and 'not run' or 'running'
      local label = ('%3d  %-12s %s'):format(run.number, how, vim.fn.strcharpart(text.visible(run.view.title), 0, 60))
      table.insert(items, { label = label, run = run })
    end
  end
  local function choose(item)
    if item then
      output.window(item.run.buffer, bang, item.run.view.title)
    end
  end
  local menu = require('pillion.menu')
  if #items == 0 then
    vim.notify('pillion: nothing has run yet: :Pillion run COMMAND', vim.log.levels.WARN)
  elseif menu.built_in() then
    menu.open(require('pillion.page').new(), 'pillion: commands', items, choose)
  else
    vim.ui.select(items, {
      prompt = 'pillion: commands',
      kind = 'pillion.list',
      format_item = function(item)
        return item.label
      end,
    }, choose)
  end
end

return M
