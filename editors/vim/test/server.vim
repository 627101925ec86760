vim9script
# A sidecar that dies, and one that is restarted.

import autoload 'pillion/server.vim'
import autoload 'pillion/run.vim'
import './locate.vim' as fake

export def Until(Holds: func(): bool)
  for _ in range(1500)
    if Holds()
      return
    endif
    sleep 10m
  endfor
  assert_report('in 15 s it did not come to ' .. string(Holds))
enddef

# A new directory, which is the current one from now on.
export def Workspace(): string
  var root = tempname()
  mkdir(root)
  execute 'cd' root
  return root
enddef

export def Tests(Test: func(string, func))
  Test('it is started again after 0.5, 1, 2, 4 and 8 seconds, and the sixth time not', () => {
    var on = {crashes: [], ready_at: 0.0}
    for wanted in [0.5, 1.0, 2.0, 4.0, 8.0]
      var delay = server.NextDelay(on, 1000.0)
      assert_inrange(wanted * 0.79, wanted * 1.21, delay)
    endfor
    assert_equal(-1.0, server.NextDelay(on, 1000.0))
  })
  Test('what is longer ago than three minutes counts no more, and a minute of health forgives all', () => {
    var on = {crashes: repeat([1000.0], 5), ready_at: 0.0}
    assert_inrange(0.4, 0.6, server.NextDelay(on, 1181.0))
    on = {crashes: repeat([1000.0], 5), ready_at: 1001.0}
    assert_inrange(0.4, 0.6, server.NextDelay(on, 1061.0))
  })
  Test('killed in a run: interrupted, not run again, and the next one runs', () => {
    var root = Workspace()
    var it = run.Run('echo once >>times; echo up; sleep 600', root, true)
    Until(() => search('^up', 'nw') > 0)
    job_stop(it.server.job, 'kill')
    Until(() => !it.live)
    assert_equal('pillion: interrupted', b:pillion_state)
    assert_match('^interrupted: the sidecar is gone', getline('$'))
    assert_equal('waiting', it.server.state)
    var again = run.Run('cat times', root, false)
    Until(() => !again.live)
    assert_equal(['once', 'exit 0'], [getline(3), getline('$')[: 5]])
    assert_equal(['once'], readfile(root .. '/times'))
  })
  Test('a restart interrupts what runs and forgets the crashes', () => {
    var root = Workspace()
    var it = run.Run('echo up; sleep 600', root, true)
    Until(() => search('^up', 'nw') > 0)
    it.server.crashes = repeat([server.Now()], 5)
    Pillion restart
    assert_equal('pillion: interrupted', b:pillion_state)
    assert_equal([], it.server.crashes)
    Until(() => it.server.state == 'ready')
  })
  Test('one that is broken can be restarted when it is mended', () => {
    var root = Workspace()
    var good = g:pillion_path
    g:pillion_path = '/nowhere'
    var it = run.Run('true', root, true)
    Until(() => !it.live)
    assert_match('^not started: g:pillion_path: /nowhere cannot be started', getline('$'))
    g:pillion_path = good
    Pillion restart
    Until(() => it.server.state == 'ready')
  })
  Test('one that dies again and again is given up, until it is restarted', () => {
    var it = run.Run('true', Workspace(), false)
    Until(() => !it.live)
    it.server.crashes = repeat([server.Now()], 5)
    job_stop(it.server.job, 'kill')
    Until(() => it.server.state == 'stopped')
    assert_equal('pillion died 6 times in 3 minutes: see :Pillion log, then :Pillion restart', it.server.why)
    Pillion rerun
    assert_match('^not started: pillion died 6 times', getline('$'))
    Pillion restart
    Pillion restart
    Pillion rerun
    Until(() => b:pillion_state !~ 'starting\|running')
    assert_equal('pillion: exit 0', b:pillion_state)
  })
  Test('one that ends before it is ready is not tried again', () => {
    var good = g:pillion_path
    assert_equal('pillion ended with 2: see :Pillion log, then :Pillion restart',
      fake.Why(fake.Fake('test "$1" = version || exit 2; echo pillion devel')))
    g:pillion_path = good
  })
  Test('cancel ends the whole tree', () => {
    var root = Workspace()
    var it = run.Run("sh -c 'trap \"\" HUP TERM; sleep 60417' & echo up; wait", root, false)
    Until(() => search('^up', 'nw') > 0)
    Pillion cancel
    Until(() => !it.live)
    assert_match('^cancelled (killed by SIG\w\+) · ', getline('$'))
    assert_equal('', system('pgrep -fx "sleep 60417"'))
  })
  Test('cancel of what has not started yet', () => {
    var it = run.Run('echo never', Workspace(), false)
    Pillion cancel
    assert_false(it.live)
    assert_equal('not started: cancelled before it was started', getline('$'))
  })
  Test('the buffer of a command that runs is wiped: the command is cancelled', () => {
    var root = Workspace()
    var it = run.Run('trap "touch ended; exit" TERM; echo up; while :; do sleep 0.05; done', root, true)
    Until(() => search('^up', 'nw') > 0)
    bwipeout!
    Until(() => filereadable(root .. '/ended'))
  })
  Test('rerun runs the last command in its directory', () => {
    var root = Workspace()
    execute 'Pillion run echo x >>times'
    var first = bufnr()
    Until(() => b:pillion_state =~ 'exit')
    cd /
    Pillion rerun
    Until(() => b:pillion_state =~ 'exit')
    assert_equal(['x', 'x'], readfile(root .. '/times'))
  })
  Test('undo takes back what a command did to files, and again is a redo', () => {
    var root = Workspace()
    writefile(['mine'], root .. '/gone')
    execute 'Pillion run rm gone; echo x >made'
    Until(() => b:pillion_state =~ 'exit')
    assert_true(search('^files: 1 deleted, 1 new (:Pillion undo)$') > 0, join(getline(1, '$'), "\n"))
    Pillion undo
    Until(() => filereadable(root .. '/gone') && !filereadable(root .. '/made'))
    assert_equal(['mine'], readfile(root .. '/gone'))
    Until(() => execute('messages') =~ 'restored 1 file, removed 1 that it had made')
    Pillion undo
    Until(() => !filereadable(root .. '/gone') && filereadable(root .. '/made'))
    execute 'Pillion run true'
    Until(() => b:pillion_state =~ 'exit')
    Pillion undo
    assert_match('changed no file that is kept', execute('messages'))
  })
  Test('a file name with a space, an umlaut and a percent sign', () => {
    var root = Workspace() .. '/a ü%20'
    mkdir(root)
    var it = run.Run('pwd', root, false)
    Until(() => !it.live)
    assert_equal(root, getline(3))
  })
enddef
