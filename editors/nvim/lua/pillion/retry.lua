--- What the sandbox has refused to a command is given by a person, for one more run.
local M = {}

--- The grants on offer, each once.
---@param run pillion.Run
---@return pillion.AccessGrant[]
local function grants(run)
  local found, seen = {}, {}
  for _, violation in ipairs(vim.tbl_get(run, 'outcome', 'result', 'violations') or {}) do
    local allow = violation.allow
    if allow and not seen[allow.kind .. allow.value] then
      seen[allow.kind .. allow.value] = true
      table.insert(found, allow)
    end
  end
  return found
end

--- Runs a command again with all that it was refused and can be given.
---@param run? pillion.Run
---@param bang? boolean the other kind of window
---@return pillion.Run?
function M.run(run, bang)
  local given = run and run.buffer and grants(run) or {} -- a filter's output would go to a window
  if not run or #given == 0 then
    return vim.notify('pillion: nothing was refused to that command that can be given here', vim.log.levels.WARN)
  end
  for _, window in ipairs(run.view and vim.fn.win_findbuf(run.buffer) or {}) do
    pcall(vim.api.nvim_win_close, window, true) -- the new one takes its place; the last of them can't go
  end
  local spec = run.view and run.view.spec or run.spec
  return require('pillion.show').run(spec, bang, { execId = run.exec.id, grants = given })
end

--- One key for it, in the window of a command that has ended.
---@param run pillion.Run
---@param bang? boolean
function M.offer(run, bang)
  if #grants(run) > 0 and vim.api.nvim_buf_is_valid(run.buffer) then
    require('pillion.menu').key(run.buffer, 'R', 'pillion: allow what was refused this once, and run again', function()
      M.run(run, bang)
    end)
  end
end

return M
