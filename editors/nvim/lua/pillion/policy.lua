--- Policy files in a buffer: `pillion policy lsp` marks, mends, completes and explains
--- them, and what is saved holds.
local config = require('pillion.config')
local locator = require('pillion.locator')
local log = require('pillion.log')

local M = {}

--- Gives a buffer its language server. A file must open also where there is no binary.
---@param buffer integer
function M.attach(buffer)
  if not config.get().lsp then
    return
  end
  local path, where = locator.find()
  if not path then
    return log.add('nvim', where)
  end
  locator.version(path, function(version, problem)
    if not version then
      return log.add('nvim', problem)
    elseif vim.api.nvim_buf_is_loaded(buffer) then
      vim.lsp.start({
        name = 'pillion',
        cmd = { path, 'policy', 'lsp' },
        cmd_env = config.get().server.env,
      }, { bufnr = buffer })
    end
  end)
end

--- A policy that was saved is that of the commands to come.
---@param file string
function M.saved(file)
  local server = require('pillion.session').existing()
  if not server or server.state == 'stopped' then
    return -- it reads them when it starts
  elseif vim.fs.basename(file) == '.pillion.toml' then
    return server:reopen_folders()
  end
  local running = #require('pillion.runs').active()
  if running == 0 then
    return server:restart()
  end
  local sentence = 'pillion: %d running, so what you saved holds after :Pillion restart, which ends them'
  vim.notify(sentence:format(running), vim.log.levels.WARN)
end

return M
