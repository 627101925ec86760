vim9script
# The command with what the guard found in it underlined, why, and what to do
# instead: for a denial, and for a question. Lines are {text, props}, as
# popup_create() takes them.

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

# The lines of a command; spans count its bytes.
export def Underlined(command: string, spans: list<any>): list<dict<any>>
  var lines = [{text: '    ', props: []}]
  var byte = 0
  for c in split(command, '\zs')
    var [line, shown] = [lines[-1], c == "\n" ? '' : c == "\t" ? c : Visible(c)]
    if indexof(spans, (_, span) => span.start <= byte && byte < span.end) >= 0
      Underline(line, strlen(shown))
    endif
    line.text ..= shown
    byte += strlen(c)
    if c == "\n"
      add(lines, {text: '    ', props: []})
    endif
  endfor
  return lines
enddef

# Underlines the next characters, this many bytes of them, behind the line's text.
def Underline(line: dict<any>, length: number)
  var col = strlen(line.text) + 1
  if line.props != [] && line.props[-1].col + line.props[-1].length == col
    line.props[-1].length += length
  else
    add(line.props, {col: col, length: length, type: 'PillionSpan'})
  endif
enddef

def Finding(finding: dict<any>): list<dict<any>>
  var lines = []
  for [label, text] in [['what', finding.message], ['why', get(finding, 'explanation', '')],
      ['instead', get(finding, 'suggestion', {})->get('title', '')], ['rule', finding.ruleId]]
    if text != ''
      add(lines, Line(printf('  %-8s %s', label, text)))
    endif
  endfor
  return lines
enddef

export def Lines(headline: string, command: string, findings: list<any>): list<dict<any>>
  var spans = copy(findings)->filter((_, f) => f.source.field == 'command')->mapnew((_, f) => f.span)
  return [Line(headline, 'PillionTitle'), Line('')] + Underlined(command, spans) + [Line('')]
    + mapnew(findings, (_, f) => Finding(f))->flattennew(1)
enddef
