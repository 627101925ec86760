--- The quickfix list, made of a command's output.
local config = require('pillion.config')
local text = require('pillion.text')

local M = {}

-- Of more output than this the newest part counts.
local most = 1024 * 1024

--- Keeps output for the list.
---@return { add: fun(bytes: string), lines: fun(): string[] }
function M.keep()
  local parts, size = {}, 0
  return {
    add = function(bytes)
      table.insert(parts, bytes)
      size = size + #bytes
      if size > 2 * most then
        local all = table.concat(parts):sub(-most)
        parts, size = { all }, #all
      end
    end,
    lines = function()
      return text.plain(table.concat(parts))
    end,
  }
end

--- Names in the output are relative to the command's directory, not to Neovim's.
local entering = 'pillion: the command ran in '

---@param lines string[]
---@param cwd string
---@param errorformat? string
---@return table[] items of the quickfix list
function M.parse(lines, cwd, errorformat)
  local format = '%D' .. entering .. '%f,' .. (errorformat or config.get().errorformat or vim.o.errorformat)
  local all = vim.list_extend({ entering .. cwd }, lines)
  local parsed = vim.fn.getqflist({ lines = all, efm = format })
  return vim.tbl_filter(function(item)
    return not vim.startswith(item.text, entering)
  end, parsed.items)
end

---@param lines string[]
---@param cwd string
---@param title string
---@param errorformat? string
---@return integer how many entries have a place in a file
function M.fill(lines, cwd, title, errorformat)
  local items = M.parse(lines, cwd, errorformat)
  while #items > 0 and items[#items].valid == 0 and items[#items].text == '' do
    table.remove(items)
  end
  vim.fn.setqflist({}, ' ', { title = text.visible(title), items = items })
  return #vim.tbl_filter(function(item)
    return item.valid == 1
  end, items)
end

return M
