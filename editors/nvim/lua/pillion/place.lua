--- From a line of output to the place in a file that it names.
local config = require('pillion.config')
local quickfix = require('pillion.quickfix')

local M = {}

--- A window for a file: the one the command was started from, else another one that is not
--- a float, else a new one.
---@param origin? integer
local function choose(origin)
  local function fit(window)
    return vim.api.nvim_win_is_valid(window)
      and vim.api.nvim_win_get_config(window).relative == ''
      and not vim.b[vim.api.nvim_win_get_buf(window)].pillion
  end
  local here = vim.api.nvim_get_current_win()
  local floats = vim.api.nvim_win_get_config(here).relative ~= ''
  local candidates = vim.list_extend({ origin }, vim.api.nvim_tabpage_list_wins(0))
  for _, window in ipairs(candidates) do
    if fit(window) then
      vim.api.nvim_set_current_win(window)
      return floats and vim.api.nvim_win_close(here, false)
    end
  end
  vim.cmd('aboveleft split')
end

--- Goes to what the line of the cursor names, by 'errorformat', else to the file under
--- the cursor.
---@param run pillion.Run
function M.jump(run)
  local line = vim.api.nvim_get_current_line()
  local item = quickfix.parse({ line }, run.spec.cwd, config.get().errorformat or vim.o.errorformat)[1]
  local path, row, column
  if item and item.valid == 1 then
    path, row, column = vim.api.nvim_buf_get_name(item.bufnr), item.lnum, item.col
  else
    local name = vim.fn.expand('<cfile>')
    path = name ~= '' and vim.fs.normalize(name:sub(1, 1) == '/' and name or vim.fs.joinpath(run.spec.cwd, name))
    row = tonumber(line:match(vim.pesc(name) .. ':(%d+)'))
  end
  if not path or vim.fn.filereadable(path) == 0 then
    return vim.notify('pillion: this line names no file', vim.log.levels.WARN)
  end
  choose(run.view and run.view.origin)
  vim.cmd.edit(vim.fn.fnameescape(path))
  if row and row > 0 then
    row = math.min(row, vim.api.nvim_buf_line_count(0))
    vim.api.nvim_win_set_cursor(0, { row, math.max(0, (column or 1) - 1) })
  end
end

return M
