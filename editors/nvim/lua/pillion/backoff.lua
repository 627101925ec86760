--- When a sidecar that ended by itself is started again: after 0.5, 1, 2, 4 and
--- 8 seconds, at most five times in three minutes, and from the beginning when it
--- was healthy for a minute.
local M = {}

local delays = { 500, 1000, 2000, 4000, 8000 }
local window_ms = 3 * 60 * 1000
local healthy_ms = 60 * 1000

---@class pillion.Backoff
---@field private crashes integer[] when they were
---@field private random fun(): number from 0 to 1
local Backoff = {}
Backoff.__index = Backoff

---@param random? fun(): number
---@return pillion.Backoff
function M.new(random)
  return setmetatable({ crashes = {}, random = random or math.random }, Backoff)
end

function Backoff:reset()
  self.crashes = {}
end

--- How long to wait after a crash, or nil: no more. Several editors that lost
--- their sidecars together must not come back together, hence the jitter.
---@param now integer milliseconds
---@param uptime integer for how long it had run
---@return integer? milliseconds
function Backoff:crashed(now, uptime)
  if uptime >= healthy_ms then
    self.crashes = {}
  end
  self.crashes = vim.tbl_filter(function(at)
    return now - at < window_ms
  end, self.crashes)
  if #self.crashes >= #delays then
    return nil
  end
  table.insert(self.crashes, now)
  return math.floor(delays[#self.crashes] * (0.8 + 0.4 * self.random()))
end

return M
