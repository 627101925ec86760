vim9script
# Colours of a terminal as text property types. A style is [foreground,
# background, attributes]; a colour is '' or a number of the 256, or '#rrggbb'.

export const plain: list<any> = ['', '', {}]

const attributes = {1: 'bold', 3: 'italic', 4: 'underline', 7: 'reverse', 9: 'strikethrough'}
const ends = {22: 'bold', 23: 'italic', 24: 'underline', 27: 'reverse', 29: 'strikethrough'}
const basic = ['#000000', '#cd3131', '#0dbc79', '#e5e510', '#2472c8', '#bc3fbc', '#11a8cd', '#e5e5e5',
  '#666666', '#f14c4c', '#23d18b', '#f5f543', '#3b8eea', '#d670d6', '#29b8db', '#ffffff']

# The style behind one escape sequence, given what is between [ and m.
export def Next(style: list<any>, params: string): list<any>
  var codes = split(params, '[;:]', 1)->map((_, code) => str2nr(code))
  var [fg, bg, attrs] = [style[0], style[1], copy(style[2])]
  while codes != []
    var code = remove(codes, 0)
    if code == 0
      [fg, bg, attrs] = ['', '', {}]
    elseif has_key(attributes, code)
      attrs[attributes[code]] = 1
    elseif has_key(ends, code)
      attrs->filter((name, _) => name != ends[code])
    elseif code == 38
      fg = Extended(codes, fg)
    elseif code == 48
      bg = Extended(codes, bg)
    elseif code == 39
      fg = ''
    elseif code == 49
      bg = ''
    elseif code >= 30 && code <= 37 || code >= 90 && code <= 97
      fg = string(code >= 90 ? code - 82 : code - 30)
    elseif code >= 40 && code <= 47 || code >= 100 && code <= 107
      bg = string(code >= 100 ? code - 92 : code - 40)
    endif
  endwhile
  return [fg, bg, attrs]
enddef

# 5;N or 2;R;G;B, taken off the codes.
def Extended(codes: list<number>, old: string): string
  if get(codes, 0) == 5 && len(codes) >= 2
    return string(and(remove(codes, 0, 1)[1], 255))
  elseif get(codes, 0) == 2 && len(codes) >= 4
    var rgb = remove(codes, 0, 3)
    return printf('#%02x%02x%02x', and(rgb[1], 255), and(rgb[2], 255), and(rgb[3], 255))
  endif
  return old
enddef

# The name of the property type for a style, which is made if it is new.
export def Type(style: list<any>): string
  var name = 'PillionSgr_' .. substitute(style[0] .. '_' .. style[1], '#', 'x', 'g') .. '_' .. keys(style[2])->sort()->join('_')
  if prop_type_get(name) == {}
    var attrs = empty(style[2]) ? 'NONE' : keys(style[2])->join(',')
    execute 'highlight' name 'cterm=' .. attrs .. ' gui=' .. attrs
      .. Colour('fg', style[0]) .. Colour('bg', style[1])
    prop_type_add(name, {highlight: name, combine: true})
  endif
  return name
enddef

def Colour(where: string, colour: string): string
  if colour == ''
    return ''
  elseif colour[0] == '#'
    var [r, g, b] = [1, 3, 5]->map((_, i) => str2nr(colour[i : i + 1], 16) * 5 / 255)
    return printf(' gui%s=%s cterm%s=%d', where, colour, where, 16 + 36 * r + 6 * g + b)
  endif
  return printf(' gui%s=%s cterm%s=%s', where, Rgb(str2nr(colour)), where, colour)
enddef

def Rgb(n: number): string
  if n < 16
    return basic[n]
  elseif n >= 232
    return printf('#%02x%02x%02x', 8 + (n - 232) * 10, 8 + (n - 232) * 10, 8 + (n - 232) * 10)
  endif
  var rgb = [(n - 16) / 36, (n - 16) / 6 % 6, (n - 16) % 6]->map((_, v) => v == 0 ? 0 : 55 + 40 * v)
  return printf('#%02x%02x%02x', rgb[0], rgb[1], rgb[2])
enddef
