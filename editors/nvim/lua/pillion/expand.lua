--- `%` and `#` in a command, as `:!` has them: the setting `expand`.
local M = {}

--- Replaces `%` and `#`, with modifiers such as `:p:h`, by file names, quoted for the
--- shell; `\%` and `\#` stand for themselves.
---@param command string
---@return string? expanded nil: there is no such file name
---@return string? problem
function M.names(command)
  local out, at = {}, 1
  while true do
    local found = command:find('[%%#]', at)
    if not found then
      table.insert(out, command:sub(at))
      return table.concat(out)
    end
    if command:sub(found - 1, found - 1) == '\\' then
      table.insert(out, command:sub(at, found - 2) .. command:sub(found, found))
      at = found + 1
    else
      local word = command:match('^[%%#]', found)
      local rest = found + 1
      while command:match('^:[phtre~.]', rest) do
        word, rest = word .. command:sub(rest, rest + 1), rest + 2
      end
      local ok, name = pcall(vim.fn.expand, word)
      if not ok or name == '' then
        return nil, ('there is no file name for `%s` (write \\%s for the character)'):format(word, word:sub(1, 1))
      end
      table.insert(out, command:sub(at, found - 1) .. vim.fn.shellescape(name))
      at = rest
    end
  end
end

return M
