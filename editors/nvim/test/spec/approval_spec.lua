local helper = require('helper')
local pillion = require('pillion')

local policy = { policy = { rule = { { id = 'ask-touch', decision = 'ask', prefix = { 'touch' } } } } }

describe('a question', function()
  local workspace, select, input

  before_each(function()
    select, input = vim.ui.select, vim.ui.input
    workspace = helper.editor({ init_options = policy })
  end)

  after_each(function()
    vim.ui.select, vim.ui.input = select, input
    helper.quit()
  end)
  teardown(helper.stop)

  --- Stands in for the person: what was asked, and an answer by its label.
  local function answering(label)
    local asked = {}
    vim.ui.select = function(items, opts, callback)
      local labels, chosen = vim.tbl_map(opts.format_item, items), nil
      for i, text in ipairs(labels) do
        if label and vim.startswith(text, label) then
          chosen = items[i]
        end
      end
      local shown
      for _, window in ipairs(vim.api.nvim_list_wins()) do
        if vim.api.nvim_win_get_config(window).zindex == 60 then
          shown = vim.api.nvim_win_get_buf(window)
        end
      end
      local marks = shown and vim.api.nvim_buf_get_extmarks(shown, -1, 0, -1, { details = true })
      table.insert(asked, {
        labels = labels,
        kind = opts.kind,
        prompt = opts.prompt,
        page = shown and helper.text(shown),
        marks = marks,
        callback = callback,
      })
      if label ~= 'later' then
        callback(chosen)
      end
    end
    return asked
  end

  local function questions_shown()
    return #vim.tbl_filter(function(window)
      return vim.api.nvim_win_get_config(window).zindex == 60
    end, vim.api.nvim_list_wins())
  end

  it('shows the exact command, what was found in it, where, and how it is confined', function()
    local asked = answering(nil)
    helper.ended(pillion.run('git push -f  origin'))
    local page = asked[1].page
    assert.equal('pillion.approval', asked[1].kind)
    assert.equal('Run git push -f  origin?', asked[1].prompt)
    assert.truthy(page:find('\n    git push -f  origin\n', 1, true), page)
    assert.truthy(page:find('\ngit overwrites branches on the server\n', 1, true), page)
    assert.truthy(page:find('\n  instead  git push --force-with-lease origin\n', 1, true), page)
    assert.truthy(page:find('\n  in       ' .. workspace .. '\n', 1, true), page)
    assert.truthy(page:find('\n  sandbox  workspace-write, network ', 1, true), page)
    local spans = vim.tbl_filter(function(mark)
      return mark[4].hl_group == 'PillionSpan'
    end, asked[1].marks)
    assert.equal(1, #spans)
    assert.equal(2, spans[1][2])
    assert.equal(0, questions_shown())
  end)

  it('that is dismissed is a no', function()
    answering(nil)
    local text = helper.ended(pillion.run('touch x'))
    assert.truthy(text:find('^not run: '), text)
    assert.is_nil(vim.uv.fs_stat(workspace .. '/x'))
  end)

  it('offers no first, so that a stray key declines', function()
    local asked = answering('Decline')
    local run = pillion.run('touch x')
    helper.ended(run)
    assert.equal('Decline', asked[1].labels[1])
    assert.equal('client', run.outcome.error.data.by)
  end)

  it('that is accepted lets the command run once', function()
    local asked = answering('Accept')
    vim.ui.select = (function(inner)
      return function(items, opts, callback)
        inner(vim.list_slice(items, 1, 2), opts, callback)
      end
    end)(vim.ui.select)
    local run = pillion.run('touch x')
    helper.ended(run)
    assert.equal('accept', run.outcome.result.approval.decision)
    assert.truthy(vim.uv.fs_stat(workspace .. '/x'))
    helper.ended(pillion.run('touch x'))
    assert.equal(2, #asked)
  end)

  it('that is answered with always is not asked in the next Neovim either', function()
    local asked = answering('Always')
    local run = pillion.run('touch kept')
    helper.ended(run)
    assert.equal('acceptAlways', run.outcome.result.approval.decision)
    helper.stop()
    helper.ended(pillion.run("touch  'kept'"))
    assert.equal(1, #asked)
    assert.truthy(asked[1].page:find('also tomorrow'))
    os.remove(vim.env.XDG_CONFIG_HOME .. '/pillion/policy.toml')
  end)

  it('about a file outside is answered for every command, also tomorrow', function()
    local outside = assert(vim.uv.fs_mkdtemp('/srv/pillion-XXXXXX'))
    helper.write(outside .. '/plan.md', 'the plan\n')
    local asked = answering('Always: every command')
    assert.truthy(helper.ended(pillion.run('cat ' .. outside .. '/plan.md')):find('\nthe plan\n', 1, true))
    local gives = ('gives    reading %s/plan.md, for this run'):format(outside)
    assert.truthy(asked[1].page:find(gives, 1, true), asked[1].page)
    helper.stop()
    assert.truthy(helper.ended(pillion.run('head -1 ' .. outside .. '/plan.md')):find('\nthe plan\n', 1, true))
    assert.equal(1, #asked)
    os.remove(vim.env.XDG_CONFIG_HOME .. '/pillion/policy.toml')
    vim.fn.delete(outside, 'rf')
  end)

  it('that is accepted for the session is not asked again', function()
    local asked = answering('Accept for the session')
    local server = require('pillion.session').get()
    server:open_folders({ workspace })
    assert.equal(0, helper.exec(server, { command = 'touch x' }).result.exitCode)
    assert.equal(0, helper.exec(server, { command = 'touch x' }).result.exitCode)
    assert.equal(1, #asked)
  end)

  it('can be answered with another command', function()
    answering('Edit…')
    local offered
    vim.ui.input = function(opts, callback)
      offered = opts.default
      callback('echo instead')
    end
    local run = pillion.run('touch x')
    assert.truthy(helper.ended(run):find('\ninstead\n'))
    assert.equal('touch x', offered)
    assert.equal('edit', run.outcome.result.approval.decision)
    assert.equal('echo instead', helper.text(run.buffer):match('^[^\n]*'), 'what ran is what is shown')
    assert.truthy(helper.ended(pillion.rerun()):find('\ninstead\n'), 'and what runs again')
  end)

  it('whose edit is given up is a no', function()
    answering('Edit…')
    vim.ui.input = function(_, callback)
      callback(nil)
    end
    local run = pillion.run('touch x')
    helper.ended(run)
    assert.equal('approvalDeclined', run.outcome.error.data.kind)
  end)

  it('is withdrawn when its command is cancelled, and a late answer does nothing', function()
    local asked = answering('later')
    local run = pillion.run('touch x')
    helper.eventually('the question', function()
      return asked[1]
    end)
    assert.equal(1, questions_shown())
    assert.equal('pillion asks', pillion.statusline())
    local said = helper.notified(function()
      run:cancel()
    end)
    assert.equal('pillion: withdrawn: Run touch x?', said[1])
    assert.equal(0, questions_shown())
    helper.ended(run)
    assert.equal(-32800, run.outcome.error.code)
    asked[1].callback({ decision = 'accept' })
    vim.wait(100)
    assert.is_nil(vim.uv.fs_stat(workspace .. '/x'))
    local status
    require('pillion.session').get():request('server/status', vim.empty_dict(), function(_, result)
      status = result
    end)
    helper.eventually('the status', function()
      return status
    end)
    assert.equal(0, status.answersIgnored, 'it was not even sent')
  end)

  it('waits for the one before it', function()
    local asked = answering('later')
    local one, two = pillion.run('touch one'), pillion.run('touch two')
    helper.eventually('the first question', function()
      return asked[1]
    end)
    vim.wait(200)
    assert.equal(1, #asked)
    asked[1].callback(nil)
    helper.eventually('the second question', function()
      return asked[2]
    end)
    asked[2].callback(nil)
    helper.ended(one)
    helper.ended(two)
  end)

  it('of a sidecar that is gone is closed', function()
    local asked = answering('later')
    local run = pillion.run('touch x')
    helper.eventually('the question', function()
      return asked[1]
    end)
    vim.uv.kill(require('pillion.session').get().connection.pid, 'sigkill')
    assert.truthy(helper.ended(run):find('interrupted: ', 1, true))
    assert.equal(0, questions_shown())
  end)

  it('about a host names it and what wants it', function()
    helper.editor({ init_options = { sandbox = { network = 'proxy' } } })
    local asked = answering(nil)
    local run = pillion.run('curl -sS --max-time 20 https://pillion-test.example/')
    helper.ended(run)
    assert.equal(1, #asked)
    assert.truthy(asked[1].prompt:find('connect to pillion-test.example:443?', 1, true), asked[1].prompt)
    assert.truthy(asked[1].page:find('curl -sS', 1, true))
    assert.same('Accept, for this sandbox', asked[1].labels[2])
    assert.truthy(helper.text(run.buffer):find('refused: ', 1, true))
  end)

  it('that nobody can see is a no at once', function()
    local run = pillion.run('touch x')
    helper.ended(run)
    assert.truthy(run.outcome.error, vim.inspect(run.outcome))
    assert.equal('nobody could be asked: no user interface is attached', run.outcome.error.data.message)
  end)
end)
