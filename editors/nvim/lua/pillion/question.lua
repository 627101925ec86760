--- What a person is shown of a question, and the answers to choose from.
local Page = require('pillion.page')
local text = require('pillion.text')

local M = {}

---@param params pillion.ApprovalParams
---@return pillion.Page
function M.page(params)
  local page = Page.new()
  page:display(params.display)
  return page
end

---@class pillion.Choice
---@field label string
---@field decision string
---@field command? string of 'edit'
---@field edit? string is to be edited first

--- What the sidecar says of an answer.
---@param params pillion.ApprovalParams
---@param name string
---@return string
local function row(params, name)
  for _, line in ipairs(params.display) do
    if line.spans and vim.trim(line.spans[1].text) == name then
      return line.spans[2].text
    end
  end
  return ''
end

--- Decline is the first: a key that was typed before the question was seen (Enter alone,
--- in most pickers) must not let anything run.
---@param params pillion.ApprovalParams
---@return pillion.Choice[]
function M.choices(params)
  local items, offered = { { label = 'Decline', decision = 'decline' } }, {}
  for _, decision in ipairs(params.availableDecisions) do
    offered[decision] = true
  end
  local live = params.subject.type
  if offered.accept then
    local how = { host = 'Accept, for this sandbox', access = 'Accept, until it ends' }
    table.insert(items, { label = how[live] or 'Accept', decision = 'accept' })
  end
  if offered.acceptForSession then
    table.insert(items, { label = 'Accept for the session: ' .. row(params, 'session'), decision = 'acceptForSession' })
  end
  if offered.acceptAlways then
    table.insert(items, { label = 'Always: ' .. row(params, 'always'), decision = 'acceptAlways' })
  end
  local command = params.subject.command
  if offered.edit and command and not command:find('\n') then
    table.insert(items, { label = 'Edit…', decision = 'edit', edit = command })
    for _, finding in ipairs(params.findings) do
      local instead = finding.suggestion and finding.suggestion.command
      if instead then
        table.insert(items, { label = 'Run instead: ' .. text.visible(instead), decision = 'edit', command = instead })
      end
    end
  end
  return items
end

return M
