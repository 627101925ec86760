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
  PillionSpan = 'DiagnosticUnderlineError',
}

--- The groups of tones, where they are not the default.
local tones = {
  title = 'PillionAsk',
  warn = 'PillionAsk',
  place = 'PillionSpan',
  remedy = 'PillionOk',
  ok = 'PillionOk',
  error = 'PillionDenied',
  dim = 'PillionLabel',
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

--- A line of several parts.
---@param spans { text: string, tone: pillion.Tone }[]
function Page:spans(spans)
  local line = ''
  for _, span in ipairs(spans) do
    if tones[span.tone] then
      self:mark(#self.lines, #line, #line + #span.text, tones[span.tone])
    end
    line = line .. span.text
  end
  self:add(line)
end

--- Lines of the sidecar, whose text is fit to be shown. Text after a label is wrapped, and
--- a command has room around it.
---@param lines pillion.DisplayLine[]
function Page:display(lines)
  local last
  for _, line in ipairs(lines) do
    local kind = vim.startswith(line.text, '    ') and 'command' or vim.startswith(line.text, '  ') and 'row' or 'head'
    if last and ((kind == 'command') ~= (last == 'command') or kind == 'head' and last == 'row') then
      self:add()
    end
    last = kind
    local spans = line.spans or { line }
    if kind == 'row' and #spans == 2 then
      local label = spans[1].text
      for _, part in ipairs(self.wrap(spans[2].text, 72)) do
        self:spans({ { text = label, tone = 'dim' }, { text = part, tone = spans[2].tone } })
        label = (' '):rep(#label)
      end
    else
      self:spans(spans)
    end
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
