vim9script
# A command and the buffer that shows what becomes of it.

import autoload 'pillion/server.vim'
import autoload 'pillion/wire.vim'
import autoload 'pillion/log.vim'
import autoload 'pillion/output.vim'
import autoload 'pillion/verdict.vim'
import autoload 'pillion/show.vim'

var runs: dict<dict<any>> = {} # by buffer
var last: dict<any> = {}

export def Root(directory: string): string
  for marker in ['.git', '.hg', '.jj']
    var found = finddir(marker, directory .. ';') ?? findfile(marker, directory .. ';')
    if found != ''
      return fnamemodify(found, ':p')->substitute('/$', '', '')->fnamemodify(':h')
    endif
  endfor
  return directory
enddef

export def Run(command: string, directory: string, terminal: bool): dict<any>
  var on = server.Get(Root(directory))
  var buffer = Window(command)
  var run: dict<any> = {command: command, directory: directory, terminal: terminal, server: on,
    buffer: buffer, size: Size(buffer), out: output.New(buffer), id: '', live: true, cancelled: false, waits: '', ports: []}
  runs[buffer] = run
  last = run
  show.SetState(run, 'starting')
  output.Note(run.out, [verdict.Line(fnamemodify(directory, ':~') .. ' $ ' .. command, 'PillionTitle'), verdict.Line('')])
  var params: dict<any> = {command: command, cwd: wire.Uri(directory)}
  if terminal
    # No buffer can page.
    extend(params, {pty: run.size, env: {PAGER: 'cat', GIT_PAGER: 'cat'}})
  else
    params.output = {merge: true}
  endif
  run.id = wire.Exec(on, params, (what, value) => show.Happened(run, what, value))
  return run
enddef

export def Rerun()
  var run = get(runs, bufnr(), last)
  if run == {}
    log.Say('pillion: nothing has run yet')
  else
    Run(run.command, run.directory, run.terminal)
  endif
enddef

# Takes back what a command did to files; the same again is a redo.
export def Undo()
  var run = get(runs, bufnr(), last)
  if get(run, 'undo', '') == ''
    log.Say('pillion: this command changed no file that is kept')
    return
  endif
  wire.Request(run.server, 'exec/undo', {execId: run.undo}, (answer) => {
    if has_key(answer, 'error')
      log.Say('pillion: ' .. verdict.Visible(answer.error.message))
      return
    endif
    var result = answer.result
    if result.left == []
      run.undo = get(result, 'undoId', '')
    endif
    log.Say('pillion: ' .. result.text)
    for left in result.left[: 7]
      log.Say(verdict.Visible(printf('left alone: %s: %s', left.path, left.why)))
    endfor
    checktime
  })
enddef

# Lets a port of a command out, to 127.0.0.1 of this machine.
export def Forward(port: number)
  var found = values(runs)->filter((_, run) => run.live && index(run.ports, port) >= 0)
  if found == []
    log.Say(printf('pillion: no command listens on port %d', port))
    return
  endif
  wire.Request(found[0].server, 'exec/forward', {execId: found[0].id, port: port}, (answer) => {
    log.Say(has_key(answer, 'error') ? 'pillion: ' .. verdict.Visible(answer.error.message)
      : printf('pillion: port %d is at http://%s/', port, answer.result.address))
  })
enddef

# The second time, it is killed at once.
export def Cancel()
  var live = values(runs)->filter((_, run) => run.live)
  var here = get(runs, bufnr(), {})
  if here != {} && here.live
    live = [here]
  endif
  if live == []
    log.Say('pillion: nothing runs')
    return
  endif
  var run = live[0]
  if len(live) > 1
    var n = inputlist(['Which one?'] + mapnew(live, (i, r) => printf('%d. %s', i + 1, verdict.Visible(r.command))))
    if n < 1 || n > len(live)
      return
    endif
    run = live[n - 1]
  endif
  wire.Cancel(run.server, run.id, run.cancelled)
  run.cancelled = true
enddef

# A window with an empty buffer in which nothing runs.
def Window(command: string): number
  var old = values(runs)->filter((_, run) => !run.live && bufwinid(run.buffer) > 0)
  if old != []
    win_gotoid(bufwinid(old[0].buffer))
    enew
  else
    botright new
  endif
  setlocal buftype=nofile bufhidden=wipe noswapfile nomodifiable nowrap nonumber norelativenumber signcolumn=no
  setlocal filetype=pillion statusline=%{b:pillion_state}\ %=%l/%L
  silent! execute 'file' fnameescape('[pillion ' .. bufnr() .. '] ' .. verdict.Visible(command)->strpart(0, 60))
  nnoremap <buffer> <nowait> i <ScriptCmd>Type()<CR>
  nnoremap <buffer> <nowait> r <ScriptCmd>Rerun()<CR>
  nnoremap <buffer> <nowait> <C-C> <ScriptCmd>Interrupt()<CR>
  nnoremap <buffer> <nowait> <C-D> <ScriptCmd>Tell('exec/write', {text: "\x04"})<CR>
  autocmd BufWipeout <buffer> Wiped(str2nr(expand('<abuf>')))
  return bufnr()
enddef

def Size(buffer: number): dict<number>
  var window = bufwinid(buffer)
  return {rows: max([2, winheight(window)]), cols: max([20, winwidth(window)])}
enddef

# Input

def Tell(method: string, params: dict<any>)
  var run = get(runs, bufnr(), {})
  if run == {} || !run.live
    log.Say('pillion: the command has ended')
  else
    wire.Tell(run.server, run.id, method, params)
  endif
enddef

def Type()
  var run = get(runs, bufnr(), {})
  var secret = get(run, 'waits', '') == 'hidden' || getline('$') =~? '\(password\|passphrase\)[^:]*:\s*$'
  if run != {}
    run.waits = ''
  endif
  Tell('exec/write', {text: (secret ? inputsecret('Input: ') : input('Input: ')) .. "\n"})
enddef

def Interrupt()
  if get(runs, bufnr(), {})->get('terminal', false)
    Tell('exec/write', {text: "\x03"})
  else
    Cancel()
  endif
enddef

# The terminals of all commands get the sizes of their windows.
def Resized()
  for run in values(runs)
    if run.live && run.terminal && bufwinid(run.buffer) > 0 && run.size != Size(run.buffer)
      run.size = Size(run.buffer)
      wire.Tell(run.server, run.id, 'exec/resize', {size: run.size})
    endif
  endfor
enddef

augroup Pillion
  autocmd!
  autocmd VimResized,WinEnter * Resized()
  if exists('##WinResized')
    autocmd WinResized * Resized()
  endif
augroup END

# Nobody can see its output any more.
def Wiped(buffer: number)
  if has_key(runs, buffer)
    var run = remove(runs, buffer)
    if run.live
      wire.Cancel(run.server, run.id)
    endif
  endif
enddef
