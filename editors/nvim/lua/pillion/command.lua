--- :Pillion SUBCOMMAND
local M = {}

---@class pillion.Subcommand
---@field run fun(rest: string, bang: boolean)
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

sub.run = {
  run = function(rest, bang)
    if rest ~= '' then
      return pillion().run(rest, { bang = bang })
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

sub.rerun = {
  run = function(_, bang)
    pillion().rerun({ bang = bang })
  end,
}

sub.cancel = {
  run = function(rest, bang)
    pillion().cancel({ force = bang, all = rest == 'all' })
  end,
  complete = function()
    return { 'all' }
  end,
}

sub.output = {
  run = function(_, bang)
    require('pillion.show').again(bang)
  end,
}

sub.full = {
  run = function(_, bang)
    local run = require('pillion.runs').last
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
  run = function()
    require('pillion.show').quickfix()
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

---@param opts { args: string, bang: boolean }
function M.execute(opts)
  local name, rest = opts.args:match('^(%S*)%s*(.*)$')
  local found = sub[name]
  if not found then
    local names = vim.tbl_keys(sub)
    table.sort(names)
    local sentence = 'pillion: there is no :Pillion %s; there are %s'
    return vim.notify(sentence:format(name, table.concat(names, ', ')), vim.log.levels.ERROR)
  end
  found.run(rest, opts.bang)
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
