package lang

import (
	"strconv"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/program/run"
)

// parts splits a string's body at the code in it, and undoes the escapes.
func (x *lexer) parts(body string, raw, holes bool) []part {
	var out []part
	var text strings.Builder
	for i := 0; i < len(body); {
		if body[i] == '\\' && i+1 < len(body) {
			if raw {
				text.WriteString(rawEscape(x.l, body[i:i+2]))
				i += 2
			} else {
				s, n := unescape(body[i:])
				text.WriteString(s)
				i += n
			}
			continue
		}
		if holes {
			if code, n := x.holeAt(body[i:]); n > 0 {
				out = append(out, part{Text: text.String()}, part{code: code})
				text.Reset()
				i += n
				continue
			}
		}
		text.WriteByte(body[i])
		i++
	}
	return append(out, part{Text: text.String()})
}

// rawEscape is a backslash in a string without escapes: Python keeps it, the
// others drop it before the quote and itself.
func rawEscape(l *Language, pair string) string {
	if l.Name != "python" && (pair[1] == '\'' || pair[1] == '\\') {
		return pair[1:]
	}
	return pair
}

// holeAt is the code of an interpolation that begins here, and its length.
func (x *lexer) holeAt(s string) (code string, n int) {
	switch hole := x.l.hole; hole {
	case "{": // f-strings; {{ is a brace
		if s[0] != '{' {
			return "", 0
		}
		if strings.HasPrefix(s, "{{") {
			return "'{'", 2
		}
		body, end := run.Closing(s, 0)
		return body, end
	case "#{", "${":
		if !strings.HasPrefix(s, hole) {
			return "", 0
		}
		body, end := run.Closing(s, 1)
		return body, end
	case "$":
		return variableHole(s)
	}
	return "", 0
}

// variableHole is Perl's and PHP's "$x", "${x}", "@{[ code ]}".
func variableHole(s string) (code string, n int) {
	if len(s) < 2 || s[0] != '$' && s[0] != '@' && s[0] != '{' {
		return "", 0
	}
	switch {
	case s[0] == '{' && s[1] == '$', s[0] == '@' && s[1] == '{':
		body, end := run.Closing(s, strings.IndexByte(s, '{'))
		return body, end
	case s[0] == '{':
		return "", 0
	case s[1] == '{':
		body, end := run.Closing(s, 1)
		return "$" + body, end
	case NameByte(s[1]):
		end := 2
		for end < len(s) && (NameByte(s[end]) || Digit(s[end])) {
			end++
		}
		if end < len(s) && (s[end] == '{' || s[end] == '[') {
			_, more := run.Closing(s, end)
			end = more
		}
		return s[:end], end
	case Digit(s[1]) || s[1] == '&' || s[1] == '!' || s[1] == '@':
		return "$_", 2
	}
	return "", 0
}

// unescape is one escape sequence and its length. They mean the same nearly everywhere.
func unescape(s string) (string, int) {
	number := func(from, most, radix int) (string, int) {
		end := from
		for end < len(s) && end-from < most && strings.IndexByte("0123456789abcdefABCDEF"[:min(radix+6*(radix/16), 22)],
			s[end]) >= 0 {
			end++
		}
		v, err := strconv.ParseUint(s[from:end], radix, 21)
		if err != nil {
			return s[:from], from
		}
		return string(rune(v)), end
	}
	switch s[1] {
	case 'n':
		return "\n", 2
	case 't':
		return "\t", 2
	case 'r':
		return "\r", 2
	case '\n':
		return "", 2
	case 'e':
		return "\x1b", 2
	case 'x':
		return number(2, 2, 16)
	case 'u':
		if strings.HasPrefix(s, `\u{`) {
			text, end := number(3, 6, 16)
			return text, min(end+1, len(s))
		}
		return number(2, 4, 16)
	case 'U':
		return number(2, 8, 16)
	case '0', '1', '2', '3', '4', '5', '6', '7':
		return number(1, 3, 8)
	}
	return s[1:2], 2
}
