--- Settings: the defaults, then vim.g.pillion, then setup(). They come from the
--- user's own configuration and from nowhere else: a repository can't choose the
--- binary, its environment or the policy.
local M = {}

---@class pillion.Config
---@field server pillion.ServerConfig
---@field init_options pillion.InitializationOptions policy, sandbox, limits, …: docs/protocol.md
---@field root_markers string[] what a workspace folder is known by
---@field trusted string[]|boolean folders whose projects are run in without a question; true: all
---@field timeout_ms? integer of every command; absent: the policy's (2 minutes)
---@field trace 'off'|'messages'|'verbose' what of the conversation `:Pillion log` shows
---@field output pillion.OutputConfig
---@field expand boolean `%` and `#` in `:Pillion run` are file names, as with `:!`
---@field quickfix boolean a command that fails fills the quickfix list
---@field errorformat? string for the quickfix list; absent: 'errorformat'
---@field lsp boolean policy files have a language server

---@class pillion.ServerConfig
---@field path? string the binary; absent: the one beside the plugin, else the one on PATH
---@field args string[]
---@field env table<string, string>

---@class pillion.OutputConfig
---@field window 'float'|'split'|'vsplit'|'tab' `:Pillion!` takes 'split' for 'float', 'float' for the others
---@field height number of a split: lines; of a float: a part of the screen
---@field width number the same
---@field border any of a float, see nvim_open_win()
---@field insert boolean keys go to the command at once, without `i`

---@type pillion.Config
M.defaults = {
  server = { path = nil, args = { 'serve', '--stdio' }, env = {} },
  init_options = {},
  root_markers = { '.git', '.hg', '.jj', '.pillion.toml' },
  trusted = {},
  timeout_ms = nil,
  trace = 'off',
  output = { window = 'float', height = 0.7, width = 0.8, border = 'rounded', insert = false },
  expand = false,
  quickfix = false,
  errorformat = nil,
  lsp = true,
}

--- What each setting must be; a table stands for the settings in it.
local shape = {
  server = { path = 'string', args = 'table', env = 'table' },
  init_options = 'table',
  root_markers = 'table',
  trusted = { 'table', 'boolean' },
  timeout_ms = 'number',
  trace = { 'string' },
  output = {
    window = 'string',
    height = 'number',
    width = 'number',
    border = { 'string', 'table' },
    insert = 'boolean',
  },
  expand = 'boolean',
  quickfix = 'boolean',
  errorformat = 'string',
  lsp = 'boolean',
}

local function check(settings, expected, name, problems)
  for key, value in pairs(settings) do
    local want, full = expected[key], name .. tostring(key)
    if want == nil then
      table.insert(problems, ('%s is no setting'):format(full))
    elseif type(want) == 'table' and not vim.islist(want) then
      if type(value) == 'table' then
        check(value, want, full .. '.', problems)
      else
        table.insert(problems, ('%s: expected table, got %s'):format(full, type(value)))
      end
    else
      local kinds = type(want) == 'table' and want or { want }
      if not vim.list_contains(kinds, type(value)) then
        table.insert(problems, ('%s: expected %s, got %s'):format(full, table.concat(kinds, ' or '), type(value)))
      end
    end
  end
end

--- One sentence about settings that are wrong, or nil.
---@param settings table
---@return string?
function M.problem(settings)
  local problems = {}
  check(settings, shape, '', problems)
  table.sort(problems)
  if #problems > 0 then
    local sentence = 'pillion: the settings were not taken: %s (see :help pillion-settings)'
    return sentence:format(table.concat(problems, '; '))
  end
end

local own ---@type table? of setup()
local refused ---@type string? why settings of setup() were not taken

--- Settings of setup(). Wrong ones change nothing.
---@param settings? table
---@return boolean
function M.set(settings)
  refused = M.problem(settings or {})
  if refused then
    vim.notify(refused, vim.log.levels.ERROR)
    return false
  end
  own = settings
  return true
end

local told ---@type table? of the global that was complained about

--- Why nothing may run: settings that were not taken may have been stricter than those
--- in force.
---@return string?
function M.refusal()
  local global = vim.g.pillion
  if global ~= nil and type(global) ~= 'table' then
    return ('pillion: vim.g.pillion: expected table, got %s'):format(type(global))
  end
  local problem = M.problem(global or {})
  return refused or problem and problem .. ' in vim.g.pillion'
end

--- The settings in force now.
---@return pillion.Config
function M.get()
  local global = type(vim.g.pillion) == 'table' and vim.g.pillion or {}
  local problem = M.problem(global)
  if problem then
    if not vim.deep_equal(told, global) then
      told = global
      vim.notify(problem .. ' in vim.g.pillion', vim.log.levels.WARN)
    end
    global = {}
  end
  return vim.tbl_deep_extend('force', M.defaults, global, own or {})
end

return M
