--- The whole output of a command, from the sidecar's disk: a terminal shows its
--- last lines, and of very much output not all is sent.
local text = require('pillion.text')

local M = {}

---@param exec pillion.Exec of a command that was started
---@param callback fun(lines?: string[], problem?: string)
function M.read(exec, callback)
  local parts = {}
  local function from(offset)
    exec.server:request('exec/read', {
      execId = exec.id,
      stream = exec.pty and 'pty' or 'stdout',
      offset = offset,
      maxBytes = 1024 * 1024,
    }, function(err, read)
      if err then
        return callback(nil, 'pillion: the output is not kept any more: ' .. text.visible(err.message))
      end
      for _, gap in ipairs(read.gaps) do
        table.insert(parts, ('\r\n[%d bytes were not kept]\r\n'):format(gap.to - gap.from))
      end
      table.insert(parts, read.text or vim.base64.decode(read.data))
      if read.eof or read.length == 0 then
        return callback(text.plain(table.concat(parts)))
      end
      from(read.nextOffset)
    end)
  end
  from(0)
end

return M
