package guard

import (
	"slices"
	"strconv"
	"strings"
)

// quoted reads a string, a command or a pattern that begins here.
func (x *lexer) quoted(rest string) bool {
	c := rest[0]
	switch {
	case strings.IndexByte(x.l.quotes, c) >= 0:
		x.str(rest, 0, strings.IndexByte(x.l.raw, c) >= 0, c == '"' && (x.l.hole == "#{" || x.l.hole == "$"))
	case c == '`' && x.l.backtick == 'c':
		x.delimited(rest, 0, tokCommand, true)
	case c == '`' && x.l.backtick == 't':
		x.str(rest, 0, false, true)
	case c == '[' && x.l.long && strings.HasPrefix(rest, "[["):
		body, _, _ := strings.Cut(rest[2:], "]]")
		x.add(token{kind: tokString, parts: []part{{text: strings.TrimPrefix(body, "\n")}}}, x.i+len(body)+4)
	case c == ':' && x.l.quoting == "ruby" && len(rest) > 1 && nameByte(rest[1]) && !x.operandBefore():
		n := 2
		for n < len(rest) && (nameByte(rest[n]) || digit(rest[n])) {
			n++
		}
		x.add(token{kind: tokString, parts: []part{{text: rest[1:n]}}}, x.i+n)
	case c == '%' && x.l.quoting == "ruby" && !x.divides(rest):
		return x.rubyQuote(rest)
	case c == '/' && x.l.regexes && !x.operandBefore():
		_, end := closing(rest, 0)
		x.add(token{kind: tokOther}, x.i+end)
	default:
		return false
	}
	return true
}

// divides tells `a % b` from `puts %x(ls)`.
func (x *lexer) divides(rest string) bool {
	return x.operandBefore() && (len(rest) < 2 || blank(rest[1]) || x.out[len(x.out)-1].kind != tokName || x.i > 0 && !blank(x.s[x.i-1]))
}

// prefixed is Python's r"", b”, f"": a string with letters before its quote.
func (x *lexer) prefixed(rest string, n int) bool {
	if x.l.name != "python" || n > 2 || n >= len(rest) || rest[n] != '"' && rest[n] != '\'' {
		return false
	}
	letters := strings.ToLower(rest[:n])
	if strings.Trim(letters, "rbfut") != "" {
		return false
	}
	x.str(rest, n, strings.Contains(letters, "r"), strings.Contains(letters, "f"))
	return true
}

// str is a string whose quote stands at rest[at].
func (x *lexer) str(rest string, at int, raw, holes bool) {
	quote := rest[at : at+1]
	if x.l.name == "python" || x.l.name == "julia" {
		if triple := strings.Repeat(quote, 3); strings.HasPrefix(rest[at:], triple) {
			quote = triple
		}
	}
	start := at + len(quote)
	end := start
	for end < len(rest) && !strings.HasPrefix(rest[end:], quote) {
		if rest[end] == '\\' {
			end++
		}
		end++
	}
	end = min(end, len(rest))
	x.add(token{kind: tokString, parts: x.parts(rest[start:end], raw, holes)}, x.i+end+len(quote))
}

// delimited is a string between any pair of delimiters: qx{…}, %x(…), `…`.
func (x *lexer) delimited(rest string, at int, kind byte, holes bool) {
	body, end := closing(rest, at)
	x.add(token{kind: kind, text: body, parts: x.parts(body, !holes, holes)}, x.i+end)
}

// closing finds the end of a delimited text that begins at s[at]; brackets nest.
func closing(s string, at int) (body string, end int) {
	open, shut := s[at], s[at]
	if i := strings.IndexByte("([{<", open); i >= 0 {
		shut = ")]}>"[i]
	}
	depth := 1
	for i := at + 1; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == shut:
			if depth--; depth == 0 {
				return s[at+1 : i], i + 1
			}
		case s[i] == open:
			depth++
		}
	}
	return s[min(at+1, len(s)):], len(s)
}

