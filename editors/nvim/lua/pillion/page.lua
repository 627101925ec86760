--- Lines with highlighted parts, to be put into a buffer.
---@class pillion.Page
---@field lines string[]
---@field private marks { row: integer, from: integer, to: integer, group: string }[]
local Page = {}
Page.__index = Page

local namespace = vim.api.nvim_create_namespace('pillion')

--- Links that a colour scheme or the user may have set already.
local groups = {
  PillionDenied = 'DiagnosticError',
  PillionAsk = 'DiagnosticWarn',
  PillionOk = 'DiagnosticOk',
  PillionLabel = 'Comment',
  PillionChoice = 'Special',
  PillionSpanDenied = 'DiagnosticUnderlineError',
  PillionSpanAsk = 'DiagnosticUnderlineWarn',
}

---@return pillion.Page
function Page.new()
  return setmetatable({ lines = {}, marks = {} }, Page)
end

---@param group string
---@param from integer bytes
---@param to integer
function Page:mark(row, from, to, group)
  table.insert(self.marks, { row = row, from = from, to = to, group = group })
end

--- A line, or none for an empty one.
---@param text? string
---@param group? string of all of it
function Page:add(text, group)
  for line in vim.gsplit(text or '', '\n', { plain = true }) do
    table.insert(self.lines, line)
    if group then
      self:mark(#self.lines - 1, 0, #line, group)
    end
  end
end

--- `label  text`, the text wrapped at 72 characters.
---@param label string
---@param text string
---@param group? string of the text
function Page:field(label, text, group)
  local first = true
  for _, line in ipairs(self.wrap(text, 72)) do
    self:add(('  %-8s %s'):format(first and label or '', line))
    local row = #self.lines - 1
    self:mark(row, 0, 11, 'PillionLabel')
    if group then
      self:mark(row, 11, 11 + #line, group)
    end
    first = false
  end
end

---@param text string
---@param width integer
---@return string[]
function Page.wrap(text, width)
  local lines = {}
  for paragraph in vim.gsplit(text, '\n', { plain = true }) do
    local line = ''
    for word in paragraph:gmatch('%S+') do
      if line ~= '' and vim.fn.strwidth(line .. ' ' .. word) > width then
        table.insert(lines, line)
        line = ''
      end
      line = line == '' and word or line .. ' ' .. word
    end
    table.insert(lines, line)
  end
  return lines
end

--- A text of several lines as it is, with parts of it marked. Spans count bytes.
---@param text string
---@param spans { span: pillion.Span, group: string }[]
function Page:source(text, spans)
  local indent, at = '    ', 0
  for line in vim.gsplit(text, '\n', { plain = true }) do
    self:add(indent .. line)
    local row = #self.lines - 1
    for _, s in ipairs(spans) do
      local from, to = math.max(s.span.start - at, 0), math.min(s.span['end'] - at, #line)
      if from < to then
        self:mark(row, #indent + from, #indent + to, s.group)
      end
    end
    at = at + #line + 1
  end
end

--- Replaces what is in a buffer.
---@param buffer integer
function Page:show(buffer)
  for group, link in pairs(groups) do
    vim.api.nvim_set_hl(0, group, { link = link, default = true })
  end
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, self.lines)
  vim.bo[buffer].modifiable = false
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  for i, mark in ipairs(self.marks) do
    vim.api.nvim_buf_set_extmark(
      buffer,
      namespace,
      mark.row,
      mark.from,
      { end_col = mark.to, hl_group = mark.group, priority = 100 + i }
    )
  end
end

return Page
