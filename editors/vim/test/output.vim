vim9script
# What is shown.

import autoload 'pillion/log.vim'
import autoload 'pillion/wire.vim'
import autoload 'pillion/output.vim'
import autoload 'pillion/verdict.vim'
import autoload 'pillion/run.vim'
import autoload 'pillion/server.vim'
import autoload 'pillion/locate.vim'
import './server.vim' as wait

# The lines and the properties that these pieces of output come to.
def Shown(pieces: list<string>): list<any>
  new
  setlocal buftype=nofile
  var out = output.New(bufnr())
  for piece in pieces
    output.Add(out, piece)
  endfor
  var shown = [getline(1, '$'), prop_list(1, {end_lnum: -1})->map((_, p) => [p.lnum, p.col, p.length, p.type])]
  bwipeout!
  return shown
enddef

def Colour(type: string): list<string>
  var group = hlID(prop_type_get(type).highlight)
  return [synIDattr(group, 'fg', 'cterm'), synIDattr(group, 'bg', 'cterm'), synIDattr(group, 'underline', 'cterm')]
enddef

export def Tests(Test: func(string, func))
  Test('colours are properties of the text, in whatever pieces they come', () => {
    var wanted = [['a', 'red on', 'b'], [[2, 1, 3, 'PillionSgr_1__'], [2, 4, 3, 'PillionSgr_1__underline']]]
    var all = "a\n\e[31mred\e[4m on\e[0m\nb"
    assert_equal(wanted, Shown([all]))
    assert_equal(wanted, Shown(split(all, "\\zs")))
    assert_equal(['1', '', '1'], Colour('PillionSgr_1__underline'))
  })
  Test('256 colours and true colours', () => {
    var shown = Shown(["\e[38;5;202;48;2;255;0;0mx"])
    assert_equal(['202', '196', ''], Colour(shown[1][0][3]))
  })
  Test('sequences that set the title, the clipboard or links are not shown nor obeyed', () => {
    assert_equal([['abcd'], []], Shown(["a\e]0;title\x07b\e]52;c;eA==\e\\c\e[2J\e[10;10H", "\e]8;;http://x", "\e\\d\ePq\e\\"]))
  })
  Test('one that never ends does not swallow the output for ever', () => {
    assert_match('x$', Shown(["\e]0;" .. repeat('x', 5000)])[0][0])
  })
  Test('a progress line replaces itself', () => {
    assert_equal([['100%', 'done'], []], Shown([" 50%\r", "\e[K75%\r\e[K", "100%\r\n", "done"]))
  })
  Test('a run shows colours, its exit code and its sandbox', () => {
    var it = run.Run('printf "\033[32mgreen\033[0m %s\n" "$(tty >/dev/null; stty size)"; exit 3', wait.Workspace(), true)
    wait.Until(() => !it.live)
    assert_equal(printf('green %d %d', winheight(0), winwidth(0)), getline(3))
    assert_equal('PillionSgr_2__', prop_list(3)[0].type)
    assert_match('^exit 3 · \d\+ ms · workspace-write, network \(denied\|by address book\)$', getline('$'))
    assert_equal('pillion: exit 3', b:pillion_state)
  })
  Test('a denied command: why, what to do instead, and the place underlined', () => {
    var it = run.Run("echo grüß; rm -rf ~", wait.Workspace(), false)
    wait.Until(() => !it.live)
    var at = search('^    echo')
    assert_equal('    echo grüß; rm -rf ~', getline(at))
    var prop = prop_list(at)[0]
    assert_equal(['PillionSpan', '~'], [prop.type, getline(at)->strpart(prop.col - 1, prop.length)])
    assert_match('^denied: deletes ', getline(at - 2))
    assert_match('^  why      ', getline(at + 2))
    assert_equal('  instead  delete by name, inside the workspace', getline(at + 3))
    assert_equal('pillion: denied', b:pillion_state)
  })
  Test('what the sandbox refused has a line, with what would allow it', () => {
    var it = run.Run("echo /etc/x | awk '{ print > $1 }'", wait.Workspace(), false)
    wait.Until(() => !it.live)
    assert_true(search('^refused: .*/etc/x') > 0, join(getline(1, '$'), "\n"))
  })
  Test('no character of a command is hidden', () => {
    assert_equal('a<U+202E>b<U+001B>[c<U+200B>', verdict.Visible("a\u202eb\e[c\u200b"))
  })
  Test('the parts of a line have their tones, where its bytes are', () => {
    var lines = verdict.Lines([{text: 'no', tone: 'error'},
      {text: '    üab', tone: 'command', spans: [{text: '    ü', tone: 'command'}, {text: 'ab', tone: 'place'}]}])
    assert_equal([{text: 'no', props: [{col: 1, length: 2, type: 'PillionBad'}]}, {text: '', props: []},
      {text: '    üab', props: [{col: 7, length: 2, type: 'PillionSpan'}]}], lines)
  })
  Test('bytes that are no text are shown as numbers', () => {
    var it = run.Run("printf 'a\\377b'", wait.Workspace(), false)
    wait.Until(() => !it.live)
    assert_equal('a<ff>b', getline(3))
  })
  Test('a command that means something to Vim is only shown', () => {
    var command = 'true # `echo x` %{writefile([], "evil")} $HOME | %<# "'
    var it = run.Run(command, wait.Workspace(), false)
    wait.Until(() => !it.live)
    assert_match('\[pillion \d\+\] ' .. command->strpart(0, 40)->escape('\.*[]^$~'), bufname())
    redraw
    assert_false(filereadable('evil'))
  })
  Test('eight megabytes are shown within seconds', () => {
    var since = reltime()
    var it = run.Run("yes 'all work and no play' | head -c 8000000", wait.Workspace(), false)
    wait.Until(() => !it.live)
    assert_true(line('$') >= 320000, line('$') .. ' lines')
    assert_true(reltime(since)->reltimefloat() < 20.0)
  })
  Test('a server says where it is, and is let out', () => {
    var it = run.Run('echo inside > f; exec python3 -m http.server 8124 --bind 127.0.0.1', wait.Workspace(), true)
    wait.Until(() => index(it.ports, 8124) >= 0)
    assert_match('python3.* listens on 127\.0\.0\.1:8124 in the sandbox (:Pillion forward 8124 opens it)$', log.Lines()[-1])
    Pillion forward 8124
    wait.Until(() => log.Lines()[-1] =~ 'port 8124 is at')
    var url = matchstr(log.Lines()[-1], 'http://127\.0\.0\.1:\d\+/')
    assert_equal("inside\n", system('python3 -c "import sys, urllib.request as r; print(r.urlopen(sys.argv[1]).read().decode(), end=\"\")" ' .. url .. 'f'))
    Pillion cancel
    wait.Until(() => !it.live)
    Pillion forward 8124
    assert_match('no command listens on port 8124', log.Lines()[-1])
  })
  Test('a command that waits for input says so', () => {
    var it = run.Run("printf 'Word? '; stty -echo; read -r x; stty echo; echo ${#x} letters", wait.Workspace(), true)
    wait.Until(() => it.waits == 'hidden')
    assert_match('waits for a line that is not shown, such as a password: Word? (i in its window answers)$', log.Lines()[-1])
    wire.Tell(it.server, it.id, 'exec/write', {text: "secret\n"})
    wait.Until(() => !it.live)
    assert_true(search('6 letters') > 0)
  })
  Test('the command line completes', () => {
    assert_equal(['Pillion rerun', 'Pillion restart', 'Pillion run'],
      getcompletion('Pillion r', 'cmdline')->map((_, word) => 'Pillion ' .. word))
    assert_true(index(getcompletion('Pillion run ech', 'cmdline'), 'echo') >= 0)
  })
  Test('log and doctor show where the binary is', () => {
    Pillion log
    assert_true(search('started, process') > 0)
    Pillion doctor
    wait.Until(() => search('workspace-write') > 0)
    assert_match($PILLION_BIN, getline(1))
  })
  Test('the status line says what holds', () => {
    var it = run.Run('true', wait.Workspace(), false)
    wait.Until(() => !it.live)
    assert_match('^pillion:\(full\|.\+\)$', pillion#Status())
  })
  Test('the help has tags', () => {
    execute 'helptags' fnameescape(expand('<script>:p:h:h') .. '/doc')
    help :Pillion
    assert_match('pillion.txt', bufname())
    bwipeout!
    delete(expand('<script>:p:h:h') .. '/doc/tags')
  })
enddef
