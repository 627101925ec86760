--- How a command ended, in a line for a person.
local M = {}

--- In a few words, for a notification and the list.
---@param r pillion.ExecResult
---@return string
function M.ending(r)
  return (r.display[#r.display].text:match('^(.-) · ') or r.reason)
end

--- The actions for a line here.
local offers = { undo = ' (:Pillion review, undo)', retry = ' (R or :Pillion retry: this once, run again)' }

--- All that is to be said below the output, in the sidecar's words.
---@param r pillion.ExecResult
---@return string[]
function M.lines(r)
  return vim.tbl_map(function(line)
    return line.text .. (offers[line.action] or '')
  end, r.display)
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
