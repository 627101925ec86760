--- Servers that commands start in the sandbox: shown, and let out by a person.
local runs = require('pillion.runs')
local text = require('pillion.text')

local M = {}

-- Ports from here on are the system's choice, not meant to be looked at.
local ephemeral = 32768

---@param line string
---@param level? integer
local function say(line, level)
  vim.notify(text.visible('pillion: ' .. line), level or vim.log.levels.INFO)
end

---@param title string of the command
---@param event pillion.PortParams
function M.tell(title, event)
  if event.listening and event.port < ephemeral then
    local line = '%s: %s listens on %s:%d in the sandbox (:Pillion forward %d to open it)'
    say(line:format(title, event.process, event.address, event.port, event.port))
  end
end

--- The ports that commands listen on, and the newest command that does on each.
---@return table<integer, pillion.Run>
function M.open()
  local found = {}
  for _, run in ipairs(runs.active()) do
    for port in pairs(run.exec and run.exec.ports or {}) do
      found[port] = run
    end
  end
  return found
end

--- Lets a port out and says where it is.
---@param port? integer the only one, if absent
---@param browse? boolean open it in a browser as well
function M.forward(port, browse)
  local open = M.open()
  local only = next(open)
  if not port and only and not next(open, only) then
    port = only
  end
  local run = port and open[port]
  if not run then
    local ports = vim.tbl_keys(open)
    table.sort(ports)
    local which = #ports > 0 and 'one of ' .. table.concat(ports, ', ') or 'no command listens on any'
    return say('forward takes a port that a command listens on: ' .. which, vim.log.levels.WARN)
  end
  run.exec:forward(port, function(err, result)
    if err then
      return say(('port %d: %s'):format(port, err.message), vim.log.levels.ERROR)
    end
    local url = ('http://%s/'):format(result.address)
    say(('port %d of %s is at %s'):format(port, runs.title(run), url))
    if browse then
      vim.ui.open(url)
    end
  end)
end

return M
