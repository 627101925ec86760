local helper = require('helper')
local pillion = require('pillion')

describe('the quickfix list', function()
  local workspace

  before_each(function()
    workspace = helper.editor()
    vim.fn.setqflist({}, 'f')
    helper.write(workspace .. '/sub/a.c', 'one\ntwo\nthree\n')
  end)

  after_each(helper.quit)
  teardown(helper.stop)

  it('has the places that the output names, from the directory the command ran in', function()
    vim.o.errorformat = '%f:%l:%c: %m'
    local run = pillion.run([[printf '\033[31ma.c:2:3: too odd\033[0m\nother\n']], { cwd = workspace .. '/sub' })
    helper.ended(run)
    vim.cmd('close | Pillion quickfix')
    local items = vim.fn.getqflist()
    assert.equal(workspace .. '/sub/a.c', vim.api.nvim_buf_get_name(items[1].bufnr))
    assert.same({ 2, 3, 'too odd' }, { items[1].lnum, items[1].col, items[1].text })
    assert.same({ 0, 'other' }, { items[2].valid, items[2].text })
    assert.equal('quickfix', vim.bo.buftype)
    vim.cmd.cclose()
    vim.cmd('set errorformat&')
  end)

  it('is filled by itself when a command fails, if the settings say so', function()
    vim.g.pillion = {
      server = { path = helper.binary },
      trusted = true,
      quickfix = true,
      errorformat = '%f|%l|%m',
    }
    helper.ended(pillion.run("echo 'sub/a.c|1|fine'"))
    assert.same({}, vim.fn.getqflist())
    helper.ended(pillion.run("echo 'sub/a.c|1|bad'; exit 1"))
    assert.equal('bad', vim.fn.getqflist()[1].text)
    assert.equal("echo 'sub/a.c|1|bad'; exit 1", vim.fn.getqflist({ title = true }).title)
  end)
end)
