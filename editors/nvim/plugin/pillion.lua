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

local group = vim.api.nvim_create_augroup('pillion', {})
local policy_files = { '.pillion.toml', '*/pillion/policy.toml' }
vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile' }, {
  group = group,
  pattern = policy_files,
  desc = 'pillion: a language server for policy files',
  callback = function(event)
    require('pillion.policy').attach(event.buf)
  end,
})
vim.api.nvim_create_autocmd('BufWritePost', {
  group = group,
  pattern = policy_files,
  desc = 'pillion: a policy holds when it is saved',
  callback = function(event)
    require('pillion.policy').saved(event.match)
  end,
})

for _, name in ipairs({ 'run', 'rerun', 'retry', 'cancel', 'output', 'quickfix', 'log' }) do
  vim.keymap.set('n', ('<Plug>(pillion-%s)'):format(name), ('<Cmd>Pillion %s<CR>'):format(name), {
    desc = 'pillion: ' .. name,
  })
end
