package lang

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// quoted reads a string, a command or a pattern that begins here.
func (x *lexer) quoted(rest string) bool {
	c := rest[0]
	switch {
	case strings.IndexByte(x.l.Quotes, c) >= 0:
		x.str(rest, 0, strings.IndexByte(x.l.raw, c) >= 0, c == '"' && (x.l.hole == "#{" || x.l.hole == "$"))
	case c == '`' && x.l.backtick == 'c':
		x.delimited(rest, 0, tokCommand, true)
	case c == '`' && x.l.backtick == 't':
		x.str(rest, 0, false, true)
	case c == '[' && x.l.long && strings.HasPrefix(rest, "[["):
		body, _, _ := strings.Cut(rest[2:], "]]")
		x.add(Token{Kind: TokString, Parts: []part{{Text: strings.TrimPrefix(body, "\n")}}}, x.i+len(body)+4)
	case c == ':' && x.l.quoting == "ruby" && len(rest) > 1 && NameByte(rest[1]) && !x.operandBefore():
		n := 2
		for n < len(rest) && (NameByte(rest[n]) || Digit(rest[n])) {
			n++
		}
		x.add(Token{Kind: TokString, Parts: []part{{Text: rest[1:n]}}}, x.i+n)
	case c == '%' && x.l.quoting == "ruby" && !x.divides(rest):
		return x.rubyQuote(rest)
	case c == '/' && x.l.Regexes && !x.operandBefore():
		_, end := run.Closing(rest, 0)
		x.add(Token{Kind: tokOther}, x.i+end)
	default:
		return false
	}
	return true
}

// divides distinguishes `a % b` from `puts %x(ls)`.
func (x *lexer) divides(rest string) bool {
	return x.operandBefore() && (len(rest) < 2 || shell.Blank(rest[1]) || x.out[len(x.out)-1].Kind != TokName ||
		x.i > 0 && !shell.Blank(x.s[x.i-1]))
}

// prefixed is Python's r"", b”, f"": a string with letters before its quote.
func (x *lexer) prefixed(rest string, n int) bool {
	if x.l.Name != "python" || n > 2 || n >= len(rest) || rest[n] != '"' && rest[n] != '\'' {
		return false
	}
	letters := strings.ToLower(rest[:n])
	if strings.Trim(letters, "rbfut") != "" {
		return false
	}
	x.str(rest, n, strings.Contains(letters, "r"), strings.Contains(letters, "f"))
	return true
}

// str is a string whose quote is at rest[at].
func (x *lexer) str(rest string, at int, raw, holes bool) {
	quote := rest[at : at+1]
	if x.l.Name == "python" || x.l.Name == "julia" {
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
	x.add(Token{Kind: TokString, Parts: x.parts(rest[start:end], raw, holes)}, x.i+end+len(quote))
}

// delimited is a string between any pair of delimiters: qx{…}, %x(…), `…`.
func (x *lexer) delimited(rest string, at int, kind byte, holes bool) {
	body, end := run.Closing(rest, at)
	x.add(Token{Kind: kind, Text: body, Parts: x.parts(body, !holes, holes)}, x.i+end)
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
	if at >= len(rest) || NameByte(rest[at]) || Digit(rest[at]) || strings.IndexByte(" ,;)=\n", rest[at]) >= 0 ||
		at > n && rest[at] == '#' {
		return false
	}
	switch op {
	case "q", "qq":
		x.delimited(rest, at, TokString, op == "qq")
	case "qw":
		x.delimited(rest, at, tokWords, false)
	case "qx":
		x.delimited(rest, at, tokCommand, rest[at] != '\'')
	case "m", "qr":
		_, end := run.Closing(rest, at)
		x.add(Token{Kind: tokOther}, x.i+end)
	default:
		x.substitution(rest, at)
	}
	return true
}

// substitution is s/a/b/flags; with the flag e, b is code.
func (x *lexer) substitution(rest string, at int) {
	_, mid := run.Closing(rest, at)
	second := mid - 1 // s/a/b/: the delimiter in the middle is shared
	if strings.IndexByte("([{<", rest[at]) >= 0 {
		for second = mid; second < len(rest) && shell.Blank(rest[second]); second++ {
		}
	}
	if second >= len(rest) {
		x.add(Token{Kind: tokOther}, x.i+len(rest))
		return
	}
	body, end := run.Closing(rest, second)
	flags := end
	for flags < len(rest) && rest[flags] >= 'a' && rest[flags] <= 'z' {
		flags++
	}
	if strings.Contains(rest[end:flags], "e") {
		x.add(Token{Kind: tokCode, Text: body}, x.i+flags)
		return
	}
	x.add(Token{Kind: tokOther}, x.i+flags)
}

// rubyQuote is %x{} %q{} %w[] %().
func (x *lexer) rubyQuote(rest string) bool {
	if len(rest) < 2 {
		return false
	}
	kind, at := byte('Q'), 1
	if NameByte(rest[1]) {
		kind, at = rest[1], 2
	}
	if at >= len(rest) || NameByte(rest[at]) || Digit(rest[at]) || shell.Blank(rest[at]) ||
		at == 1 && strings.IndexByte("([{<|!", rest[at]) < 0 {
		return false
	}
	switch kind {
	case 'x':
		x.delimited(rest, at, tokCommand, true)
	case 'q', 's':
		x.delimited(rest, at, TokString, false)
	case 'Q':
		x.delimited(rest, at, TokString, true)
	case 'w', 'W', 'i', 'I':
		x.delimited(rest, at, tokWords, false)
	default:
		_, end := run.Closing(rest, at)
		x.add(Token{Kind: tokOther}, x.i+end)
	}
	return true
}
