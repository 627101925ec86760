--- The one sidecar of this Neovim, made of the settings.
local config = require('pillion.config')
local locator = require('pillion.locator')

local M = {}

---@type pillion.Server?
local server

local function locate(callback)
  local path, where = locator.find()
  if not path then
    return callback(nil, where)
  end
  locator.version(path, function(version, problem)
    local settings = config.get().server
    callback(version and {
      cmd = vim.list_extend({ path }, settings.args),
      env = settings.env,
      path = path,
      where = where,
      version = version,
    }, problem)
  end)
end

--- Also a look at the state must not start anything: nil before the first command.
---@return pillion.Server?
function M.existing()
  return server
end

---@return pillion.Server
function M.get()
  if server then
    return server
  end
  server = require('pillion.server').new({
    locate = locate,
    init_options = function()
      return config.get().init_options
    end,
    trace = function()
      return config.get().trace
    end,
    ask = require('pillion.approval').ask,
    message = function(message, level)
      vim.notify(require('pillion.text').visible(message), level)
    end,
    changed = function(state)
      require('pillion.status').changed()
      if state == 'failed' then
        vim.notify(require('pillion.text').visible(server.problem), vim.log.levels.ERROR)
      end
    end,
  })
  vim.api.nvim_create_autocmd('VimLeavePre', {
    desc = 'pillion: end the sidecar and all commands',
    callback = function()
      server:stop()
    end,
  })
  return server
end

return M
