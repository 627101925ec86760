vim9script
# A command's output in a buffer: lines, and colours as text properties. What a
# command prints is shown and never acted upon.

import autoload 'pillion/sgr.vim'

const escape = '\e\%([]P_^X][^\x07\e]*\%(\x07\|\e\\\)\|\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]\|[\x20-\x2f]*[0-OQ-WYZ\\`-~]\)'
const unfinished = '\e\%(\[[\x20-\x3f]*\|[]P_^X][^\x07\e]*\e\=\|[\x20-\x2f]*\)$'

export def New(buffer: number): dict<any>
  return {buffer: buffer, pending: '', style: sgr.plain, line: [], fresh: true}
enddef

# Shows lines of our own, {text, props}, each on a line of its own.
export def Note(out: dict<any>, lines: list<dict<any>>)
  if out.line != []
    Finish(out, [out.line, []])
  endif
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
  if lines != ['']
    Finish(out, mapnew(lines, (i, line) => Pieces(out, line, i == 0 ? out.line : [])))
  endif
enddef

# The line as pieces [text, style], behind those that it begins with.
def Pieces(out: dict<any>, line: string, begun: list<any>): list<any>
  var pieces = copy(begun)
  if line !~ "[\e\r]"
    return line == '' ? pieces : pieces->add([line, out.style])
  endif
  var at = 0
  while true
    var [found, start, end] = matchstrpos(line, escape, at)
    var text = start < 0 ? strpart(line, at) : strpart(line, at, start - at)
    if stridx(text, "\r") >= 0 && text !~ '^[^\r]*\r$'
      pieces = [] # a progress line begins anew
    endif
    text = substitute(text, '.*\r\ze.', '', '')->substitute('[\r\e]', '', 'g')
    if text != ''
      add(pieces, [text, out.style])
    endif
    if start < 0
      return pieces
    elseif found =~ '^\e\[[0-9:;]*m$'
      out.style = sgr.Next(out.style, found[2 : -2])
    endif
    at = end
  endwhile
  return pieces
enddef

# Shows lines of pieces; the last one may go on.
def Finish(out: dict<any>, lines: list<any>)
  if out.line != []
    Delete(out)
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

def Delete(out: dict<any>)
  setbufvar(out.buffer, '&modifiable', true)
  if line('$', bufwinid(out.buffer)) == 1 || getbufinfo(out.buffer)[0].linecount == 1
    setbufline(out.buffer, 1, '')
    out.fresh = true
  else
    deletebufline(out.buffer, '$')
  endif
  setbufvar(out.buffer, '&modifiable', false)
enddef

# Appends lines and returns the number of the first; windows at the end follow.
def Append(out: dict<any>, lines: list<string>): number
  var last = getbufinfo(out.buffer)[0].linecount
  var windows = win_findbuf(out.buffer)->filter((_, win) => line('.', win) >= last - (out.fresh ? 0 : 1))
  if lines == []
    return last
  endif
  setbufvar(out.buffer, '&modifiable', true)
  if out.fresh
    setbufline(out.buffer, 1, lines)
    last = 0
  else
    appendbufline(out.buffer, '$', lines)
  endif
  out.fresh = false
  setbufvar(out.buffer, '&modifiable', false)
  for win in windows
    win_execute(win, 'normal! G')
  endfor
  return last + 1
enddef
