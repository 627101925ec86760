--- How a command ended, in a line for a person.
local text = require('pillion.text')

local M = {}

---@param s pillion.EffectiveSandbox
local function confinement(s)
  if s.mode == 'off' then
    return 'NOT SANDBOXED (mode off)'
  end
  local network = { allow = 'network allowed', proxy = 'network by address book' }
  local weak = {}
  for _, guarantee in ipairs({ 'fsWrite', 'fsRead', 'processTree', 'network' }) do
    local level = s[guarantee]
    if level ~= 'enforced' and not (guarantee == 'network' and s.networkMode == 'allow') then
      table.insert(weak, guarantee .. ' ' .. level)
    end
  end
  local line = s.mode .. ', ' .. (network[s.networkMode] or 'network denied')
  return #weak == 0 and line or line .. ', NOT FULLY ENFORCED: ' .. table.concat(weak, ', ')
end

---@param r pillion.ExecResult
---@return string
function M.ending(r)
  local status = r.signal and 'killed by ' .. r.signal or r.exitCode and 'exit ' .. r.exitCode or 'no status'
  if r.reason == 'exited' then
    return status
  end
  return ('%s (%s)'):format(r.reason == 'timedOut' and 'timed out' or r.reason, status)
end

---@param ms number
---@return string
function M.duration(ms)
  return ms < 1000 and ('%d ms'):format(ms) or ('%.1f s'):format(ms / 1000)
end

--- What the sandbox refused, with the setting that would allow it.
---@param v pillion.Violation
---@return string
function M.refused(v)
  local line = v.attribution == 'inferred' and v.op ~= 'connect' and 'probably refused: ' or 'refused: '
  if v.process then
    line = line .. v.process .. ': '
  end
  line = line .. v.op .. ' ' .. (v.path or v.address or '')
  if v.rule then
    line = ('%s (%s)'):format(line, v.rule)
  end
  if v.count > 1 then
    line = ('%s, %d times'):format(line, v.count)
  end
  if v.grant then
    local why = v.grant:match('^none: (.*)')
    line = line .. '; ' .. (why or 'to allow it: ' .. v.grant)
  end
  return text.visible(line)
end

local most = 8

--- All that is to be said below the output.
---@param r pillion.ExecResult
---@return string[]
function M.lines(r)
  local lines = {}
  for i, violation in ipairs(r.violations) do
    if i > most then
      table.insert(lines, ('refused: %d more'):format(#r.violations - most))
      break
    end
    table.insert(lines, M.refused(violation))
  end
  for _, left in ipairs(r.background) do
    table.insert(lines, ('background: %s %s'):format(text.visible(left.name), left.fate))
  end
  table.insert(lines, table.concat({ M.ending(r), M.duration(r.durationMs), confinement(r.sandbox) }, ' · '))
  return lines
end

--- The exit code a shell would return; 125 where nothing was started, as of
--- `pillion exec`.
---@param outcome pillion.Outcome
---@return integer
function M.code(outcome)
  local r = outcome.result
  if not r then
    return outcome.interrupted and 1 or 125
  elseif r.cancelled then
    return 130
  end
  local signal = r.signal and (vim.uv.constants[r.signal] or 0)
  local code = signal and 128 + signal or r.exitCode or 1
  return r.reason ~= 'exited' and code == 0 and 1 or code
end

return M
