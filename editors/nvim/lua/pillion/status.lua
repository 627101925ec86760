--- A word for the statusline. Nothing in it comes from a command, so that nothing
--- in it can be taken for one of the statusline's own items.
local M = {}

---@type { code: integer }?
M.finished = nil

---@return string
function M.line()
  local server = package.loaded['pillion.session'] and require('pillion.session').existing()
  if not server then
    return ''
  end
  local running, asking = #require('pillion.runs').active(), require('pillion.approval').waiting()
  if asking > 0 then
    return 'pillion asks'
  elseif server.state == 'failed' then
    return 'pillion failed'
  elseif server.state == 'waiting' then
    return 'pillion restarts'
  elseif running > 0 then
    return running == 1 and 'pillion runs' or ('pillion runs %d'):format(running)
  elseif M.finished then
    return ('pillion exit %d'):format(M.finished.code)
  end
  return 'pillion'
end

local waiting = false

--- Something of the above is another one.
function M.changed()
  if not waiting then
    waiting = true
    vim.schedule(function()
      waiting = false
      if #vim.api.nvim_list_uis() > 0 then -- 0.12 crashes where there is no screen
        vim.cmd.redrawstatus({ bang = true })
      end
    end)
  end
end

return M
