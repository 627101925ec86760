--- Text of others, made fit to be shown: nothing in it is an instruction to the
--- editor or to a terminal.
local M = {}

--- On one line and without control characters and text direction marks.
---@param text any
---@return string
function M.visible(text)
  return vim.fn.strtrans(tostring(text))
end

-- Text after ESC in a string of the terminal (OSC, DCS, SOS, PM, APC). Those set
-- clipboards and titles, or ask for an answer that is typed as input.
local opens_string = { [']'] = true, P = true, X = true, ['^'] = true, _ = true }

--- Where it goes on after a string, or nil: its end has not come. Like a terminal, this
--- lets any ESC end it.
---@param text string
---@param at integer
---@return integer?
local function behind_string(text, at)
  local found = text:find('[\7\24\26\27]', at)
  if not found then
    return nil
  elseif text:byte(found) ~= 27 then
    return found + 1
  end
  local second = text:sub(found + 1, found + 1)
  return second ~= '' and (second == '\\' and found + 2 or found) or nil
end

--- One escape sequence's beginning: what of it may be shown, where it goes on, and
--- whether a string begins. A terminal obeys controls in the middle of a sequence
--- and goes on with it, so they are taken out of it first.
local function escape(text, at)
  local controls, second = text:match('^([%z\1-\26\28-\31\127]*)(.?)', at + 1)
  local next_at = at + 1 + #controls
  if second == '' then
    return controls, nil
  elseif opens_string[second] then
    return controls, next_at + 1, true
  elseif second:byte() == 27 or second:byte() > 126 then
    return controls, next_at -- no sequence; ESC alone would join what follows
  end
  return controls .. '\27' .. second, next_at + 1
end

--- A function that takes output as it comes and gives it with colours and cursor
--- movement, without the strings above, also where one comes in pieces.
---@return fun(bytes: string): string
function M.filter()
  local rest, inside = '', false
  return function(bytes)
    local text, out, at = rest .. bytes, {}, 1
    rest = ''
    while at <= #text do
      if inside then
        local behind = behind_string(text, at)
        if not behind then
          rest = text:sub(-1) == '\27' and '\27' or ''
          break
        end
        at, inside = behind, false
      end
      local found = text:find('[\27\194]', at) or #text + 1
      table.insert(out, text:sub(at, found - 1))
      at = found
      if text:byte(at) == 27 then
        local shown, next_at, begins = escape(text, at)
        table.insert(out, shown)
        rest, inside, at = next_at and '' or '\27', begins or false, next_at or #text + 1
      elseif at == #text then
        rest, at = '\194', at + 1
      elseif at < #text then
        -- U+0080 to U+009F are the same controls in one character. Half a character is
        -- replaced, or it would join what comes after a sequence that is left out.
        local control, whole = text:find('^[\128-\159]', at + 1), text:find('^[\160-\191]', at + 1)
        table.insert(out, control and '' or whole and text:sub(at, at + 1) or '\239\191\189')
        at = at + ((control or whole) and 2 or 1)
      end
    end
    return table.concat(out)
  end
end

--- The lines of a terminal's output as text, as far as that works without a screen: of a
--- line that was written over, what is there last.
---@param bytes string
---@return string[]
function M.plain(bytes)
  local text = M.filter()(bytes):gsub('\27%[[0-?]*[ -/]*[@-~]', ''):gsub('\27[ -/]*[0-~]', '')
  local lines = vim.split(text:gsub('\r+\n', '\n'), '\n', { plain = true })
  return vim.tbl_map(function(line)
    return (line:match('([^\r]*)\r*$'):gsub('[%z\1-\8\11-\31\127]', ''))
  end, lines)
end

return M
