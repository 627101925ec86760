vim9script
# Put the guard's questions to a person, in a popup, one at a time. Keys that come
# before it can be read are no answer, and no answer is a no.

import autoload 'pillion/wire.vim'
import autoload 'pillion/verdict.vim'

const choices = [['a', 'accept', 'accept'], ['s', 'acceptForSession', 'accept for this session'],
  ['A', 'acceptAlways', 'accept always'], ['e', 'edit', 'edit'], ['d', 'decline', 'decline']]

var questions: list<dict<any>> = []
var asked: dict<any> = {}
var popup = 0

export def Ask(on: dict<any>, id: any, params: dict<any>)
  add(questions, {server: on, id: id, params: params})
  Next(0)
enddef

# Without an id: all of a sidecar that is gone.
export def Withdraw(on: dict<any>, id: any = null)
  var Concerns = (q) => q.server is on && (id == null || q.id == id)
  filter(questions, (_, q) => !Concerns(q))
  if asked != {} && Concerns(asked)
    asked = {}
    popup_close(popup)
    Next(0)
  endif
enddef

# Where a popup gets no keys (a command line, a terminal), it waits.
def Next(_: number)
  if asked != {} || questions == []
    return
  elseif mode() =~ '^[cr!t]'
    timer_start(200, Next)
    return
  endif
  asked = remove(questions, 0)
  var offered = Offered(asked.params)
  var last = reltime()
  popup = popup_dialog(Text(asked.params, offered), {
    title: ' pillion asks ', padding: [], border: [], maxwidth: &columns - 8, mapping: false, drag: true,
    filter: (id, key) => {
      if reltime(last)->reltimefloat() < 0.4
        last = reltime() # somebody is typing into something else
        return false
      endif
      return Pressed(id, key, offered)
    },
    callback: (_, decision) => Answer(asked, decision),
  })
  redraw
  if popup_getpos(popup).lastline < line('$', popup)
    popup_setoptions(popup, {title: ' pillion asks: j and k scroll '})
    redraw
  endif
  timer_start(500, Watch, {repeat: -1})
enddef

# popup_clear(), which any plugin may call, tells nobody.
def Watch(timer: number)
  if popup_getpos(popup) == {}
    timer_stop(timer)
    Answer(asked, -1)
  endif
enddef

# The decisions that this question can be answered with.
def Offered(params: dict<any>): list<list<string>>
  var command = get(params.subject, 'command', "\n")
  return copy(choices)->filter((_, choice) => index(params.availableDecisions, choice[1]) >= 0
    && (choice[1] != 'edit' || stridx(command, "\n") < 0)) # input() has one line
enddef

def Text(params: dict<any>, offered: list<list<string>>): list<dict<any>>
  return verdict.Lines(params.display) + [
    verdict.Line(''),
    verdict.Line(mapnew(offered, (_, choice) => printf('[%s] %s', choice[0], choice[2]))->join('   '),
      'PillionTitle'),
  ]
enddef

def Pressed(id: number, key: string, offered: list<list<string>>): bool
  if index(["\<Esc>", "\<C-C>", 'd'], key) >= 0
    popup_close(id, 'decline')
  endif
  Scroll(id, key)
  for choice in offered
    if choice[0] == key
      popup_close(id, choice[1])
    endif
  endfor
  return true
enddef

# A question may be longer than the screen, and its lines than the popup is wide.
def Scroll(id: number, key: string)
  var page = get(popup_getpos(id), 'core_height', 1) - 1
  var by = get({'j': 1, "\<Down>": 1, "\<PageDown>": page, 'k': -1, "\<Up>": -1, "\<PageUp>": -page}, key, 0)
  for _ in range(abs(by))
    var at = popup_getpos(id)
    if by < 0 ? at.firstline > 1 : at.lastline < line('$', id)
      popup_setoptions(id, {firstline: at.firstline + (by < 0 ? -1 : 1)})
      redraw # tells what can be seen now
    endif
  endfor
enddef

# What popup_close() was given; -1 when it was closed by anything else.
def Answer(question: dict<any>, decision: any)
  if question == {}
    return # withdrawn, or answered
  endif
  var result = {decision: type(decision) == v:t_string ? decision : 'decline'}
  asked = {}
  if result.decision == 'edit'
    var command = Read(question.params.subject.command)
    result = command == '' ? {decision: 'decline'} : {decision: 'edit', command: command}
  endif
  wire.Reply(question.server, question.id, 'result', result)
  timer_start(0, Next)
enddef

def Read(command: string): string
  var edited = ''
  try
    edited = input('Run instead: ', command)
  catch /^Vim:Interrupt/
  endtry
  return edited
enddef
