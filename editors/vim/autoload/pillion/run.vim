vim9script
# A command and the buffer that shows what becomes of it.

import autoload 'pillion/server.vim'
import autoload 'pillion/wire.vim'
import autoload 'pillion/log.vim'
import autoload 'pillion/output.vim'
import autoload 'pillion/verdict.vim'

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
    buffer: buffer, out: output.New(buffer), id: '', live: true, cancelled: false}
  runs[buffer] = run
  last = run
  SetState(run, 'starting')
  output.Note(run.out, [verdict.Line(fnamemodify(directory, ':~') .. ' $ ' .. command, 'PillionTitle'), verdict.Line('')])
  var params: dict<any> = {command: command, cwd: wire.Uri(directory)}
  if terminal
    # No buffer can page.
    extend(params, {pty: Size(buffer), env: {PAGER: 'cat', GIT_PAGER: 'cat'}})
  else
    params.output = {merge: true}
  endif
  run.id = wire.Exec(on, params, (what, value) => Happened(run, what, value))
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
  autocmd VimResized,WinEnter <buffer> Resized(str2nr(expand('<abuf>')))
  return bufnr()
enddef

def SetState(run: dict<any>, state: string)
  if bufexists(run.buffer)
    setbufvar(run.buffer, 'pillion_state', 'pillion: ' .. state)
    redrawstatus!
  endif
enddef

def Size(buffer: number): dict<number>
  var window = bufwinid(buffer)
  return {rows: max([2, winheight(window)]), cols: max([20, winwidth(window)])}
enddef

# What becomes of it

def Happened(run: dict<any>, what: string, value: dict<any>)
  if !bufexists(run.buffer)
    return
  elseif what == 'event' && value.type == 'started'
    SetState(run, 'running')
  elseif what == 'event' && value.type == 'output'
    output.Add(run.out, has_key(value, 'text') ? value.text : Bytes(value.data))
  elseif what == 'event' && value.type == 'gap'
    output.Note(run.out, [verdict.Line(printf('[%d bytes of %s are not shown: %s]',
      value.to - value.from, value.stream, value.reason), 'PillionNote')])
  elseif what == 'result'
    Ended(run, value)
  elseif what == 'error'
    Refused(run, value)
  elseif what == 'interrupted'
    Over(run, 'interrupted', 'interrupted: the sidecar is gone, and the command with it; r runs it again', 'PillionBad')
  endif
enddef

# Bytes that are no text, as Vim shows them.
def Bytes(data: string): string
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  var text = ''
  for i in range(0, len(data) - 1, 4)
    var n = 0
    for j in range(4)
      n = n * 64 + max([0, stridx(letters, data[i + j])])
    endfor
    for byte in [n / 65536, n / 256 % 256, n % 256][: 2 - count(data[i : i + 3], '=')]
      text ..= byte < 128 && byte > 0 ? nr2char(byte) : printf('<%02x>', byte)
    endfor
  endfor
  return text
enddef

def Over(run: dict<any>, state: string, line: string, group: string)
  run.live = false
  output.Note(run.out, [verdict.Line(line, group)])
  SetState(run, state)
enddef

def Ended(run: dict<any>, result: dict<any>)
  var how = result.reason != 'exited' ? result.reason
    : result.exitCode == null ? result.signal : 'exit ' .. result.exitCode
  output.Note(run.out, mapnew(result.violations, (_, v) => verdict.Line(Violation(v), 'PillionNote')))
  Over(run, how, printf('%s · %.1f s · %s, network %s', how, result.durationMs / 1000.0,
    result.sandbox.mode, result.sandbox.networkMode), how == 'exit 0' ? 'PillionGood' : 'PillionBad')
enddef

def Violation(v: dict<any>): string
  return 'refused: ' .. (has_key(v, 'process') ? v.process .. ': ' : '') .. v.op .. ' '
    .. get(v, 'path', get(v, 'address', '')) .. (has_key(v, 'grant') ? '; ' .. v.grant .. ' would allow it' : '')
enddef

# It was not started: why, and what to do instead.
def Refused(run: dict<any>, err: dict<any>)
  var data = get(err, 'data', {})
  var denied = get(data, 'kind', '') == 'guardDenied'
  if denied
    output.Note(run.out, verdict.Lines(err.message, run.command, data.verdict.findings) + [verdict.Line('')])
  endif
  Over(run, denied ? 'denied' : 'not started', 'not started: ' .. err.message, 'PillionBad')
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
  var secret = getline('$') =~? '\(password\|passphrase\)[^:]*:\s*$'
  Tell('exec/write', {text: (secret ? inputsecret('Input: ') : input('Input: ')) .. "\n"})
enddef

def Interrupt()
  if get(runs, bufnr(), {})->get('terminal', false)
    Tell('exec/write', {text: "\x03"})
  else
    Cancel()
  endif
enddef

def Resized(buffer: number)
  var run = get(runs, buffer, {})
  if run != {} && run.live && run.terminal && bufwinid(buffer) > 0
    wire.Tell(run.server, run.id, 'exec/resize', {size: Size(buffer)})
  endif
enddef

# Nobody can see its output any more.
def Wiped(buffer: number)
  if has_key(runs, buffer)
    var run = remove(runs, buffer)
    if run.live
      wire.Cancel(run.server, run.id)
    endif
  endif
enddef
