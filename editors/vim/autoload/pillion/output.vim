vim9script
# A command's output in a buffer: lines, and colours as text properties. What a
# command prints is shown and never acted upon.

import autoload 'pillion/sgr.vim'

const escape = '\e\%([]P_^X][^\x07\e]*\%(\%x07\|\e\\\)\|\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]\|[\x20-\x2f]*[0-OQ-WYZ\\`-~]\)'
const unfinished = '\e\%(\[[\x20-\x3f]*\|[]P_^X][^\x07\e]*\e\=\|[\x20-\x2f]*\)$\|\r\+$'

# count: lines that are there; line: the last one as pieces, if it may go on;
# again: its text is replaced by what comes next.
export def New(buffer: number): dict<any>
  return {buffer: buffer, pending: '', style: sgr.plain, line: [], again: false, count: 0}
enddef

# Shows lines of our own, {text, props}, each on a line of its own.
export def Note(out: dict<any>, lines: list<dict<any>>)
  out.line = []
  var at = Append(out, mapnew(lines, (_, line) => line.text))
  for [i, line] in items(lines)
    for prop in line.props
      prop_add(at + i, prop.col, {length: prop.length, type: prop.type, bufnr: out.buffer})
    endfor
  endfor
enddef

export def Add(out: dict<any>, text: string)
  var all = out.pending .. text
  var rest = match(all, unfinished)
  if rest < 0 || strlen(all) - rest > 4096
    rest = strlen(all)
  endif
  out.pending = strpart(all, rest)
  var lines = strpart(all, 0, rest)->substitute('\r\+\n', "\n", 'g')->split("\n", 1)
  if len(lines) > 2 && out.style == sgr.plain && all !~ "[\e\r]"
    # Much of nothing special.
    Show(out, [Pieces(out, lines[0], out.line), []])
    Append(out, lines[1 : -2])
    lines = lines[-1 :]
  endif
  if lines != ['']
    Show(out, mapnew(lines, (i, line) => Pieces(out, line, i == 0 ? out.line : [])))
  endif
enddef

# The line as pieces [text, style], behind those that it begins with.
def Pieces(out: dict<any>, line: string, begun: list<any>): list<any>
  var pieces = copy(begun)
  var at = 0
  out.again = out.again && begun != []
  while true
    var [found, start, end] = matchstrpos(line, escape, at)
    for [i, text] in items(split(strpart(line, at, start < 0 ? strlen(line) : start - at), "\r", 1))
      out.again = out.again || i > 0
      if text != '' && out.again
        pieces = [] # progress
        out.again = false
      endif
      Join(pieces, substitute(text, '\e', '', 'g'), out.style)
    endfor
    if start < 0
      return pieces
    elseif found =~ '^\e\[[0-9:;]*m$'
      out.style = sgr.Next(out.style, found[2 : -2])
    endif
    at = end
  endwhile
  return pieces
enddef

def Join(pieces: list<any>, text: string, style: list<any>)
  if text == ''
    return
  elseif pieces != [] && pieces[-1][1] == style
    pieces[-1] = [pieces[-1][0] .. text, style]
  else
    add(pieces, [text, style])
  endif
enddef

# Shows lines of pieces; the last one may go on.
def Show(out: dict<any>, lines: list<any>)
  if out.line != []
    DeleteLast(out)
  endif
  var whole = lines[-1] == [] ? lines[: -2] : lines
  var at = Append(out, mapnew(whole, (_, pieces) => mapnew(pieces, (_, piece) => piece[0])->join('')))
  for [i, pieces] in items(whole)
    var col = 1
    for [text, style] in pieces
      if style != sgr.plain
        prop_add(at + i, col, {length: strlen(text), type: sgr.Type(style), bufnr: out.buffer})
      endif
      col += strlen(text)
    endfor
  endfor
  out.line = lines[-1]
enddef

def DeleteLast(out: dict<any>)
  setbufvar(out.buffer, '&modifiable', true)
  out.count -= 1
  if out.count == 0
    setbufline(out.buffer, 1, '') # a buffer has a line
  else
    deletebufline(out.buffer, '$')
  endif
  setbufvar(out.buffer, '&modifiable', false)
enddef

# Appends lines and returns the number of the first; windows at the end follow.
def Append(out: dict<any>, lines: list<string>): number
  var first = out.count + 1
  if lines == []
    return first
  endif
  var windows = win_findbuf(out.buffer)->filter((_, win) => line('.', win) >= out.count)
  setbufvar(out.buffer, '&modifiable', true)
  setbufline(out.buffer, first, lines)
  setbufvar(out.buffer, '&modifiable', false)
  out.count += len(lines)
  for win in windows
    win_execute(win, 'normal! G')
  endfor
  return first
enddef
