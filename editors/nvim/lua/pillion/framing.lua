--- Frames of the Language Server Protocol: a header block with one
--- Content-Length, an empty line, a body in UTF-8.
local M = {}

M.max_body = 16 * 1024 * 1024
local max_header = 4096

---@param message table
---@return string
function M.encode(message)
  local body = vim.json.encode(message)
  return 'Content-Length: ' .. #body .. '\r\n\r\n' .. body
end

--- The length that a header block names, or nil and what is wrong with it.
---@param header string
---@return integer?, string?
local function body_length(header)
  local length = tonumber(('\n' .. header:lower()):match('\ncontent%-length:%s*(%d+)'))
  if not length then
    return nil, 'a header without Content-Length'
  elseif length > M.max_body then
    return nil, ('a body of %d bytes'):format(length)
  end
  return length
end

--- A function that takes bytes as they come and gives whole bodies to `body`. After a
--- broken frame no message can be found any more: it throws then.
---@param body fun(text: string)
---@return fun(chunk: string)
function M.decoder(body)
  local buffer, length = '', nil
  return function(chunk)
    buffer = buffer .. chunk
    local from = 1
    while true do
      if not length then
        local first, last = buffer:find('\r\n\r\n', from, true)
        if not first then
          assert(#buffer - from < max_header, 'a header that does not end')
          break
        end
        length = assert(body_length(buffer:sub(from, first - 1)))
        from = last + 1
      end
      if #buffer - from + 1 < length then
        break
      end
      body(buffer:sub(from, from + length - 1))
      from, length = from + length, nil
    end
    buffer = buffer:sub(from)
  end
end

return M
