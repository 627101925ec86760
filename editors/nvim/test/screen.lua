--- A real Neovim on a real screen, in tmux.
local helper = require('helper')

---@class Screen
local Screen = {}
Screen.__index = Screen

local function tmux(self, ...)
  local done = vim.system({ 'tmux', '-S', self.socket, '-f', '/dev/null', ... }, { text = true }):wait()
  assert(done.code == 0, 'tmux: ' .. done.stderr)
  return done.stdout
end

--- Starts Neovim in a workspace, with these settings of the plugin.
---@param settings table
function Screen.open(settings)
  local self = setmetatable({ workspace = helper.workspace() }, Screen)
  self.socket = self.workspace .. '-tmux' -- one that is ending may still hold its own
  settings = vim.tbl_deep_extend('force', { server = { path = helper.binary }, trusted = true }, settings)
  local config = helper.write(
    vim.env.PILLION_TEST_TMP .. '/screen.lua',
    ([[
      vim.opt.runtimepath:append(%q)
      vim.g.pillion = vim.json.decode(%q)
      vim.o.statusline = " %%f %%=%%{v:lua.require'pillion'.statusline()} "
      vim.o.laststatus, vim.o.showmode, vim.o.termguicolors = 2, false, true
    ]]):format(helper.plugin, vim.json.encode(settings))
  )
  helper.write(self.workspace .. '/main.c', '#include <stdio.h>\n\nint main(void)\n{\n\tputs("hello");\n}\n')
  local command = { vim.v.progpath, '-i', 'NONE', '-n', '-u', config, 'main.c' }
  local options = { '-d', '-x', '100', '-y', '30', '-c', self.workspace }
  tmux(
    self,
    'new-session',
    unpack(vim.list_extend(options, { table.concat(vim.tbl_map(vim.fn.shellescape, command), ' ') }))
  )
  self:wait('puts')
  return self
end

--- What is on the screen, with its colours if `styled`.
---@param styled? boolean
function Screen:text(styled)
  return tmux(self, 'capture-pane', styled and '-epN' or '-p')
end

---@param pattern string
function Screen:wait(pattern)
  local text
  local ok = pcall(helper.eventually, pattern, function()
    text = self:text()
    return text:find(pattern)
  end)
  assert(ok, ('never on the screen: %s\n%s'):format(pattern, text))
  return text
end

--- Waits for something with its colours.
---@param pattern string
function Screen:wait_styled(pattern)
  local text
  local ok = pcall(helper.eventually, pattern, function()
    text = self:text(true)
    return text:find(pattern)
  end)
  assert(ok, ('never on the screen: %s\n%s'):format(pattern, (text:gsub('\27', '^['))))
end

--- Types; names of keys such as Enter and C-c are keys.
function Screen:type(...)
  tmux(self, 'send-keys', ...)
end

--- A line of Neovim's command line.
---@param line string
function Screen:ex(line)
  tmux(self, 'send-keys', '-l', ':' .. line)
  tmux(self, 'send-keys', 'Enter')
end

---@param columns integer
---@param rows integer
function Screen:resize(columns, rows)
  tmux(self, 'resize-window', '-x', tostring(columns), '-y', tostring(rows))
end

--- Draws the screen into dist/img, and into docs/img if that is asked for.
---@param name string
function Screen:picture(name)
  local capture = helper.write(vim.env.PILLION_TEST_TMP .. '/capture', self:text(true))
  local dirs = { 'dist/img' }
  if vim.env.PILLION_PICTURES == '1' then
    table.insert(dirs, 'docs/img')
  end
  for _, dir in ipairs(dirs) do
    vim.fn.mkdir(helper.repository .. '/' .. dir, 'p')
    local file = ('%s/%s/nvim-%s.png'):format(helper.repository, dir, name)
    local done = vim.system({ '/usr/bin/python3', vim.env.PILLION_PLUGIN .. '/test/picture.py', capture, file }):wait()
    assert(done.code == 0, done.stderr)
    assert(vim.uv.fs_stat(file).size < 150 * 1024, file .. ' is too large')
  end
end

function Screen:close()
  pcall(tmux, self, 'kill-server')
  helper.cleanup()
end

return Screen
