package shell

import (
	"strings"
	"unicode/utf8"

	"github.com/pillion-sidecar/pillion/guard/unseen"
)

// badByte finds the first character that no shell text needs and that makes the
// parser, the shells and the person reading it see three different commands: CR
// (mvdan/sh drops it, shells do not), NUL (dropped), other controls, bidi
// overrides and zero-width characters. It is -1 for clean text.
func badByte(s string) int {
	for i, r := range s {
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], string(r)) || unseen.Deceptive(r) {
			return i
		}
	}
	return -1
}

// BadArg is badByte for an argument that no shell reads: only what cannot be an
// argument at all, or could not be reported, is bad.
func BadArg(s string) int {
	if i := strings.IndexByte(s, 0); i >= 0 {
		return i
	}
	if !utf8.ValidString(s) {
		return 0
	}
	return -1
}

// maxOpeners bounds how deep the parser can be made to recurse. It has no limit
// of its own: 64 KiB of "(" take seconds and a quarter of a gigabyte of stack.
const maxOpeners = 600

// maxOperators bounds the links of one && or | chain: the parser nests each in
// the next, and whatever walks the tree goes as deep.
const maxOperators = 4000

// maxWords bounds what the parser makes a node of. Nothing near it is ever
// followed to its end.
const maxWords = 8192

// tooNested counts words, and what can open a level, in text that is not plainly
// literal (single quotes, comments, here-documents with a quoted delimiter). It
// counts and does not match: a closing bracket that only looks like one must not
// make room. Being fooled about a quote costs time, not safety: at maxBytes the stack
// holds whatever is left.
func tooNested(s string) bool {
	n, operators, words := 0, 0, 0
	arithmetic := strings.Contains(s, "((") || strings.Contains(s, "[") || strings.Contains(s, "${") ||
		strings.Contains(s, "let ")
	sc := scanner{s: s}
	for sc.next() {
		switch c := sc.s[sc.i]; c {
		case ' ', '\t', '\n', ';':
			if sc.i > 0 && !Blank(sc.s[sc.i-1]) {
				words++
			}
		case '(', '[', '{', '`', '$', '!':
			n++
		case '|', '&':
			operators++
			words++
		case '+', '-', '*', '/', '%', ',', '?', ':', '^', '=', '<', '>':
			if arithmetic {
				words++
			}
		case 'f', 'e', 'r', 'l', 'n':
			if sc.keyword() {
				n++
			}
		}
		if n > maxOpeners || operators > maxOperators || words > maxWords {
			return true
		}
	}
	return false
}

// scanner steps over the bytes that are code or may expand.
type scanner struct {
	s       string
	i       int
	started bool
	double  bool     // inside double quotes
	docs    []string // quoted here-document delimiters of this line
}

func (c *scanner) next() bool {
	if c.started {
		c.i++
	}
	c.started = true
	for c.i < len(c.s) {
		switch b := c.s[c.i]; {
		case b == '\\':
			c.i += 2
		case b == '"':
			c.double = !c.double
			c.i++
		case b == '\'' && !c.double:
			c.i = c.past(c.i+1, b)
		case b == '#' && !c.double && (c.i == 0 || Blank(c.s[c.i-1])):
			c.i = c.line(c.i)
		case b == '\n' && len(c.docs) > 0 && !c.double:
			c.skipDocs()
		case b == '<' && !c.double && c.heredoc():
		default:
			return true
		}
	}
	return false
}

// Blank reports a byte that ends a word.
func Blank(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == ';' }

// past is the index after the next sep, or the end.
func (c *scanner) past(i int, sep byte) int {
	if n := strings.IndexByte(c.s[i:], sep); n >= 0 {
		return i + n + 1
	}
	return len(c.s)
}

// line is the index of the next newline, or the end.
func (c *scanner) line(i int) int {
	if n := strings.IndexByte(c.s[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(c.s)
}

// heredoc steps over <<'WORD' and remembers the delimiter.
func (c *scanner) heredoc() bool {
	i := c.i + 2
	if i >= len(c.s) || c.s[c.i+1] != '<' {
		return false
	}
	if c.s[i] == '-' {
		i++
	}
	for i < len(c.s) && c.s[i] == ' ' {
		i++
	}
	if i >= len(c.s) || c.s[i] != '\'' && c.s[i] != '"' {
		return false
	}
	end := c.past(i+1, c.s[i])
	c.docs = append(c.docs, c.s[i+1:max(end-1, i+1)])
	c.i = end
	return true
}

// skipDocs moves past the bodies that begin after this newline.
func (c *scanner) skipDocs() {
	for _, doc := range c.docs {
		for c.i < len(c.s) {
			start := c.i + 1
			end := c.line(min(start, len(c.s)))
			c.i = end
			if start <= end && strings.TrimLeft(c.s[start:end], "\t") == doc {
				break
			}
		}
	}
	c.docs = nil
	if c.i >= len(c.s) {
		return
	}
	c.i++
}

// keyword reports the end of a word that opens a compound command.
func (c *scanner) keyword() bool {
	for _, k := range [...]string{"if", "while", "until", "for", "case", "elif"} {
		start := c.i - len(k) + 1
		if start >= 0 && c.s[start:c.i+1] == k && (start == 0 || !Letter(c.s[start-1])) &&
			(c.i+1 == len(c.s) || !Letter(c.s[c.i+1])) {
			return true
		}
	}
	return false
}

// Letter reports a byte of a name.
func Letter(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '-'
}
