vim9script
# What there is to tell, for :Pillion log, and for a person at once.

var log: list<string> = []

export def Log(text: string)
  log += split(text, "\n")->map((_, line) => strftime('%T ') .. line)
  if len(log) > 2000
    log = log[-1000 :]
  endif
enddef

export def Lines(): list<string>
  return copy(log)
enddef

export def Say(text: string)
  Log(text)
  echohl WarningMsg
  echomsg text
  echohl None
enddef
