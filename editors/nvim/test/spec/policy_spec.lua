local helper = require('helper')

describe('a policy file', function()
  local workspace

  before_each(function()
    workspace = helper.editor()
  end)

  after_each(function()
    helper.quit()
    vim.lsp.stop_client(vim.lsp.get_clients())
    helper.eventually('the end of the language server', function()
      return #vim.lsp.get_clients() == 0
    end)
    os.remove(vim.env.XDG_CONFIG_HOME .. '/pillion/policy.toml')
  end)
  teardown(helper.stop)

  local function open(path, text)
    helper.write(path, text, 'rw-------')
    vim.cmd.edit(path)
  end

  --- What is marked, when it is the wanted number.
  local function marked(count)
    return helper.eventually(count .. ' marks', function()
      local found = vim.diagnostic.get(0)
      return #vim.lsp.get_clients({ bufnr = 0 }) > 0 and #found == count and found
    end)
  end

  local function ask(method, column)
    local line = vim.api.nvim_win_get_cursor(0)[1]
    vim.api.nvim_win_set_cursor(0, { line, column })
    local answers = vim.lsp.buf_request_sync(0, method, vim.lsp.util.make_position_params(0, 'utf-16'), 15000)
    local _, answer = next(answers or {})
    return answer.result
  end

  it('is marked where it is wrong, and a code action mends it', function()
    open(workspace .. '/.pillion.toml', '# 😀\n[sandbox]\nnetwrk = "deny"\n')
    local found = marked(1)[1]
    assert.same({ 2, 0, 2, 6 }, { found.lnum, found.col, found.end_lnum, found.end_col })
    assert.equal('sandbox.netwrk: there is no such key; did you mean network?', found.message)
    vim.api.nvim_win_set_cursor(0, { 3, 2 })
    vim.lsp.buf.code_action({ apply = true })
    marked(0)
    assert.equal('# 😀\n[sandbox]\nnetwork = "deny"', helper.text(0))
  end)

  it('is marked at the right place behind characters of two units', function()
    open(vim.env.XDG_CONFIG_HOME .. '/pillion/policy.toml', 'readable = [ "/😀", "x😀" ]')
    local found = marked(1)[1]
    assert.equal('"x😀"', vim.api.nvim_buf_get_text(0, found.lnum, found.col, found.end_lnum, found.end_col, {})[1])
  end)

  it('is completed and explained', function()
    open(workspace .. '/.pillion.toml', '[sandbox]\nmode = "read-only"\nn')
    marked(1)
    vim.api.nvim_win_set_cursor(0, { 2, 0 })
    assert.truthy(ask('textDocument/hover', 1).contents.value:find('What a command may write.', 1, true))
    local labels = vim.tbl_map(function(item)
      return item.label
    end, ask('textDocument/completion', 8))
    assert.same({ '"read-only"', '"workspace-write"' }, labels)
    assert.equal('v:lua.vim.lsp.omnifunc', vim.bo.omnifunc)
    vim.api.nvim_win_set_cursor(0, { 3, 0 })
    vim.lsp.util.apply_text_edits(
      { ask('textDocument/completion', 1)[1].textEdit },
      vim.api.nvim_get_current_buf(),
      'utf-16'
    )
    assert.equal('[sandbox]\nmode = "read-only"\nnetwork =', helper.text(0))
    vim.bo.modified = false
  end)

  it('has no language server with the setting lsp = false, and other files have none', function()
    vim.g.pillion = vim.tbl_extend('force', vim.g.pillion, { lsp = false })
    open(workspace .. '/.pillion.toml', 'x = 1\n')
    vim.g.pillion = vim.tbl_extend('force', vim.g.pillion, { lsp = true })
    open(workspace .. '/policy.toml', 'x = 1\n')
    open(workspace .. '/pillion/policy.toml', 'x = 1\n')
    marked(1)
    local buffers = vim.tbl_keys(vim.lsp.get_clients()[1].attached_buffers)
    assert.same({ vim.api.nvim_get_current_buf() }, buffers)
  end)

  it('holds from the next command when it was saved', function()
    local run = function(command)
      return helper.code(require('pillion').run(command, { cwd = workspace }))
    end
    assert.equal(0, run('touch x'))
    open(workspace .. '/.pillion.toml', '[sandbox]\n')
    vim.api.nvim_buf_set_lines(0, 1, 1, false, { 'mode = "read-only"' })
    vim.cmd('silent write')
    assert.not_equal(0, run('touch x'))
    vim.cmd.edit(workspace .. '/.pillion.toml')
    vim.api.nvim_buf_set_lines(0, 0, -1, false, {})
    vim.cmd('silent write')
    assert.equal(0, run('touch x'))
    open(vim.env.XDG_CONFIG_HOME .. '/pillion/policy.toml', '')
    vim.api.nvim_buf_set_lines(0, 0, -1, false, { '[sandbox]', 'mode = "read-only"' })
    vim.cmd('silent write')
    assert.not_equal(0, run('touch x'))
  end)
end)
