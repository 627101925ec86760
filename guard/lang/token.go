package lang

import (
	"strings"

	"github.com/pillion-sidecar/pillion/guard/shell"
)

// Token is one word of a program in another language.
type Token struct {
	Kind  byte // see the constants
	Text  string
	Parts []part // of a string or command
	line  bool   // first on its line
	tight bool   // nothing before it, not even a blank
}

// The kinds of tokens.
const (
	TokName    = 'i'
	tokNumber  = 'n'
	TokString  = 's'
	tokCommand = 'c' // a string that is run: `…`, %x{…}
	tokWords   = 'w' // qw(…), %w[…]
	tokCode    = 'e' // the replacement of s///e
	tokOther   = 'r' // a pattern
	TokSign    = 'p'
	TokEnd     = ';'
)

// part is a piece of a string: text, or code that computes some.
type part struct{ Text, code string }

// lexer cuts a program into tokens.
type lexer struct {
	l    *Language
	s    string
	i    int
	out  []Token
	line bool
}

// Tokens cuts text up, as far as a language's look allows.
func Tokens(l *Language, s string) []Token {
	x := lexer{l: l, s: s, out: make([]Token, 0, 8+len(s)/6)}
	for x.i < len(x.s) {
		x.next()
	}
	if l == &appleScript {
		return verbs(x.out)
	}
	return x.out
}

// verbs makes one name of AppleScript's `do shell script`.
func verbs(in []Token) []Token {
	var out []Token
	for i := 0; i < len(in); i++ {
		t := in[i]
		if t.Text == "do" && t.Kind == TokName {
			for i+1 < len(in) && in[i+1].Kind == TokName && (in[i+1].Text == "shell" || in[i+1].Text == "script") {
				i++
				t.Text += in[i].Text
			}
		}
		out = append(out, t)
	}
	return out
}

func (x *lexer) add(t Token, end int) {
	t.line = x.line
	t.tight = x.i > 0 && !shell.Blank(x.s[x.i-1])
	x.line = false
	x.i = min(end, len(x.s))
	x.out = append(x.out, t)
}

func (x *lexer) next() {
	rest := x.s[x.i:]
	c := rest[0]
	switch {
	case c == '\n':
		if x.l.Lines {
			x.add(Token{Kind: TokEnd, Text: "\n"}, x.i+1)
		} else {
			x.i++
		}
		x.line = true
	case c == '\\' && strings.HasPrefix(rest, "\\\n"):
		x.i += 2
	case c == ' ' || c == '\t':
		x.i++
	case c == ';' && x.l.Name != "elisp":
		x.add(Token{Kind: TokEnd, Text: ";"}, x.i+1)
	case x.comment(rest):
	case x.quoted(rest):
	case NameByte(c) || strings.IndexByte(x.l.Sigils, c) >= 0 && len(rest) > 1 && (NameByte(rest[1]) || Digit(rest[1]) ||
		c == '$' && (rest[1] == '_' || rest[1] == '`' || rest[1] == '/')):
		x.name(rest)
	case Digit(c):
		n := 1
		for n < len(rest) && (NameByte(rest[n]) || Digit(rest[n]) || rest[n] == '.' && n+1 < len(rest) && Digit(rest[n+1])) {
			n++
		}
		x.add(Token{Kind: tokNumber, Text: rest[:n]}, x.i+n)
	default:
		x.sign(rest)
	}
}

// NameByte reports a byte that begins a name.
func NameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

// Digit reports a decimal digit.
func Digit(c byte) bool { return c >= '0' && c <= '9' }

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
	for _, start := range x.l.Comments {
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
	for n < len(rest) && (NameByte(rest[n]) || Digit(rest[n]) || rest[n] == '-' && x.l.Name == "elisp") {
		n++
	}
	if x.l.Name == "r" { // read.csv is one name
		for n+1 < len(rest) && (NameByte(rest[n]) || Digit(rest[n]) || rest[n] == '.' && NameByte(rest[n+1])) {
			n++
		}
	}
	if x.prefixed(rest, n) || x.l.quoting == "perl" && x.perlQuote(rest, n) {
		return
	}
	x.add(Token{Kind: TokName, Text: rest[:n]}, x.i+n)
}

// signs are the operators of more than one character, by their first.
var signs = func() (table [128][]string) {
	for _, s := range [...]string{
		"===", "!==", "...", "**=", "->", "::", "?.", "..", "=>", "==", "!=", "=~", "!~", "<=",
		">=", "&&", "||", "**", "+=", ".=", "|>", "<-", "//", "<<", ">>", ":=", "-=", "*=", "++", "--",
	} {
		table[s[0]] = append(table[s[0]], s)
	}
	return table
}()

func (x *lexer) sign(rest string) {
	for _, s := range signs[rest[0]&0x7f] {
		if strings.HasPrefix(rest, s) {
			x.add(Token{Kind: TokSign, Text: s}, x.i+len(s))
			return
		}
	}
	x.add(Token{Kind: TokSign, Text: rest[:1]}, x.i+1)
}

// operandBefore reports a token after which / and % divide.
func (x *lexer) operandBefore() bool {
	if len(x.out) == 0 {
		return false
	}
	t := x.out[len(x.out)-1]
	switch t.Kind {
	case TokName:
		return !OperatorWord(t.Text)
	case tokNumber, TokString:
		return true
	}
	return t.Kind == TokSign && (t.Text == ")" || t.Text == "]" || t.Text == "}")
}
