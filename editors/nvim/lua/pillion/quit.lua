--- Quitting ends the commands that run, so Neovim asks first: as with text that is not
--- written, `:qa` says which ones run, and `:qa!` quits.
local text = require('pillion.text')

local M = {}

local buffer ---@type integer?

local function lines_of(runs)
  local lines = { 'These commands still run:', '' }
  for _, run in ipairs(runs) do
    local title = run.spec.command or table.concat(run.spec.argv, ' ')
    table.insert(lines, ('  %d  %s'):format(run.number, text.visible(title)))
  end
  return vim.list_extend(lines, { '', '`:Pillion cancel all` ends them, and so does `:qa!`.' })
end

--- A buffer that counts as not written stands for the commands that run.
---@param runs pillion.Run[]
function M.guard(runs)
  if #runs == 0 then
    if buffer and vim.api.nvim_buf_is_valid(buffer) then
      vim.bo[buffer].modified = false
      vim.api.nvim_buf_delete(buffer, { force = true })
    end
    buffer = nil
    return
  end
  if not buffer or not vim.api.nvim_buf_is_valid(buffer) then
    buffer = vim.api.nvim_create_buf(false, false)
    vim.bo[buffer].buftype = 'acwrite'
    vim.bo[buffer].bufhidden = 'hide'
    vim.bo[buffer].swapfile = false
    vim.api.nvim_create_autocmd('BufWriteCmd', {
      buffer = buffer,
      desc = 'pillion: there is nothing to write, the commands still run',
      callback = function() end,
    })
  end
  local name = ('pillion://running/%d'):format(#runs)
  pcall(vim.api.nvim_buf_set_name, buffer, name)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines_of(runs))
  vim.bo[buffer].modified = true
end

return M