// perlQuote is q{} qq{} qw{} qx{} m{} qr{} s{}{}e tr{}{}.
func (x *lexer) perlQuote(rest string, n int) bool {
	op := rest[:n]
	if !slices.Contains([]string{"q", "qq", "qw", "qx", "m", "qr", "s", "tr", "y"}, op) {
		return false
	}
	at := n
	for at < len(rest) && rest[at] == ' ' {
		at++
	}
	if at >= len(rest) || nameByte(rest[at]) || digit(rest[at]) || strings.IndexByte(" ,;)=\n", rest[at]) >= 0 || at > n && rest[at] == '#' {
		return false
	}
	switch op {
	case "q", "qq":
		x.delimited(rest, at, tokString, op == "qq")
	case "qw":
		x.delimited(rest, at, tokWords, false)
	case "qx":
		x.delimited(rest, at, tokCommand, rest[at] != '\'')
	case "m", "qr":
		_, end := closing(rest, at)
		x.add(token{kind: tokOther}, x.i+end)
	default:
		x.substitution(rest, at)
	}
	return true
}

// substitution is s/a/b/flags; with the flag e, b is code.
func (x *lexer) substitution(rest string, at int) {
	_, mid := closing(rest, at)
	second := mid - 1 // s/a/b/: the delimiter in the middle is shared
	if strings.IndexByte("([{<", rest[at]) >= 0 {
		for second = mid; second < len(rest) && blank(rest[second]); second++ {
		}
	}
	if second >= len(rest) {
		x.add(token{kind: tokOther}, x.i+len(rest))
		return
	}
	body, end := closing(rest, second)
	flags := end
	for flags < len(rest) && rest[flags] >= 'a' && rest[flags] <= 'z' {
		flags++
	}
	if strings.Contains(rest[end:flags], "e") {
		x.add(token{kind: tokCode, text: body}, x.i+flags)
		return
	}
	x.add(token{kind: tokOther}, x.i+flags)
}

// rubyQuote is %x{} %q{} %w[] %().
func (x *lexer) rubyQuote(rest string) bool {
	if len(rest) < 2 {
		return false
	}
	kind, at := byte('Q'), 1
	if nameByte(rest[1]) {
		kind, at = rest[1], 2
	}
	if at >= len(rest) || nameByte(rest[at]) || digit(rest[at]) || blank(rest[at]) || at == 1 && strings.IndexByte("([{<|!", rest[at]) < 0 {
		return false
	}
	switch kind {
	case 'x':
		x.delimited(rest, at, tokCommand, true)
	case 'q', 's':
		x.delimited(rest, at, tokString, false)
	case 'Q':
		x.delimited(rest, at, tokString, true)
	case 'w', 'W', 'i', 'I':
		x.delimited(rest, at, tokWords, false)
	default:
		_, end := closing(rest, at)
		x.add(token{kind: tokOther}, x.i+end)
	}
	return true
}

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
				out = append(out, part{text: text.String()}, part{code: code})
				text.Reset()
				i += n
				continue
			}
		}
		text.WriteByte(body[i])
		i++
	}
	return append(out, part{text: text.String()})
}

// rawEscape is a backslash in a string without escapes: Python keeps it, the
// others drop it before the quote and itself.
func rawEscape(l *language, pair string) string {
	if l.name != "python" && (pair[1] == '\'' || pair[1] == '\\') {
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
		body, end := closing(s, 0)
		return body, end
	case "#{", "${":
		if !strings.HasPrefix(s, hole) {
			return "", 0
		}
		body, end := closing(s, 1)
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
		body, end := closing(s, strings.IndexByte(s, '{'))
		return body, end
	case s[0] == '{':
		return "", 0
	case s[1] == '{':
		body, end := closing(s, 1)
		return "$" + body, end
	case nameByte(s[1]):
		end := 2
		for end < len(s) && (nameByte(s[end]) || digit(s[end])) {
			end++
		}
		if end < len(s) && (s[end] == '{' || s[end] == '[') {
			_, more := closing(s, end)
			end = more
		}
		return s[:end], end
	case digit(s[1]) || s[1] == '&' || s[1] == '!' || s[1] == '@':
		return "$_", 2
	}
	return "", 0
}

// unescape is one escape sequence and its length. They mean the same nearly everywhere.
func unescape(s string) (string, int) {
	number := func(from, most, radix int) (string, int) {
		end := from
		for end < len(s) && end-from < most && strings.IndexByte("0123456789abcdefABCDEF"[:min(radix+6*(radix/16), 22)], s[end]) >= 0 {
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
