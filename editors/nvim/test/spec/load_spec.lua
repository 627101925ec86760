--- The plugin in a Neovim of its own, as a user would have it.
local helper = require('helper')

--- Runs Lua in a Neovim with one line of configuration, and gives what it prints.
local function nvim(line, script, env, program)
  local config = helper.write(vim.env.PILLION_TEST_TMP .. '/init.vim', line .. '\n')
  local test = helper.write(vim.env.PILLION_TEST_TMP .. '/test.lua', script)
  local workspace = helper.workspace()
  local done = vim
    .system(
      { program or vim.v.progpath, '--headless', '-i', 'NONE', '-n', '-u', config, '+luafile ' .. test, '+qa!' },
      { text = true, cwd = workspace, env = env, timeout = 30000 }
    )
    :wait()
  helper.cleanup()
  return done.stdout .. done.stderr, done.code
end

-- With the binary that the repository has beside the plugin, or with a setting.
local run = [[
  local run
  vim.g.pillion = vim.tbl_extend('force', vim.g.pillion or {}, { trusted = true })
  vim.cmd('Pillion run echo it works')
  run = require('pillion.runs').last
  vim.wait(20000, function() return run.outcome end, 5)
  print('path: ' .. require('pillion.session').get().located.path)
  print('exit: ' .. run.outcome.result.exitCode)
  print('types: ' .. require('pillion.protocol').schema_hash)
]]

