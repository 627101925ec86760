vim9script
# The :Pillion command: run, rerun, cancel, forward, undo, log, restart, doctor.

import autoload 'pillion/server.vim'
import autoload 'pillion/wire.vim'
import autoload 'pillion/log.vim'
import autoload 'pillion/locate.vim'
import autoload 'pillion/run.vim'
import autoload 'pillion/ask.vim'

wire.OnQuestion(ask.Ask, ask.Withdraw)

const subcommands = ['cancel', 'doctor', 'forward', 'log', 'rerun', 'restart', 'run', 'undo']

export def Complete(lead: string, line: string, _: number): list<string>
  var words = split(line, '\s\+', 1)
  if len(words) <= 2
    return copy(subcommands)->filter((_, name) => stridx(name, lead) == 0)
  endif
  return words[1] == 'run' ? getcompletion(lead, len(words) == 3 ? 'shellcmd' : 'file') : []
enddef

export def Command(text: string)
  var name = matchstr(text, '^\S\+')
  var rest = matchstr(text, '^\S\+\s\+\zs.*')
  if name == 'run' && rest != ''
    run.Run(rest, getcwd(), get(g:, 'pillion_terminal', true))
  elseif name == 'run'
    log.Say('pillion: what? Say :Pillion run COMMAND')
  elseif name == 'rerun'
    run.Rerun()
  elseif name == 'cancel'
    run.Cancel()
  elseif name == 'forward'
    run.Forward(str2nr(rest))
  elseif name == 'undo'
    run.Undo()
  elseif name == 'log'
    Show('[pillion log]', log.Lines())
  elseif name == 'restart'
    Restart()
  elseif name == 'doctor'
    Doctor()
  else
    log.Say('pillion: there is no :Pillion ' .. name .. '; there are ' .. join(subcommands, ', '))
  endif
enddef

# The state of this directory's sidecar, for the status line: %{pillion#Status()}
export def Status(): string
  var on = server.Existing(run.Root(getcwd()))
  return on == {} ? '' : 'pillion:' .. (on.state == 'ready' ? on.rung : on.state)
enddef

def Show(name: string, lines: list<string>): number
  var buffer = bufadd(name)
  bufload(buffer)
  for [option, value] in items({buftype: 'nofile', bufhidden: 'hide', swapfile: false, modifiable: true})
    setbufvar(buffer, '&' .. option, value)
  endfor
  deletebufline(buffer, 1, '$')
  setbufline(buffer, 1, lines)
  execute 'botright sbuffer' buffer
  return buffer
enddef

def Restart()
  var root = run.Root(getcwd())
  var on = server.Existing(root)
  if on == {}
    server.Get(root)
  else
    server.Restart(on)
  endif
enddef

# Which pillion is used, and what this machine enforces.
def Doctor()
  var path = locate.Locate()
  var buffer = Show('[pillion doctor]', [
    'g:pillion_path     ' .. get(g:, 'pillion_path', '(not set)'),
    'g:pillion_options  ' .. string(get(g:, 'pillion_options', {})),
    'in use             ' .. (path == '' ? 'none: set g:pillion_path' : path), ''])
  if path != ''
    job_start([path, 'doctor'], {in_io: 'null', out_io: 'buffer', out_buf: buffer, out_msg: 0,
      err_io: 'buffer', err_buf: buffer, err_msg: 0})
  endif
enddef
