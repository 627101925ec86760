--- Why a command did not run, as a page, in the sidecar's words.
local Page = require('pillion.page')
local text = require('pillion.text')

local M = {}

--- Why nothing was started.
---@param err { message: string, data?: pillion.ErrorData }
---@return pillion.Page
function M.refusal(err)
  local page = Page.new()
  local sentence = text.visible(err.message):gsub('^pillion: ', '')
  for _, line in ipairs(Page.wrap('not run: ' .. sentence, 76)) do
    page:add(line, 'PillionDenied')
  end
  page:add()
  page:display(vim.list_slice(err.data and err.data.display or {}, 2)) -- the first is the message
  page:add()
  return page
end

return M
