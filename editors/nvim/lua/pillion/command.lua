--- :Pillion SUBCOMMAND
local M = {}

---@class pillion.Range
---@field first integer
---@field last integer

---@class pillion.Subcommand
---@field run fun(rest: string, bang: boolean, range?: pillion.Range)
---@field ranged? boolean it takes a range
---@field complete? fun(lead: string): string[]

local function pillion()
  return require('pillion')
end

--- Text in a window of its own.
---@param lines string[]
---@param title string
---@param bang boolean
local function page(lines, title, bang)
  local output = require('pillion.output')
  local buffer = output.scratch(title)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
  local window = output.window(buffer, bang, title)
  vim.api.nvim_win_set_cursor(window, { math.max(1, vim.api.nvim_buf_line_count(buffer)), 0 })
end

---@type table<string, pillion.Subcommand>
M.subcommands = {}
local sub = M.subcommands

--- Names in a command that a person has typed, if they are wanted.
---@param command string
---@return string?
local function typed_text(command)
  if not require('pillion.config').get().expand then
    return command
  end
  local expanded, problem = require('pillion.expand').names(command)
  if problem then
    vim.notify('pillion: ' .. problem, vim.log.levels.ERROR)
  end
  return expanded
end

--- The numbers of commands that can be named.
---@param wanted? fun(run: pillion.Run): boolean
---@return string[]
local function numbers(wanted)
  local found = {}
  for _, run in ipairs(require('pillion.runs').recent) do
    if not wanted or wanted(run) then
      table.insert(found, tostring(run.number))
    end
  end
  return found
end

local function all_numbers()
  return numbers()
end

--- The run that a number names, else that of this window, else the last.
---@param rest string
---@return pillion.Run?
local function run_of(rest)
  return require('pillion.runs').find(rest, vim.api.nvim_get_current_buf())
end

sub.run = {
  ranged = true,
  run = function(rest, bang, range)
    if range and rest == '' then -- the lines are the command
      rest = table.concat(vim.api.nvim_buf_get_lines(0, range.first - 1, range.last, false), '\n')
      return vim.trim(rest) ~= '' and pillion().run(rest, { bang = bang })
    elseif range then
      return vim.notify('pillion: a range is the command itself; :Pillion filter has it as input', vim.log.levels.ERROR)
    elseif rest ~= '' then
      rest = typed_text(rest)
      return rest and pillion().run(rest, { bang = bang })
    end
    vim.ui.input({ prompt = 'pillion run: ' }, function(typed)
      if typed and vim.trim(typed) ~= '' then
        pillion().run(typed, { bang = bang })
      end
    end)
  end,
  complete = function(lead)
    local kind = lead:find('%s') and 'file' or 'shellcmd'
    local word = lead:match('%S*$')
    -- Neovim has a shell expand what has quotes, backticks or braces: it would run
    -- `this` to complete it.
    return word:find('[^%w%._/~+@:,=%-\128-\255]') and {} or vim.fn.getcompletion(word, kind)
  end,
}

sub.filter = {
  ranged = true,
  run = function(rest, _, range)
    local command = rest ~= '' and typed_text(rest)
    if command then
      require('pillion.filter').run(command, range and range.first or 1, range and range.last or vim.fn.line('$'))
    elseif rest == '' then
      vim.notify('pillion: filter takes a command: :%Pillion filter sort', vim.log.levels.ERROR)
    end
  end,
  complete = function(lead)
    return sub.run.complete(lead)
  end,
}

sub.rerun = {
  run = function(_, bang)
    pillion().rerun({ bang = bang })
  end,
}

sub.retry = {
  complete = all_numbers,
  run = function(rest, bang)
    pillion().retry({ bang = bang, number = rest })
  end,
}

sub.cancel = {
  run = function(rest, bang)
    local number = tonumber(rest)
    if rest ~= '' and rest ~= 'all' and not number then
      return vim.notify('pillion: cancel takes a number or all: :Pillion list', vim.log.levels.ERROR)
    end
    pillion().cancel({ force = bang, all = rest == 'all', number = number })
  end,
  complete = function()
    local running = numbers(function(run)
      return not run.outcome
    end)
    return vim.list_extend({ 'all' }, running)
  end,
}

sub.list = {
  run = function(_, bang)
    require('pillion.show').list(bang)
  end,
}

