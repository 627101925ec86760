--- :checkhealth pillion
local M = {}

local function binary(health)
  local locator = require('pillion.locator')
  local path, where = locator.find()
  if not path then
    return health.error(where)
  end
  local version, problem, answered
  locator.version(path, function(v, p)
    version, problem, answered = v, p, true
  end)
  vim.wait(6000, function()
    return answered
  end, 10)
  if not version then
    return health.error(problem or ('pillion: %s did not say its version: set server.path'):format(path))
  end
  health.ok(('binary: %s, version %s (found: %s)'):format(path, version, where))
  if require('pillion.doctor').same_types(path) then
    health.ok('protocol: the binary was made from the types of this plugin')
  else
    health.info('protocol: the binary is of another build than this plugin; both say protocol versions when they meet')
  end
  return path
end

local function sandbox(health)
  local lines, ok
  require('pillion.doctor').run(function(said, good)
    lines, ok = said, good
  end)
  vim.wait(31000, function()
    return lines
  end, 10)
  for _, line in ipairs(vim.list_slice(lines or {}, 2)) do
    health.info(line)
  end
  if ok then
    health.ok('sandbox: pillion doctor has nothing to complain about')
  else
    health.warn('sandbox: commands cannot be confined in full here', 'pillion doctor says above what is missing')
  end
end

local function state(health)
  local server = require('pillion.session').existing()
  if not server then
    health.info('sidecar: not started yet; the first command starts it')
  elseif server.state == 'failed' then
    health.error(server.problem, ':Pillion log, then :Pillion restart')
  else
    health.ok('sidecar: ' .. server.state)
  end
  local place = require('pillion.workspace').current()
  local trusted = require('pillion.workspace').trusted(place.root)
  health.info(('workspace: %s, %s'):format(place.root, trusted and 'trusted' or 'not trusted yet'))
end

function M.check()
  local health = vim.health
  local old = require('pillion.requires').problem()
  if old then
    local report = health and (health.error or health.report_error) or vim.fn['health#report_error']
    return report(old)
  end
  health.start('pillion')
  local problem = require('pillion.config').problem(type(vim.g.pillion) == 'table' and vim.g.pillion or {})
  if problem then
    health.error(problem)
  end
  if binary(health) then
    sandbox(health)
  end
  state(health)
end

return M
