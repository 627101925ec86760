vim9script
# What a person reads, as lines {text, props}, which popup_create() takes.

highlight default link PillionTitle Title
highlight default link PillionGood Question
highlight default link PillionBad ErrorMsg
highlight default link PillionNote WarningMsg
highlight default PillionSpan term=underline cterm=underline ctermfg=Red gui=undercurl guifg=Red guisp=Red

for name in ['PillionTitle', 'PillionGood', 'PillionBad', 'PillionNote', 'PillionSpan']
  prop_type_delete(name)
  prop_type_add(name, {highlight: name})
endfor

# Characters that can't be seen or reorder others.
const hidden = '[\x01-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0001-\U000e007f]'

# What a person reads is what runs.
export def Visible(text: string): string
  return substitute(text, hidden, (found) => printf('<U+%04X>', char2nr(found[0])), 'g')
enddef

export def Line(text: string, group = ''): dict<any>
  var shown = Visible(text)
  return {text: shown, props: group == '' ? [] : [{col: 1, length: strlen(shown), type: group}]}
enddef

const groups = {title: 'PillionTitle', place: 'PillionSpan', warn: 'PillionNote', error: 'PillionBad', ok: 'PillionGood'}

# Lines of the sidecar, whose text is fit to be shown. A command has room around it.
export def Lines(display: list<any>): list<dict<any>>
  var [lines, last] = [[], '']
  for line in display
    var kind = line.text =~ '^    ' ? 'command' : line.text =~ '^  ' ? 'row' : 'head'
    if last != '' && (kind == 'command') != (last == 'command') || kind == 'head' && last == 'row'
      add(lines, Line(''))
    endif
    last = kind
    var [text, props] = ['', []]
    for span in get(line, 'spans', [line])
      if has_key(groups, span.tone)
        add(props, {col: strlen(text) + 1, length: strlen(span.text), type: groups[span.tone]})
      endif
      text ..= span.text
    endfor
    add(lines, {text: text, props: props})
  endfor
  return lines
enddef