sub.undo = {
  run = function(rest, bang)
    require('pillion.undo').undo(run_of(rest), { force = bang })
  end,
  complete = all_numbers,
}

sub.review = {
  run = function(rest, bang)
    require('pillion.undo').review(run_of(rest), bang)
  end,
  complete = all_numbers,
}

sub.output = {
  run = function(rest, bang)
    require('pillion.show').again(bang, rest)
  end,
  complete = all_numbers,
}

sub.full = {
  complete = all_numbers,
  run = function(rest, bang)
    local run = run_of(rest)
    if not run or not run.exec then
      return vim.notify('pillion: there is no output: :Pillion run COMMAND', vim.log.levels.WARN)
    end
    require('pillion.full').read(run.exec, function(lines, problem)
      if lines then
        page(lines, run.spec.command or table.concat(run.spec.argv, ' '), bang)
      else
        vim.notify(problem, vim.log.levels.WARN)
      end
    end)
  end,
}

sub.quickfix = {
  complete = all_numbers,
  run = function(rest)
    require('pillion.show').quickfix(rest)
  end,
}

sub.forward = {
  complete = function()
    return vim.tbl_map(tostring, vim.tbl_keys(require('pillion.ports').open()))
  end,
  run = function(rest, bang)
    local port = tonumber(rest)
    if rest ~= '' and not port then
      return vim.notify('pillion: forward takes a port: :Pillion forward 5173', vim.log.levels.ERROR)
    end
    require('pillion.ports').forward(port, bang)
  end,
}

sub.log = {
  run = function(_, bang)
    page(vim.tbl_map(require('pillion.text').visible, require('pillion.log').lines()), 'pillion log', bang)
  end,
}

sub.restart = {
  run = function()
    pillion().restart()
  end,
}

sub.doctor = {
  run = function(_, bang)
    require('pillion.doctor').run(function(lines)
      page(lines, 'pillion doctor', bang)
    end)
  end,
}

sub.version = {
  run = function()
    require('pillion.doctor').version(function(sentence, level)
      vim.notify(sentence, level)
    end)
  end,
}

sub.trust = {
  run = function()
    local workspace = require('pillion.workspace')
    local root = workspace.current().root
    workspace.trust(root, true, true)
    vim.notify('pillion: commands may run in ' .. root)
  end,
}

sub.distrust = {
  run = function()
    local workspace = require('pillion.workspace')
    local root = workspace.current().root
    workspace.trust(root, false, true)
    local still = workspace.trusted(root)
    vim.notify(('pillion: %s is %s'):format(root, still and 'still in the setting `trusted`' or 'not trusted any more'))
  end,
}

---@param opts { args: string, bang: boolean, range?: integer, line1?: integer, line2?: integer }
function M.execute(opts)
  local name, rest = opts.args:match('^(%S*)%s*(.*)$')
  local found = sub[name]
  local names = vim.tbl_keys(sub)
  table.sort(names)
  if name == '' then
    return vim.notify('pillion: :Pillion run COMMAND; the others are ' .. table.concat(names, ', '))
  elseif not found then
    local sentence = 'pillion: there is no :Pillion %s; there are %s'
    return vim.notify(sentence:format(name, table.concat(names, ', ')), vim.log.levels.ERROR)
  end
  local ranged = (opts.range or 0) > 0
  if ranged and not found.ranged then
    return vim.notify(('pillion: :Pillion %s takes no range'):format(name), vim.log.levels.ERROR)
  end
  found.run(rest, opts.bang, ranged and { first = opts.line1, last = opts.line2 } or nil)
end

---@param line string
---@param position integer
---@return string[]
function M.complete(_, line, position)
  local typed = line:sub(1, position):gsub('^.-Pillion!?%s*', '', 1)
  local name, lead = typed:match('^(%S+)%s+(.*)$')
  if name then
    local found = sub[name]
    local words = found and found.complete and found.complete(lead) or {}
    local word = lead:match('%S*$')
    return vim.tbl_filter(function(candidate)
      return vim.startswith(candidate, word)
    end, words)
  end
  local names = vim.tbl_filter(function(candidate)
    return vim.startswith(candidate, typed)
  end, vim.tbl_keys(sub))
  table.sort(names)
  return names
end

return M
