vim9script
# Questions, as far as they need no screen; test/screen has the rest.

import autoload 'pillion/ask.vim'
import autoload 'pillion/run.vim'
import autoload 'pillion/wire.vim'
import './server.vim' as wait

# A command that is asked about, and the popup that asks.
def Question(command: string): list<any>
  g:pillion_options = {policy: {rule: [{id: 'ask-touch', decision: 'ask', prefix: ['touch']}]}}
  var root = wait.Workspace()
  var it = run.Run(command, root, false)
  wait.Until(() => popup_list() != [] || !it.live)
  unlet g:pillion_options
  var popup = popup_list()->get(0, 0)
  return [it, popup, popup_getoptions(popup)->get('filter', (_, _) => false)]
enddef

export def Tests(Test: func(string, func))
  wire.OnQuestion(ask.Ask, ask.Withdraw)
  Test('a question shows the exact command with the place underlined, why, and where', () => {
    var [it, popup, Press] = Question('echo ü; touch asked')
    var lines = getbufline(winbufnr(popup), 1, '$')
    assert_equal('    echo ü; touch asked', lines[2])
    var prop = prop_list(3, {bufnr: winbufnr(popup)})[0]
    assert_equal(['PillionSpan', 'touch asked'], [prop.type, lines[2]->strpart(prop.col - 1, prop.length)])
    assert_true(index(lines, '  rule     ask-touch') > 0, string(lines))
    assert_true(index(lines, '  in       ' .. it.directory) > 0, string(lines))
    assert_equal('[a] accept   [s] accept for this session   [A] accept always   [e] edit   [d] decline', lines[-1])
    popup_close(popup)
    wait.Until(() => !it.live)
  })
  Test('a question that is closed by anything else is a no', () => {
    var [it, popup, _] = Question('touch closed')
    popup_clear()
    wait.Until(() => !it.live)
    assert_match('^not started: declined', getline('$'))
  })
  Test('a key in the first 0.4 seconds goes where it was meant to', () => {
    var [it, popup, Press] = Question('touch early')
    assert_equal([false, false], [call(Press, [popup, 'a']), call(Press, [popup, 'a'])])
    assert_equal([popup], popup_list())
    sleep 500m
    assert_true(call(Press, [popup, 'd']))
    wait.Until(() => !it.live)
    assert_false(filereadable('early'))
  })
  Test('cancel withdraws the question', () => {
    var [it, popup, _] = Question('touch cancelled')
    Pillion cancel
    wait.Until(() => !it.live)
    assert_equal([], popup_list())
  })
  Test('the sidecar dies: its question goes with it', () => {
    var [it, popup, _] = Question('touch orphan')
    job_stop(it.server.job, 'kill')
    wait.Until(() => !it.live)
    assert_equal([], popup_list())
    assert_equal('pillion: interrupted', b:pillion_state)
  })
  Test('questions come one after the other', () => {
    var [first, popup, Press] = Question('touch first')
    var second = run.Run('touch second', first.directory, false)
    sleep 500m
    assert_equal([popup], popup_list())
    call(Press, [popup, 'a'])
    wait.Until(() => !first.live && popup_list() != [])
    sleep 500m
    var next = popup_list()[0]
    call(popup_getoptions(next).filter, [next, 'a'])
    wait.Until(() => !second.live)
    assert_true(filereadable('first') && filereadable('second'))
  })
  Test('a command of several lines is shown whole, and not edited in one line', () => {
    var [it, popup, _] = Question("touch a\ntouch b")
    var lines = getbufline(winbufnr(popup), 1, '$')
    assert_equal(['    touch a', '    touch b'], lines[2 : 3])
    assert_notmatch('edit', lines[-1])
    popup_close(popup)
    wait.Until(() => !it.live)
  })
  Test('a question that is longer than the screen can be read to its end', () => {
    var [it, popup, Press] = Question(range(1, 100)->mapnew((_, i) => 'echo ' .. i)->join("\n") .. "\ntouch long")
    var last = line('$', popup)
    assert_match('scroll', popup_getoptions(popup).title)
    sleep 500m
    for _ in range(last)
      assert_true(call(Press, [popup, 'j']))
    endfor
    assert_equal(last, popup_getpos(popup).lastline)
    for _ in range(last)
      call(Press, [popup, "\<PageUp>"])
    endfor
    assert_equal(1, popup_getpos(popup).firstline)
    call(Press, [popup, 'd'])
    wait.Until(() => !it.live)
  })
  Test('a host is asked about while its command runs', () => {
    g:pillion_options = {sandbox: {network: 'proxy'}, policy: {network: {allow: ['other.example']}}}
    var root = wait.Workspace()
    writefile(['p=${http_proxy#http://}; p=${p##*@}; exec 3<>/dev/tcp/${p%:*}/${p##*:}',
      "printf 'CONNECT no.example:443 HTTP/1.1\\r\\nHost: no.example:443\\r\\n\\r\\n' >&3; head -n 1 <&3"], 'connect.sh')
    var it = run.Run('bash connect.sh', root, false)
    wait.Until(() => popup_list() != [] || !it.live)
    unlet g:pillion_options
    var lines = getbufline(winbufnr(popup_list()[0]), 1, '$')
    assert_match('connect to no.example:443?$', lines[0])
    assert_equal('[a] accept   [s] accept for this session   [A] accept always   [d] decline', lines[-1])
    popup_close(popup_list()[0])
    wait.Until(() => !it.live)
    assert_true(search('^HTTP/1.1 403') > 0)
    assert_true(search('^refused: no.example:443.*; to allow it: policy.network.allow') > 0)
  })
enddef
