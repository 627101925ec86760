vim9script
# Show what becomes of a command.

import autoload 'pillion/log.vim'
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
  elseif what == 'event' && value.type == 'waiting'
    run.waits = value.kind
    log.Say('pillion: ' .. verdict.Visible(value.display[0].text) .. ' (i in its window answers)')
  elseif what == 'event' && value.type == 'port'
    Port(run, value)
  elseif what == 'event' && value.type == 'gap'
    output.Note(run.out, verdict.Lines(value.display))
  elseif what == 'result'
    Ended(run, value)
  elseif what == 'error'
    Refused(run, value)
  elseif what == 'interrupted'
    Over(run, 'interrupted', 'interrupted: the sidecar is gone, and the command with it; r runs it again', 'PillionBad')
  endif
enddef

# Ports from here on are the system's: nobody has chosen them to be looked at.
const ephemeral = 32768

def Port(run: dict<any>, event: dict<any>)
  filter(run.ports, (_, port) => port != event.port)
  if event.listening
    add(run.ports, event.port)
    if event.port < ephemeral
      log.Say(verdict.Visible(printf('pillion: %s listens on %s:%d in the sandbox (:Pillion forward %d opens it)',
        event.process, event.address, event.port, event.port)))
    endif
  endif
enddef

# Bytes that are not text, as Vim shows them.
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

# In the sidecar's words: the last line says how it ended.
def Ended(run: dict<any>, result: dict<any>)
  run.undo = has_key(result, 'effects') ? result.effects.id : ''
  var last = result.display[-1]
  for line in result.display[: -2]
    line.text ..= get(line, 'action', '') == 'undo' ? ' (:Pillion undo)' : ''
  endfor
  output.Note(run.out, verdict.Lines(result.display[: -2]))
  Over(run, split(last.text, ' · ')[0], last.text, last.tone == 'ok' ? 'PillionGood' : 'PillionBad')
enddef

# It was not started: why, and what to do instead.
def Refused(run: dict<any>, err: dict<any>)
  var data = get(err, 'data', {})
  var denied = get(data, 'kind', '') == 'guardDenied'
  if len(get(data, 'display', [])) > 1 # more than the message
    output.Note(run.out, verdict.Lines(data.display) + [verdict.Line('')])
  endif
  Over(run, denied ? 'denied' : 'not started', 'not started: ' .. err.message, 'PillionBad')
enddef
