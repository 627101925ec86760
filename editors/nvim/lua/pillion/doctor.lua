--- What the sidecar says about itself and this machine.
local locator = require('pillion.locator')
local protocol = require('pillion.protocol')
local text = require('pillion.text')

local M = {}

--- The lines of `pillion doctor`, or the sentence that says why there are none.
---@param callback fun(lines: string[], ok: boolean)
function M.run(callback)
  local path, where = locator.find()
  if not path then
    return callback({ where }, false)
  end
  vim.system({ path, 'doctor' }, { timeout = 30000 }, function(done)
    vim.schedule(function()
      local lines = vim.tbl_map(text.visible, vim.split(vim.trim(done.stdout .. done.stderr), '\n'))
      table.insert(lines, 1, ('%s (%s)'):format(path, where))
      callback(lines, done.code == 0)
    end)
  end)
end

--- One sentence about what is used.
---@param callback fun(sentence: string, level: integer)
function M.version(callback)
  local path, where = locator.find()
  if not path then
    return callback(where, vim.log.levels.ERROR)
  end
  locator.version(path, function(version, problem)
    if problem then
      return callback(problem, vim.log.levels.ERROR)
    end
    local sentence = 'pillion %s, %s (%s); this plugin speaks protocol %d'
    callback(sentence:format(version, path, where, protocol.protocol_version), vim.log.levels.INFO)
  end)
end

--- Whether the binary was built from the types that this plugin was made for.
---@param path string
---@return boolean
function M.same_types(path)
  local types = vim.system({ path, 'schema', '--format=lua' }, { timeout = 5000 }):wait()
  return (types.stdout or ''):find(protocol.schema_hash, 1, true) ~= nil
end

return M