describe('the plugin', function()
  local here

  before_each(function()
    here = vim.uv.fs_realpath(vim.uv.fs_mkdtemp(vim.env.PILLION_TEST_TMP .. '/l-XXXXXX'))
  end)

  after_each(function()
    vim.fn.delete(here, 'rf')
  end)

  --- The repository as a clone with a binary that was built into it.
  local function clone(binary)
    local repository = here .. '/pillion'
    vim.fn.mkdir(repository .. '/editors', 'p')
    vim.fn.mkdir(vim.fs.dirname(repository .. '/' .. binary), 'p')
    vim.system({ 'cp', '-R', helper.plugin, repository .. '/editors/nvim' }):wait()
    vim.system({ 'cp', '-R', helper.repository .. '/editors/protocol', repository .. '/editors/protocol' }):wait()
    assert(vim.uv.fs_copyfile(helper.binary, repository .. '/' .. binary))
    return repository
  end

  it('works by one runtimepath line, with the binary that go build makes', function()
    local repository = clone('pillion')
    local said = nvim('set runtimepath+=' .. repository .. '/editors/nvim', run)
    assert.truthy(said:find('path: ' .. repository .. '/pillion', 1, true), said)
    assert.truthy(said:find('exit: 0', 1, true), said)
    assert.truthy(said:find('types: sha256:', 1, true), said)
  end)

  it('works by a link to editors/nvim among the packages, with the binary that make build makes', function()
    local repository = clone('dist/pillion')
    local start = here .. '/site/pack/any/start'
    vim.fn.mkdir(start, 'p')
    assert(vim.uv.fs_symlink(repository .. '/editors/nvim', start .. '/pillion'))
    local said = nvim('set packpath^=' .. here .. '/site', run)
    assert.truthy(said:find('path: ' .. repository .. '/dist/pillion', 1, true), said)
    assert.truthy(said:find('exit: 0', 1, true), said)
  end)

  it('works as a copy of editors/nvim alone, with its types and binary inside', function()
    local repository = clone('dist/pillion')
    local alone = here .. '/alone'
    vim.fn.mkdir(alone, 'p')
    vim.system({ 'mv', repository .. '/editors/nvim', alone .. '/pillion.nvim' }):wait()
    local types = alone .. '/pillion.nvim/lua/pillion/protocol_types.lua'
    vim.uv.fs_copyfile(repository .. '/editors/protocol/protocol.lua', types)
    vim.fn.mkdir(alone .. '/pillion.nvim/bin')
    vim.uv.fs_copyfile(helper.binary, alone .. '/pillion.nvim/bin/pillion')
    vim.fn.delete(repository, 'rf')
    local said = nvim('set runtimepath+=' .. alone .. '/pillion.nvim', run)
    assert.truthy(said:find('path: ' .. alone .. '/pillion.nvim/bin/pillion', 1, true), said)
    assert.truthy(said:find('exit: 0', 1, true), said)
  end)

  it('works by the first lines of the README', function()
    local repository = clone('built')
    local readme = vim.fn.readfile(helper.plugin .. '/README.md')
    local from = vim.fn.index(readme, '```sh') + 2
    -- The compiler has tests of its own.
    local go = '#!/bin/sh\n[ "$*" = "build -o $HOME/.local/bin/ ." ] && mkdir -p "$3" && cp built "$3/pillion"\n'
    helper.write(here .. '/bin/go', go, 'rwxr-xr-x')
    helper.write(here .. '/bin/nvim', '#!/bin/sh\nexec ' .. vim.v.progpath .. ' "$@"\n', 'rwxr-xr-x')
    local env = { HOME = here, PATH = here .. '/bin:' .. here .. '/.local/bin:' .. vim.env.PATH }
    env.XDG_CONFIG_HOME, env.XDG_DATA_HOME = here .. '/.config', here .. '/.local/share'
    helper.write(here .. '/.config/nvim/init.lua', 'vim.g.theirs = true\n') -- Neovim takes no init.vim beside it
    for _ = 1, 2 do -- once more when there is a newer one
      local first = vim.system({ 'sh', '-c', readme[from] }, { cwd = repository, env = env }):wait()
      assert.equal(0, first.code, first.stderr)
    end
    vim.fn.mkdir(here .. '/your/project/.git', 'p')
    local try = readme[from + 1]:gsub("nvim %+'Pillion run make test'", function()
      return vim.v.progpath
        .. " --headless --cmd 'let g:pillion = #{trusted: v:true}' +'Pillion run echo it works'"
        .. " +'lua vim.wait(20000, function() return require([[pillion.runs]]).last.outcome end)'"
        .. " +'lua vim.wait(9000, function() return vim.fn.search([[^exit 0]], [[w]]) > 0 end)'"
        .. " +'lua print(table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), [[\n]]))' +qa!"
    end)
    local said = vim.system({ 'sh', '-c', try }, { env = env }):wait()
    assert.truthy((said.stdout .. said.stderr):find('it works%s*it works%s*exit 0'), vim.inspect(said))
    assert.is_nil((said.stdout .. said.stderr):find('E%d+:'), vim.inspect(said))
    assert.is_nil(vim.uv.fs_lstat(repository .. '/editors/nvim/nvim'))
    assert.equal("nvim +'checkhealth pillion'", readme[from + 2])
    local help = "nvim --headless +'help pillion-undo' +'lua print(vim.fn.expand([[%:t]]))' +qa!"
    said = vim.system({ 'sh', '-c', help }, { env = env }):wait()
    assert.equal('pillion.txt', vim.trim(said.stderr))
  end)

  it('loads nothing before it is used', function()
    local said = nvim(
      'set runtimepath+=' .. helper.plugin,
      "for name in pairs(package.loaded) do if name:find('pillion') then print(name) end end print('end')"
    )
    assert.equal('pillion.requires\nend', (said:gsub('\r', '')))
  end)

  it('runs nothing in a folder that nobody could be asked about', function()
    local said = nvim(
      'set runtimepath+=' .. helper.plugin,
      "vim.cmd('Pillion run true') print(require('pillion.runs').last.outcome.error.data.kind)"
    )
    assert.equal('untrusted', (said:gsub('%s', '')))
  end)

  it('ends its sidecar and its commands with Neovim', function()
    local said = nvim(
      'set runtimepath+=' .. helper.plugin,
      ("vim.g.pillion = { trusted = true, server = { path = '%s' } }"):format(helper.binary)
        .. [[
        vim.cmd('Pillion run sleep 617')
        local run = require('pillion.runs').last
        vim.wait(20000, function() return vim.bo[run.buffer].buftype == 'terminal' end, 5) -- it has started
        print('pid: ' .. require('pillion.session').get().connection.pid)
      ]]
    )
    local pid = tonumber(said:match('pid: (%d+)'))
    helper.eventually('the end of the sidecar', function()
      return vim.uv.kill(pid, 0) ~= 0
    end)
  end)

  it('is helped by a help file with tags', function()
    local tags = here .. '/doc'
    vim.system({ 'cp', '-R', helper.plugin .. '/doc', tags }):wait()
    vim.cmd('helptags ' .. tags)
    local text = table.concat(vim.fn.readfile(tags .. '/tags'), '\n')
    for _, name in ipairs(vim.tbl_keys(require('pillion.command').subcommands)) do
      assert.truthy(text:find(('\n:Pillion-%s\t'):format(name), 1, true), 'no help for :Pillion ' .. name)
    end
    local help = table.concat(vim.fn.readfile(tags .. '/pillion.txt'), '\n')
    for setting, value in pairs(require('pillion.config').defaults) do
      assert.truthy(help:find('`' .. setting, 1, true), 'no help for the setting ' .. setting)
      for inner in pairs(type(value) == 'table' and not vim.islist(value) and value or {}) do
        assert.truthy(help:find(('`%s.%s`'):format(setting, inner), 1, true), 'no help for ' .. setting .. '.' .. inner)
      end
    end
    for name in help:gmatch('|(pillion[%w-]*)|') do
      assert.truthy(('\n' .. text):find('\n' .. name .. '\t', 1, true), 'no tag ' .. name)
    end
  end)

  describe('in Neovim 0.7.2', function()
    local old = vim.env.PILLION_NVIM_OLD
    local env = { VIMRUNTIME = old .. '/usr/share/nvim/runtime' }
    local sentence = 'pillion needs Neovim 0.10 or newer, and this is 0.7.2: update Neovim or remove the plugin'

    it('says one sentence, and nothing else', function()
      local said = nvim('set runtimepath+=' .. helper.plugin, '', env, old .. '/usr/bin/nvim')
      assert.equal(sentence, vim.trim(said))
    end)

    it('says it to setup() and :checkhealth as well', function()
      local out = here .. '/health'
      local said = nvim(
        'set runtimepath+=' .. helper.plugin,
        ("require('pillion').setup({}) vim.cmd('checkhealth pillion') vim.cmd('silent w! %s')"):format(out),
        env,
        old .. '/usr/bin/nvim'
      )
      local _, times = said:gsub(vim.pesc(sentence), '')
      assert.equal(2, times, said)
      assert.is_nil(said:find('stack traceback', 1, true), said)
      local health = table.concat(vim.fn.readfile(out), '\n')
      assert.truthy(health:find('ERROR: ' .. sentence, 1, true), health)
    end)
  end)
end)
