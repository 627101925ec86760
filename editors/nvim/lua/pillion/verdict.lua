--- What the guard found, and why a command did not run, as a page.
local Page = require('pillion.page')
local text = require('pillion.text')

local M = {}

local decisions = {
  deny = { word = 'denied', group = 'PillionDenied', span = 'PillionSpanDenied' },
  ask = { word = 'to be asked about', group = 'PillionAsk', span = 'PillionSpanAsk' },
}

local function style(decision)
  return decisions[decision] or decisions.ask
end

--- The texts of a command that spans may count in, each with its spans.
---@param page pillion.Page
---@param command { command?: string, argv?: string[], commands?: string[] }
---@param findings pillion.Finding[]
local function sources(page, command, findings)
  local function spans(field, index)
    local found = {}
    for _, finding in ipairs(findings) do
      if finding.source.field == field and (finding.source.index or 0) == index then
        table.insert(found, { span = finding.span, group = style(finding.decision).span })
      end
    end
    return found
  end
  if command.command then
    page:source(command.command, spans('command', 0))
  end
  for _, field in ipairs({ 'argv', 'commands' }) do
    for i, part in ipairs(command[field] or {}) do
      page:source(part, spans(field, i - 1))
    end
  end
end

---@param page pillion.Page
---@param finding pillion.Finding
local function explain(page, finding)
  local where = finding.source.field == 'env' and (' (in %s)'):format(finding.source.name) or ''
  local kind = style(finding.decision)
  page:add(kind.word .. ': ' .. text.visible(finding.message) .. where, kind.group)
  if finding.explanation then
    page:field('why', text.visible(finding.explanation))
  end
  if finding.via and #finding.via > 0 then
    local way = vim.tbl_map(function(link)
      return text.visible(link.construct)
    end, finding.via)
    page:field('via', table.concat(way, ' → '))
  end
  if finding.suggestion then
    page:field('instead', text.visible(finding.suggestion.title), 'PillionOk')
    if finding.suggestion.command then
      page:field('', text.visible(finding.suggestion.command), 'PillionOk')
    end
  end
  page:field('rule', finding.ruleId)
end

--- The command with what was found underlined, and what was found.
---@param page pillion.Page
---@param command { command?: string, argv?: string[], commands?: string[] }
---@param findings pillion.Finding[]
function M.findings(page, command, findings)
  sources(page, command, findings)
  page:add()
  for _, finding in ipairs(findings) do
    explain(page, finding)
    page:add()
  end
end

--- The members of an error's data that say more than its message does.
local function details(page, data)
  for _, missing in ipairs(data.missing or {}) do
    page:field('missing', text.visible(missing.feature) .. ': ' .. text.visible(missing.reason))
    if missing.hint then
      page:field('mend', text.visible(missing.hint))
    end
  end
  for _, problem in ipairs(data.problems or {}) do
    page:field('policy', text.visible(('%s:%d: %s'):format(problem.file, problem.line, problem.message)))
  end
  for _, refused in ipairs(data.refused or {}) do
    page:field('refused', text.visible(refused.path) .. ': ' .. text.visible(refused.reason))
  end
end

--- Why nothing was started.
---@param command { command?: string, argv?: string[] }
---@param err { message: string, data?: table }
---@return pillion.Page
function M.refusal(command, err)
  local page, data = Page.new(), err.data or {}
  local sentence = text.visible(err.message):gsub('^pillion: ', '')
  for _, line in ipairs(Page.wrap('not run: ' .. sentence, 76)) do
    page:add(line, 'PillionDenied')
  end
  page:add()
  M.findings(page, command, vim.tbl_get(data, 'verdict', 'findings') or {})
  details(page, data)
  return page
end

return M
