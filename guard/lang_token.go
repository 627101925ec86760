package guard

import "strings"

// token is one word of a program in another language.
type token struct {
	kind  byte // see the constants
	text  string
	parts []part // of a string or command
	line  bool   // stands first on its line
	tight bool   // nothing stands before it, not even a blank
}

const (
	tokName    = 'i'
	tokNumber  = 'n'
	tokString  = 's'
	tokCommand = 'c' // a string that is run: `…`, %x{…}
	tokWords   = 'w' // qw(…), %w[…]
	tokCode    = 'e' // the replacement of s///e
	tokOther   = 'r' // a pattern
	tokSign    = 'p'
	tokEnd     = ';'
)

// part is a piece of a string: text, or code that computes some.
type part struct{ text, code string }

// lexer cuts a program into tokens.
type lexer struct {
	l    *language
	s    string
	i    int
	out  []token
	line bool
}

func tokens(l *language, s string) []token {
	x := lexer{l: l, s: s, out: make([]token, 0, 8+len(s)/6)}
	for x.i < len(x.s) {
		x.next()
	}
	if l == &appleScript {
		return verbs(x.out)
	}
	return x.out
}

// verbs makes one name of AppleScript's `do shell script`.
func verbs(in []token) []token {
	var out []token
	for i := 0; i < len(in); i++ {
		t := in[i]
		if t.text == "do" && t.kind == tokName {
			for i+1 < len(in) && in[i+1].kind == tokName && (in[i+1].text == "shell" || in[i+1].text == "script") {
				i++
				t.text += in[i].text
			}
		}
		out = append(out, t)
	}
	return out
}

func (x *lexer) add(t token, end int) {
	t.line = x.line
	t.tight = x.i > 0 && !blank(x.s[x.i-1])
	x.line = false
	x.i = min(end, len(x.s))
	x.out = append(x.out, t)
}

func (x *lexer) next() {
	rest := x.s[x.i:]
	c := rest[0]
	switch {
	case c == '\n':
		if x.l.lines {
			x.add(token{kind: tokEnd, text: "\n"}, x.i+1)
		} else {
			x.i++
		}
		x.line = true
	case c == '\\' && strings.HasPrefix(rest, "\\\n"):
		x.i += 2
	case c == ' ' || c == '\t':
		x.i++
	case c == ';' && x.l.name != "elisp":
		x.add(token{kind: tokEnd, text: ";"}, x.i+1)
	case x.comment(rest):
	case x.quoted(rest):
	case nameByte(c) || strings.IndexByte(x.l.sigils, c) >= 0 && len(rest) > 1 && (nameByte(rest[1]) || digit(rest[1]) || c == '$' && (rest[1] == '_' || rest[1] == '`')):
		x.name(rest)
	case digit(c):
		n := 1
		for n < len(rest) && (nameByte(rest[n]) || digit(rest[n]) || rest[n] == '.' && n+1 < len(rest) && digit(rest[n+1])) {
			n++
		}
		x.add(token{kind: tokNumber, text: rest[:n]}, x.i+n)
	default:
		x.sign(rest)
	}
}

func nameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func (x *lexer) comment(rest string) bool {
	if open := x.l.block[0]; open != "" && strings.HasPrefix(rest, open) {
		end := strings.Index(rest[len(open):], x.l.block[1])
		if end < 0 {
			x.i = len(x.s)
			return true
		}
		x.i += len(open) + end + len(x.l.block[1])
		return true
	}
	for _, start := range x.l.comments {
		if strings.HasPrefix(rest, start) {
			if end := strings.IndexByte(rest, '\n'); end >= 0 {
				x.i += end
			} else {
				x.i = len(x.s)
			}
			return true
		}
	}
	return false
}

// name is an identifier, or what a language's name-like quotes begin with.
func (x *lexer) name(rest string) {
	n := 1
	for n < len(rest) && (nameByte(rest[n]) || digit(rest[n]) || rest[n] == '-' && x.l.name == "elisp") {
		n++
	}
	if x.l.name == "r" { // read.csv is one name
		for n+1 < len(rest) && (nameByte(rest[n]) || digit(rest[n]) || rest[n] == '.' && nameByte(rest[n+1])) {
			n++
		}
	}
	if x.prefixed(rest, n) || x.l.quoting == "perl" && x.perlQuote(rest, n) {
		return
	}
	x.add(token{kind: tokName, text: rest[:n]}, x.i+n)
}

// signs are the operators of more than one character, by their first.
var signs = func() (table [128][]string) {
	for _, s := range [...]string{"===", "!==", "...", "**=", "->", "::", "?.", "..", "=>", "==", "!=", "=~", "!~", "<=", ">=", "&&", "||", "**", "+=", ".=", "|>", "<-", "//", "<<", ">>", ":=", "-=", "*=", "++", "--"} {
		table[s[0]] = append(table[s[0]], s)
	}
	return table
}()

func (x *lexer) sign(rest string) {
	for _, s := range signs[rest[0]&0x7f] {
		if strings.HasPrefix(rest, s) {
			x.add(token{kind: tokSign, text: s}, x.i+len(s))
			return
		}
	}
	x.add(token{kind: tokSign, text: rest[:1]}, x.i+1)
}

// operandBefore reports a token after which / and % divide.
func (x *lexer) operandBefore() bool {
	if len(x.out) == 0 {
		return false
	}
	t := x.out[len(x.out)-1]
	switch t.kind {
	case tokName:
		return !operatorWord(t.text)
	case tokNumber, tokString:
		return true
	}
	return t.kind == tokSign && (t.text == ")" || t.text == "]" || t.text == "}")
}
