--- What the sidecar says, and how it ended: the last lines of it, for `:Pillion log`.
local M = {}

local most = 5000
local lines = {}

---@param who string
---@param text string
function M.add(who, text)
  for line in vim.gsplit((text:gsub('\n$', '')), '\n', { plain = true }) do
    table.insert(lines, ('%s %s: %s'):format(os.date('%H:%M:%S'), who, line))
  end
  if #lines > 2 * most then
    lines = vim.list_slice(lines, #lines - most + 1)
  end
end

---@return string[]
function M.lines()
  return vim.list_slice(lines, math.max(1, #lines - most + 1))
end

return M
