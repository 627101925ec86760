local helper = require('helper')
local pillion = require('pillion')

describe(':Pillion', function()
  local workspace

  before_each(function()
    workspace = helper.editor()
  end)

  after_each(helper.quit)
  teardown(helper.stop)

  local function window()
    return vim.api.nvim_win_get_config(0).relative ~= '' and 'float' or 'split'
  end

  local function last()
    return require('pillion.runs').last
  end

  it('run shows the command, its output and how it ended', function()
    vim.cmd([[Pillion run printf 'one\n%s\n' two | tr a-z A-Z; exit 3]])
    local text = helper.ended(last())
    assert.equal([[printf 'one\n%s\n' two | tr a-z A-Z; exit 3]], text:match('^[^\n]*'))
    assert.truthy(text:find('\nONE\nTWO\n'), text)
    assert.truthy(text:match('\nexit 3 · %d+%.?%d* m?s · workspace%-write, network [%a ]+$'), text)
  end)

  it('run opens a float and run! a split, or the other way round', function()
    vim.cmd('Pillion run true')
    assert.equal('float', window())
    helper.ended(last())
    vim.cmd('close | Pillion! run true')
    assert.equal('split', window())
    assert.equal(2, #vim.api.nvim_tabpage_list_wins(0))
    helper.ended(last())
    vim.g.pillion = { server = { path = helper.binary }, trusted = true, output = { window = 'tab' } }
    vim.cmd('Pillion! run true')
    assert.equal('float', window())
    helper.ended(last())
    vim.cmd('close | Pillion run true')
    assert.equal(2, #vim.api.nvim_list_tabpages())
    helper.ended(last())
  end)

  it('run without a command asks for one', function()
    local input = vim.ui.input
    vim.ui.input = function(opts, callback)
      assert.equal('pillion run: ', opts.prompt)
      callback('echo typed')
    end
    vim.cmd('Pillion run')
    vim.ui.input = input
    assert.truthy(helper.ended(last()):find('\ntyped\n'))
  end)

  it('run gives the command a terminal as large as its window', function()
    local run = pillion.run('stty size')
    local size = { vim.api.nvim_win_get_height(0), vim.api.nvim_win_get_width(0) }
    assert.truthy(helper.ended(run):find(('\n%d %d\n'):format(unpack(size))))
  end)

  it('run leaves a window alone that looks at earlier lines', function()
    local run = pillion.run('seq 1 200; while ! [ -e go ]; do sleep 0.05; done; seq 201 400')
    helper.eventually('the output', function()
      return helper.text(run.buffer):find('\n200') and vim.api.nvim_win_get_cursor(0)[1] > 200
    end)
    vim.api.nvim_win_set_cursor(0, { 5, 0 })
    helper.write(workspace .. '/go', '')
    helper.ended(run)
    assert.equal(5, vim.api.nvim_win_get_cursor(0)[1])
  end)

  it('run tells the command when its window changes', function()
    local run = pillion.run("trap 'stty size; exit 0' WINCH; echo up; while :; do sleep 0.05; done", { bang = true })
    helper.eventually('the start', function()
      return helper.text(run.buffer):find('\nup')
    end)
    vim.api.nvim_win_set_height(0, 7)
    vim.cmd('doautocmd WinResized')
    assert.truthy(helper.ended(run):find(('\n7 %d\n'):format(vim.o.columns)))
  end)

  it('rerun runs the last one again where it ran', function()
    vim.cmd('Pillion run pwd')
    helper.ended(last())
    vim.cmd.cd(vim.env.PILLION_TEST_TMP)
    vim.cmd('Pillion rerun')
    assert.truthy(helper.ended(last()):find('\n' .. workspace .. '\n', 1, true))
  end)

  it('cancel ends the command and everything it has started', function()
    vim.cmd('Pillion run sleep 600 & echo up; wait')
    local run = last()
    helper.eventually('the start', function()
      return helper.text(run.buffer):find('\nup')
    end)
    vim.cmd('Pillion cancel')
    assert.truthy(helper.ended(run):find('cancelled (killed by SIGTERM)', 1, true))
  end)

  it('cancel! kills what does not want to end', function()
    local run = pillion.run("trap '' TERM; echo up; while :; do sleep 0.05; done")
    helper.eventually('the start', function()
      return helper.text(run.buffer):find('\nup')
    end)
    vim.cmd('Pillion! cancel')
    assert.truthy(helper.ended(run):find('cancelled (killed by SIGKILL)', 1, true))
  end)

  it('cancel all ends all of them', function()
    local one, two = pillion.run('sleep 600'), pillion.run('sleep 601')
    helper.eventually('the start', function()
      return one.exec.sent and two.exec.sent
    end)
    vim.cmd('Pillion cancel all')
    helper.ended(one)
    assert.truthy(helper.ended(two):find('cancelled', 1, true))
  end)

  it('output opens what was closed, and wiping it out ends its command', function()
    local run = pillion.run('echo up; sleep 600')
    helper.eventually('the start', function()
      return helper.text(run.buffer):find('\nup')
    end)
    vim.cmd('close | Pillion output')
    assert.equal(run.buffer, vim.api.nvim_get_current_buf())
    vim.cmd('bwipeout!')
    helper.eventually('the end', function()
      return run.outcome
    end)
    assert.equal('cancelled', run.outcome.result.reason)
  end)

  it('full has all that was written, also what the terminal does not keep', function()
    helper.ended(pillion.run('seq 1 60000'))
    assert.is_nil(helper.text(0):find('\n1\n2\n', 1, true))
    vim.cmd('close | Pillion full')
    local lines = helper.eventually('the whole output', function()
      local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
      return #lines > 60000 and lines
    end)
    assert.same({ '1', '2', '60000', '' }, { lines[1], lines[2], lines[60000], lines[60001] })
  end)

  it('full says so when the output is gone', function()
    helper.ended(pillion.run('true'))
    local said = helper.notified(function()
      vim.cmd('Pillion restart')
      helper.eventually('the restart', function()
        return require('pillion.session').get().state == 'ready'
      end)
      vim.cmd('Pillion full')
    end)
    assert.truthy(said[1]:find('pillion: the output is not kept any more: ', 1, true))
  end)

  it('tells of the end of a command that is not seen', function()
    local said = helper.notified(function()
      pillion.run('exit 4')
      vim.cmd('close')
    end)
    assert.equal('pillion: exit 4: exit 4', said[1])
  end)

  it('denied says why, what instead, and underlines it', function()
    vim.cmd('Pillion run echo hi; rm -rf ~')
    local run = last()
    local text = helper.ended(run)
    assert.truthy(text:match('^not run: denied: deletes ' .. vim.pesc(vim.env.HOME)), text)
    assert.truthy(text:find('\n  why      A deleted system or home directory', 1, true))
    assert.truthy(text:find('\n  instead  delete by name, inside the workspace\n', 1, true))
    assert.truthy(text:find('\n  rule     fs/delete-system', 1, true))
    local underlined = {}
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(run.buffer, -1, 0, -1, { details = true })) do
      if mark[4].hl_group == 'PillionSpan' then
        local line = vim.api.nvim_buf_get_lines(run.buffer, mark[2], mark[2] + 1, false)[1]
        table.insert(underlined, line:sub(mark[3] + 1, mark[4].end_col))
      end
    end
    assert.same({ '~' }, underlined)
    assert.is_true(vim.api.nvim_get_hl(0, { name = 'DiagnosticUnderlineError' }).underline)
  end)

  it('says what the sandbox refused and what would allow it', function()
    local run = pillion.run("echo /etc/x | awk '{ print > $1 }'")
    local text = helper.ended(run)
    assert.truthy(text:find('refused: awk: openat /etc/x', 1, true), text)
    assert.truthy(text:find('\nexit 2 · ', 1, true), text)
  end)

  it('tells a refused lookup while the command runs, and where nobody sees it', function()
    workspace = helper.editor({ init_options = { sandbox = { network = 'deny' } } })
    local command = 'getent hosts npm.example; until [ -e on ]; do sleep 0.1; done'
    local run = pillion.run(command)
    local said = helper.notified(function()
      vim.cmd.close()
    end)
    assert.truthy(vim.startswith(said[1], 'pillion: refused: resolve npm.example (network)'), said[1])
    helper.eventually('the line', function()
      return helper.text(run.buffer):find('refused: resolve npm.example', 1, true)
    end)
    helper.write(workspace .. '/on', '')
    assert.equal(0, helper.code(run))
  end)

  it('retries what was refused with exactly that, by one key, for one run', function()
    local outside = assert(vim.uv.fs_mkdtemp('/srv/pillion-XXXXXX'))
    helper.write(workspace .. '/use.sh', ('date >%s/made\n'):format(outside))
    local run = pillion.run('sh use.sh')
    local text = helper.ended(run)
    assert.truthy(text:gsub('\n', ''):find('(R or :Pillion retry: this once, run again)', 1, true), text)
    local windows = #vim.api.nvim_list_wins()
    helper.eventually('the key', function()
      vim.api.nvim_feedkeys('R', 'x', false)
      return last() ~= run
    end)
    local again = last()
    text = helper.ended(again)
    assert.equal(run.exec.id, again.outcome.result.retryOf)
    assert.truthy(text:find('\nexit 0 · '), text)
    assert.equal(windows, #vim.api.nvim_list_wins())
    assert.truthy(vim.uv.fs_stat(outside .. '/made'))
    assert.equal(2, helper.code(pillion.rerun()), 'it was given once')
    vim.cmd('Pillion retry')
    assert.equal(0, helper.code(last()))
    local said = helper.notified(function()
      vim.cmd('Pillion retry')
    end)
    assert.truthy(said[1]:find('nothing was refused', 1, true))
    vim.fn.delete(outside, 'rf')
  end)

  it('gives more of a limit, a socket, or a file to read by the same key', function()
    workspace = helper.editor({ init_options = { limits = { maxFileBytes = 100000 } } })
    local outside = assert(vim.uv.fs_mkdtemp('/srv/pillion-XXXXXX'))
    local server = vim.uv.new_pipe()
    assert(server:bind(outside .. '/db.sock'))
    server:listen(8, function()
      local peer = vim.uv.new_pipe()
      server:accept(peer)
      peer:write('hello\n', function()
        peer:close()
      end)
    end)
    local dial = [[use Socket; socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die; ]]
      .. [[connect($s, sockaddr_un($ARGV[0])) or die "$ARGV[0]: $!"; print <$s>;]]
    helper.write(workspace .. '/dial.sh', ("perl -e '%s' %s/db.sock\n"):format(dial, outside))
    helper.write(outside .. '/plan.md', 'the plan\n')
    helper.write(workspace .. '/read.sh', ('cat %s/plan.md\n'):format(outside))
    for _, command in ipairs({ 'head -c 150000 /dev/zero >big', 'sh read.sh', 'sh dial.sh' }) do
      local run = pillion.run(command)
      assert.is_not.equal(0, helper.code(run), helper.text(run.buffer))
      helper.eventually('the key', function()
        vim.api.nvim_feedkeys('R', 'x', false)
        return last() ~= run
      end)
      assert.equal(0, helper.code(last()), helper.text(last().buffer))
    end
    assert.truthy(helper.text(last().buffer):find('\nhello\n', 1, true))
    server:close()
    vim.fn.delete(outside, 'rf')
  end)

  it('shows what a program sends to the clipboard or the title as nothing', function()
    local requests = {}
    local autocmd = vim.api.nvim_create_autocmd('TermRequest', {
      callback = function(event)
        table.insert(requests, event)
      end,
    })
    local run = pillion.run([[printf 'a\033]52;c;eA==\007b\033]0;T\007c\n']])
    assert.truthy(helper.ended(run):find('\nabc\n'))
    vim.api.nvim_del_autocmd(autocmd)
    assert.same({}, requests)
    assert.is_nil((vim.b[run.buffer].term_title or ''):match('^T$'))
  end)

  it('tells autocommands of the start and the end', function()
    local events = {}
    local group = vim.api.nvim_create_augroup('spec', {})
    for _, name in ipairs({ 'PillionRunStarted', 'PillionRunFinished' }) do
      vim.api.nvim_create_autocmd('User', {
        group = group,
        pattern = name,
        callback = function(event)
          table.insert(events, event)
        end,
      })
    end
    helper.ended(pillion.run('exit 7'))
    vim.api.nvim_del_augroup_by_id(group)
    assert.same({ 'PillionRunStarted', 'PillionRunFinished' }, { events[1].match, events[2].match })
    assert.equal('exit 7', events[1].data.command)
    assert.equal(7, events[2].data.code)
    assert.equal('exited', events[2].data.result.reason)
    assert.equal(workspace, events[2].data.root)
  end)

  it('tells what a command waits for, and how to answer', function()
    local told, notify = {}, vim.notify
    vim.notify = function(message)
      table.insert(told, message)
    end
    local run = pillion.run([[printf 'Name? '; read -r x; echo "got $x"]])
    helper.eventually('the question', function()
      return #told > 0
    end)
    vim.notify = notify
    assert.truthy(told[1]:find('waits for a line: Name? (i to answer)', 1, true), told[1])
    run.exec:write('me\r')
    assert.truthy(helper.ended(run):find('\ngot me\n'))
    assert.equal(1, #told)
  end)

  it('tells of a server, and lets its port out', function()
    local told, opened, notify, open = {}, nil, vim.notify, vim.ui.open
    vim.notify = function(message)
      table.insert(told, message)
    end
    vim.ui.open = function(url)
      opened = url
    end
    helper.write(workspace .. '/index.html', 'a page of the workspace\n')
    local run = pillion.run('python3 -m http.server 8123 --bind 127.0.0.1')
    helper.eventually('the server', function()
      return #told > 0
    end, 60000)
    assert.truthy(told[1]:find('listens on 127.0.0.1:8123 in the sandbox (:Pillion forward 8123', 1, true), told[1])
    assert.same({ '8123' }, require('pillion.command').complete('', 'Pillion forward ', 16))
    vim.cmd('Pillion forward 1')
    assert.truthy(told[2]:find('one of 8123', 1, true), told[2])
    vim.cmd('Pillion! forward')
    helper.eventually('the address', function()
      return #told > 2
    end)
    local url = told[3]:match('is at (http://127.0.0.1:%d+/)$')
    assert.equal(url, opened)
    local got = vim.system({ 'curl', '-sS', '--noproxy', '*', url }):wait()
    assert.equal('a page of the workspace\n', got.stdout)
    run:cancel(true)
    helper.ended(run)
    vim.cmd('Pillion forward 8123')
    vim.notify, vim.ui.open = notify, open
    assert.truthy(told[4]:find('no command listens', 1, true), told[4])
  end)

  it('has a word for the statusline, without anything of the command in it', function()
    local run = pillion.run("echo '%{system(1)}'; echo up; sleep 600")
    helper.eventually('the start', function()
      return helper.text(run.buffer):find('\nup')
    end)
    assert.equal('pillion runs', pillion.statusline())
    run:cancel(true)
    helper.ended(run)
    assert.equal('pillion exit 130', pillion.statusline())
  end)

  it('says when the sidecar is killed under a command, and goes on', function()
    local run = pillion.run('echo up; sleep 600')
    helper.eventually('the start', function()
      return helper.text(run.buffer):find('\nup')
    end)
    vim.uv.kill(require('pillion.session').get().connection.pid, 'sigkill')
    assert.truthy(helper.ended(run):find('\nup\ninterrupted: ', 1, true))
    assert.truthy(helper.ended(pillion.run('echo again')):find('\nagain\n'))
  end)

  it('restart starts another sidecar', function()
    helper.ended(pillion.run('true'))
    local server = require('pillion.session').get()
    local before = server.connection.pid
    vim.cmd('Pillion restart')
    helper.eventually('the restart', function()
      return server.state == 'ready'
    end)
    assert.not_equal(before, server.connection.pid)
  end)

  it('says one sentence when there is no binary, and finds it after a restart', function()
    helper.stop()
    vim.g.pillion = { server = { path = workspace .. '/none' }, trusted = true }
    local run
    local said = helper.notified(function()
      run = pillion.run('true')
    end)
    assert.equal(1, #said)
    assert.truthy(said[1]:find('server.path is ', 1, true))
    assert.truthy(helper.ended(run):find('not run: server.path is ', 1, true))
    vim.g.pillion = { server = { path = helper.binary }, trusted = true }
    vim.cmd('Pillion restart')
    assert.truthy(helper.ended(pillion.run('echo fine')):find('\nfine\n'))
  end)

  it('log, doctor and version show what there is', function()
    helper.ended(pillion.run('true'))
    vim.cmd('Pillion log')
    assert.truthy(helper.text(0):find('nvim: the sidecar is ready', 1, true))
    vim.cmd('close | Pillion doctor')
    helper.eventually('the doctor', function()
      return helper.text(0):find('the default sandbox is fully enforced', 1, true)
    end)
    local said = helper.notified(function()
      vim.cmd('Pillion version')
    end)
    assert.truthy(said[1]:match('^pillion %S+, ' .. vim.pesc(helper.binary) .. ' %(server.path%); this plugin speaks'))
  end)

  it('is completed', function()
    assert.same({ 'cancel' }, vim.fn.getcompletion('Pillion can', 'cmdline'))
    assert.same({ 'rerun', 'restart', 'retry', 'review', 'run' }, vim.fn.getcompletion('Pillion! r', 'cmdline'))
    assert.same({ 'all' }, vim.fn.getcompletion('Pillion cancel ', 'cmdline'))
    vim.fn.mkdir(workspace .. '/somewhere')
    assert.same({ 'somewhere/' }, vim.fn.getcompletion('Pillion run ls some', 'cmdline'))
  end)

  it('runs nothing to complete a command', function()
    vim.fn.getcompletion('Pillion run echo `touch${IFS}pwned`x', 'cmdline')
    vim.fn.getcompletion('Pillion run echo {a,`touch${IFS}pwned`}', 'cmdline')
    vim.fn.getcompletion('Pillion run `touch${IFS}pwned`', 'cmdline')
    assert.is_nil(vim.uv.fs_stat(workspace .. '/pwned'))
  end)

  it('run in the window of a command runs where that ran', function()
    local other = helper.workspace()
    helper.ended(pillion.run('true', { cwd = other }))
    assert.truthy(helper.ended(pillion.run('pwd')):find(other, 1, true))
  end)

  it('goes on when an autocommand of the user fails', function()
    local autocmd = vim.api.nvim_create_autocmd('User', {
      pattern = 'PillionRunFinished',
      callback = function()
        error('mine')
      end,
    })
    helper.ended(pillion.run('true'))
    vim.api.nvim_del_autocmd(autocmd)
    assert.truthy(helper.ended(pillion.run('echo fine')):find('\nfine\n'))
  end)

  it('has names for keys, and maps none', function()
    for _, name in ipairs({ 'run', 'rerun', 'cancel', 'output', 'quickfix', 'log' }) do
      assert.equal(('<Cmd>Pillion %s<CR>'):format(name), vim.fn.maparg(('<Plug>(pillion-%s)'):format(name), 'n'))
    end
    for _, map in ipairs(vim.api.nvim_get_keymap('n')) do
      assert.truthy(vim.startswith(map.lhs, '<Plug>') or not (map.rhs or ''):find('Pillion'), map.lhs)
    end
  end)

  it('ends a command after the time of the settings', function()
    helper.editor({ timeout_ms = 300 })
    assert.truthy(helper.ended(pillion.run('sleep 600')):find('timed out (killed by SIGTERM)', 1, true))
  end)

  it('starts the sidecar with the arguments and the environment of the settings', function()
    helper.stop()
    local seen = vim.env.PILLION_TEST_TMP .. '/seen'
    local wrapper = helper.write(
      vim.env.PILLION_TEST_TMP .. '/wrapper',
      ('#!/bin/sh\n[ "$1" = version ] || echo "$MARK $*" >%s\nexec %s "$@"\n'):format(seen, helper.binary),
      'rwxr-xr-x'
    )
    helper.editor({ server = { path = wrapper, args = { 'serve' }, env = { MARK = 'marked' } } })
    assert.truthy(helper.ended(pillion.run('echo "<$MARK>"')):find('\n<>\n'), 'it is no variable of commands')
    assert.same({ 'marked serve' }, vim.fn.readfile(seen))
    helper.stop()
  end)

  it('log shows the conversation if the settings say so', function()
    helper.stop()
    helper.editor({ trace = 'messages' })
    helper.ended(pillion.run('true'))
    vim.cmd('Pillion log')
    assert.truthy(helper.text(0):find("trace: Received request 'exec", 1, true), helper.text(0))
    helper.stop()
  end)

  it('names its subcommands where there is no such one', function()
    local said = helper.notified(function()
      vim.cmd('Pillion fly')
    end)
    assert.truthy(said[1]:find('there is no :Pillion fly; there are cancel, distrust, doctor', 1, true))
  end)

  it('takes settings of setup() over those of vim.g.pillion, and refuses wrong ones', function()
    local config = require('pillion.config')
    pillion.setup({ output = { height = 5 } })
    assert.same({ 5, helper.binary }, { config.get().output.height, config.get().server.path })
    local said = helper.notified(function()
      pillion.setup({ sever = {}, quickfix = 'yes' })
    end)
    assert.equal(
      'pillion: the settings were not taken: quickfix: expected boolean, got string; '
        .. 'sever is no setting (see :help pillion-settings)',
      said[1]
    )
    assert.equal(5, config.get().output.height)
    pillion.setup()
  end)

  it('runs nothing while settings cannot be read: they may be stricter', function()
    local good = vim.g.pillion
    local wrong = vim.tbl_extend('force', good, { init_options = { sandbox = { mode = 'read-only' } }, quickfx = true })
    local said = helper.notified(function()
      for _, set in ipairs({
        function()
          vim.g.pillion = wrong
        end,
        function()
          vim.g.pillion = 'read-only'
        end,
        function()
          vim.g.pillion = good
          pillion.setup({ output = { size = 1 } })
        end,
      }) do
        set()
        local run = pillion.run('touch made')
        local text = helper.ended(run)
        assert.equal('settings', run.outcome.error.data.kind)
        assert.truthy(text:find('nothing runs until', 1, true), text)
      end
    end)
    assert.truthy(#said > 0)
    assert.is_nil(vim.uv.fs_stat(workspace .. '/made'))
    pillion.setup()
    helper.ended(pillion.run('touch made'))
    assert.truthy(vim.uv.fs_stat(workspace .. '/made'))
  end)
end)
