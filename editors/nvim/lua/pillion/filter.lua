--- Lines of a buffer through a command: what it prints takes their place.
local runs = require('pillion.runs')
local summary = require('pillion.summary')
local text = require('pillion.text')
local workspace = require('pillion.workspace')

local M = {}

local most = 8 * 1024 * 1024 -- a message has to hold them

--- Why nothing is replaced, or nil.
---@param outcome pillion.Outcome
---@param errors string[]
local function problem(outcome, errors)
  if outcome.error then
    return 'not run: ' .. outcome.error.message
  elseif not outcome.result then
    return 'interrupted: ' .. outcome.interrupted
  elseif summary.code(outcome) ~= 0 then
    return summary.ending(outcome.result) .. ': ' .. table.concat(errors)
  end
end

--- As `:{range}!`, in the sandbox. If the command fails, the lines stay.
---@param command string
---@param first integer
---@param last integer
---@return pillion.Run?
function M.run(command, first, last)
  local buffer, place = vim.api.nvim_get_current_buf(), workspace.current()
  local input = table.concat(vim.api.nvim_buf_get_lines(buffer, first - 1, last, false), '\n') .. '\n'
  if #input > most then
    return vim.notify('pillion: more than 8 MiB of text', vim.log.levels.ERROR)
  end
  local tick, output, errors = vim.api.nvim_buf_get_changedtick(buffer), {}, {}
  return runs.start({
    command = command,
    root = place.root,
    cwd = place.cwd,
    stdin = { data = vim.base64.encode(input) },
  }, {
    output = function(bytes, stream)
      table.insert(stream == 'stderr' and errors or output, bytes)
    end,
    done = function(outcome)
      local why = problem(outcome, errors)
      if not why and (not vim.api.nvim_buf_is_valid(buffer) or vim.api.nvim_buf_get_changedtick(buffer) ~= tick) then
        why = 'the text was changed meanwhile'
      end
      if why then
        return vim.notify('pillion: ' .. text.visible(why), vim.log.levels.ERROR)
      end
      local lines = vim.split(table.concat(output), '\n', { plain = true })
      if lines[#lines] == '' then
        table.remove(lines)
      end
      vim.api.nvim_buf_set_lines(buffer, first - 1, last, false, lines)
    end,
  })
end

return M
