-- Only names: nothing is loaded before it is used.
if vim.g.loaded_pillion then
  return
end
vim.g.loaded_pillion = true

local old = require('pillion.requires').problem()
if old then
  vim.api.nvim_echo({ { old, 'ErrorMsg' } }, true, {})
  return
end

vim.api.nvim_create_user_command('Pillion', function(opts)
  require('pillion.command').execute(opts)
end, {
  nargs = '*',
  range = true,
  bang = true,
  desc = 'Run shell commands in a sandbox (:help pillion)',
  complete = function(...)
    return require('pillion.command').complete(...)
  end,
})

for _, name in ipairs({ 'run', 'rerun', 'retry', 'cancel', 'output', 'quickfix', 'log' }) do
  vim.keymap.set('n', ('<Plug>(pillion-%s)'):format(name), ('<Cmd>Pillion %s<CR>'):format(name), {
    desc = 'pillion: ' .. name,
  })
end
