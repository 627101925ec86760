vim9script
# Show what becomes of a command.

import autoload 'pillion/output.vim'
import autoload 'pillion/verdict.vim'

export def SetState(run: dict<any>, state: string)
  if bufexists(run.buffer)
    setbufvar(run.buffer, 'pillion_state', 'pillion: ' .. state)
    redrawstatus!
  endif
enddef

export def Happened(run: dict<any>, what: string, value: dict<any>)
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
