--- What a command did to files: looked at, and taken back.
local Page = require('pillion.page')
local runs = require('pillion.runs')
local session = require('pillion.session')
local text = require('pillion.text')

local M = {}

local function say(sentence, level)
  vim.notify('pillion: ' .. text.visible(sentence), level)
end

--- Asks the sidecar about a run, with the folders open that it ran in.
---@param run? pillion.Run
---@param method pillion.Method
---@param params table
---@param callback fun(result: any)
local function ask(run, method, params, callback)
  if not run then
    return say('there is no such command: :Pillion list', vim.log.levels.WARN)
  elseif not run.undo then
    return say(('%s changed no file that is kept'):format(runs.title(run)), vim.log.levels.WARN)
  end
  local close = runs.open(run)
  params.execId = run.undo
  session.get():ready(function(problem)
    if problem then
      close()
      return say(problem, vim.log.levels.ERROR)
    end
    session.get():request(method, params, function(err, result)
      close()
      if err then
        return say(err.message or 'the sidecar ended', vim.log.levels.ERROR)
      end
      callback(result)
    end)
  end)
end

--- Takes back what a command did; an undo that is undone is a redo.
---@param run? pillion.Run
---@param opts? { force?: boolean, paths?: string[], done?: fun(result: pillion.UndoResult) }
function M.undo(run, opts)
  opts = opts or {}
  ask(run, 'exec/undo', { paths = opts.paths, force = opts.force or nil }, function(result)
    if not opts.paths and #result.left == 0 and result.undoId then
      run.undo = result.undoId
    end
    local lines = { result.text }
    for i, left in ipairs(result.left) do
      if i > 8 then
        table.insert(lines, ('left alone: %d more'):format(#result.left - 8 + (result.leftMore or 0)))
        break
      end
      table.insert(lines, ('left alone: %s: %s'):format(left.path, left.why))
    end
    if #result.left > 0 then
      table.insert(lines, ':Pillion! undo restores what was changed since, too, and keeps what is there now')
    end
    local level = #result.left > 0 and vim.log.levels.WARN or vim.log.levels.INFO
    vim.notify('pillion: ' .. table.concat(vim.tbl_map(text.visible, lines), '\n'), level)
    vim.cmd.checktime()
    if opts.done then
      opts.done(result)
    end
  end)
end

--- The lines of a file for a diff; none of a file that is missing.
---@param path? string
---@return string[]
local function lines_of(path)
  local file = path and io.open(path, 'rb')
  local content = file and file:read(4 * 1024 * 1024) or ''
  if file then
    file:close()
  end
  local lines = vim.split(content, '\n', { plain = true })
  if lines[#lines] == '' then
    table.remove(lines)
  end
  return vim.tbl_map(function(line)
    return (line:gsub('%z', '\n'))
  end, lines)
end

--- The old text beside the new one, in a tab page.
---@param effect pillion.Effect
local function diff(effect)
  local path = effect.to or effect.path
  if effect.why then
    return say(('what was in %s is not kept: %s'):format(path, effect.why), vim.log.levels.WARN)
  end
  vim.cmd.tabedit(vim.fn.fnameescape(path))
  local filetype = vim.bo.filetype
  vim.cmd.diffthis()
  vim.cmd('leftabove vnew')
  local buffer = vim.api.nvim_get_current_buf()
  vim.bo[buffer].buftype, vim.bo[buffer].bufhidden = 'nofile', 'wipe'
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines_of(effect.kept))
  vim.bo[buffer].filetype, vim.bo[buffer].modifiable = filetype, false
  pcall(vim.api.nvim_buf_set_name, buffer, ('pillion://before/%d/%s'):format(buffer, text.visible(effect.path)))
  vim.cmd.diffthis()
end

---@param run pillion.Run
---@param effect pillion.Effect
local function line_of(run, effect)
  local function short(path)
    return text.visible(vim.startswith(path, run.spec.root .. '/') and path:sub(#run.spec.root + 2) or path)
  end
  local line = ('  %-9s %s'):format(effect.kind, short(effect.path))
  return line
    .. (effect.to and ' -> ' .. short(effect.to) or '')
    .. (effect.why and ' (not kept: ' .. effect.why .. ')' or '')
end

--- A page of all that a command did to files.
---@param run? pillion.Run
---@param bang? boolean the other kind of window
function M.review(run, bang)
  ask(run, 'exec/effects', { limit = 1000 }, function(result)
    local page, first = Page.new(), 3
    page:add(text.visible(runs.title(run)), 'PillionAsk')
    page:add('<CR> shows what was there beside it, u takes that line back, U all of it, q closes', 'PillionLabel')
    page:add()
    for _, effect in ipairs(result.effects) do
      page:add(line_of(run, effect))
    end
    if result.more then
      page:add('  and more')
    end
    local output = require('pillion.output')
    local buffer = output.scratch('review')
    page:show(buffer)
    vim.api.nvim_win_set_cursor(output.window(buffer, bang, runs.title(run)), { math.min(first + 1, #page.lines), 0 })
    local function key(lhs, desc, action)
      vim.keymap.set('n', lhs, function()
        action(result.effects[vim.api.nvim_win_get_cursor(0)[1] - first])
      end, { buffer = buffer, nowait = true, desc = 'pillion: ' .. desc })
    end
    key('<CR>', 'show what was there', function(effect)
      if effect then
        diff(effect)
      end
    end)
    key('u', 'take this back', function(effect)
      if effect then
        M.undo(run, { paths = { effect.path, effect.to } })
      end
    end)
    key('U', 'take all of it back', function()
      M.undo(run)
    end)
  end)
end

return M
