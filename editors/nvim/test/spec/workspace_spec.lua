local helper = require('helper')
local workspace = require('pillion.workspace')

describe('a workspace', function()
  local root, select

  before_each(function()
    select = vim.ui.select
    root = helper.editor({ trusted = false })
  end)

  after_each(function()
    vim.ui.select = select
    helper.quit()
    vim.fn.delete(vim.fn.stdpath('state') .. '/pillion-trusted.json')
  end)
  teardown(helper.stop)

  local function choosing(label)
    local asked = {}
    vim.ui.select = function(items, opts, callback)
      table.insert(asked, opts.prompt)
      for _, item in ipairs(items) do
        if opts.format_item(item) == label then
          return callback(item)
        end
      end
      callback(nil)
    end
    return asked
  end

  it("is the folder of the buffer's file, with the working directory if that is in it", function()
    local other = helper.workspace()
    helper.write(other .. '/src/a.c', '')
    vim.cmd.edit(other .. '/src/a.c')
    assert.same({ root = other, cwd = other }, workspace.current())
    vim.cmd.cd(other .. '/src')
    assert.same({ root = other, cwd = other .. '/src' }, workspace.current())
    vim.cmd.enew()
    vim.cmd.cd(root)
    assert.same({ root = root, cwd = root }, workspace.current())
  end)

  it('without a marker is the directory itself, and never one above it', function()
    local bare = vim.env.PILLION_TEST_TMP .. '/bare/below'
    vim.fn.mkdir(bare, 'p')
    assert.same({ root = vim.uv.fs_realpath(bare), cwd = vim.uv.fs_realpath(bare) }, workspace.of(bare))
  end)

  it('is not run in before a person says so', function()
    local asked = choosing(nil)
    local run = require('pillion').run('touch ran')
    assert.truthy(helper.ended(run):find('is not trusted', 1, true))
    assert.equal(1, #asked)
    assert.truthy(asked[1]:find(root, 1, true))
    assert.is_nil(vim.uv.fs_stat(root .. '/ran'))
    assert.equal('stopped', require('pillion.session').get().state, 'not even a sidecar was started')
  end)

  it('is asked about once in a session', function()
    local asked = choosing('Yes, until Neovim ends')
    helper.ended(require('pillion').run('touch ran'))
    helper.ended(require('pillion').run('touch again'))
    assert.equal(1, #asked)
    assert.truthy(vim.uv.fs_stat(root .. '/again'))
    assert.is_nil(vim.uv.fs_stat(vim.fn.stdpath('state') .. '/pillion-trusted.json'))
  end)

  it('that is always trusted is remembered outside of it, until :Pillion distrust', function()
    choosing('Yes, always')
    helper.ended(require('pillion').run('true'))
    package.loaded['pillion.workspace'] = nil
    assert.is_true(require('pillion.workspace').trusted(root))
    vim.cmd('Pillion distrust')
    assert.is_false(require('pillion.workspace').trusted(root))
    vim.cmd('Pillion trust')
    assert.is_true(require('pillion.workspace').trusted(root))
  end)

  it('below a folder of the setting is trusted, one beside it is not', function()
    vim.g.pillion = { trusted = { vim.fs.dirname(root) .. '/' } }
    assert.is_true(workspace.trusted(root))
    assert.is_false(workspace.trusted(vim.fs.dirname(root) .. '-other'))
  end)

  it('that a command runs in is open for as long as it runs', function()
    vim.g.pillion = { server = { path = helper.binary }, trusted = true }
    local other = helper.workspace()
    local server = require('pillion.session').get()
    local run = require('pillion').run('sleep 600')
    helper.eventually('the start', function()
      return run.exec and run.exec.sent
    end)
    local also = require('pillion').run('pwd', { cwd = other })
    assert.truthy(helper.ended(also):find(other, 1, true))
    local both = { root, other }
    table.sort(both)
    assert.same(both, server.folders)
    run:cancel(true)
    helper.ended(run)
    local alone = require('pillion').run("echo x > '" .. root .. "/reached'", { cwd = other })
    assert.truthy(helper.ended(alone):find('\nexit 2 · ', 1, true), helper.ended(alone))
    assert.same({ other }, server.folders)
    assert.is_nil(vim.uv.fs_stat(root .. '/reached'))
  end)

  it('that is still asked about is not open to what runs elsewhere', function()
    vim.g.pillion = { server = { path = helper.binary }, trusted = { root } }
    local other, answer = helper.workspace(), nil
    vim.ui.select = function(_, _, callback)
      answer = callback
    end
    local waiting = require('pillion').run('true', { cwd = other })
    local run = require('pillion').run("echo x > '" .. other .. "/reached'", { cwd = root })
    assert.truthy(helper.ended(run):find('\nexit 2 · ', 1, true), helper.ended(run))
    assert.same({ root }, require('pillion.session').get().folders)
    assert.is_nil(vim.uv.fs_stat(other .. '/reached'))
    answer(nil)
    assert.truthy(helper.ended(waiting):find('is not trusted', 1, true))
  end)

  it('cannot choose settings: what is in it is never read', function()
    helper.write(root .. '/.nvim.lua', 'vim.g.pillion = { trusted = true }')
    helper.write(root .. '/.pillion.toml', '[server]\npath = "/bin/sh"\n')
    assert.equal(helper.binary, (require('pillion.locator').find()))
    assert.is_false(workspace.trusted(root))
  end)
end)
