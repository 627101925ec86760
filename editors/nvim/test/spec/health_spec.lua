local helper = require('helper')

describe(':checkhealth pillion', function()
  before_each(function()
    helper.editor()
  end)

  after_each(helper.quit)
  teardown(helper.stop)

  local function report()
    vim.cmd('checkhealth pillion')
    local text = helper.text(0)
    vim.cmd('bwipeout!')
    return text
  end

  it('is content with a good machine, and says what is enforced', function()
    local text = report()
    assert.truthy(text:find('OK binary: ' .. helper.binary .. ', version ', 1, true), text)
    assert.truthy(text:find('OK protocol: the binary was made from the types of this plugin', 1, true), text)
    assert.truthy(text:find('workspace-write', 1, true), text)
    assert.truthy(text:find('OK sandbox: ', 1, true), text)
    assert.truthy(text:find('sidecar: not started yet', 1, true) or text:find('sidecar: stopped', 1, true), text)
    assert.is_nil(text:find('ERROR', 1, true), text)
  end)

  it('names the setting when there is no binary', function()
    vim.g.pillion = { server = { path = '/nowhere/pillion' } }
    local text = report()
    assert.truthy(text:find('ERROR pillion: server.path is /nowhere/pillion', 1, true), text)
  end)

  it('names settings that are wrong', function()
    vim.g.pillion = { server = { path = helper.binary }, colour = true }
    assert.truthy(report():find('colour is no setting', 1, true))
  end)

  it('says why the sidecar failed', function()
    vim.g.pillion = { server = { path = helper.binary }, trusted = true, init_options = { sandbox = { mode = 'x' } } }
    helper.ended(require('pillion').run('true'))
    assert.truthy(report():find('ERROR pillion: the sidecar does not start: ', 1, true))
  end)
end)
