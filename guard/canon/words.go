package canon

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// simple writes a command's words and redirections in the order of the source.
func (s *transcript) simple(args []*syntax.Word, redirs []*syntax.Redirect) bool {
	s.args = s.args[:0]
	for blank := false; len(args)+len(redirs) > 0; blank = true {
		if blank {
			s.out = append(s.out, ' ')
		}
		if len(redirs) == 0 || len(args) > 0 && args[0].Pos().Offset() < redirs[0].Pos().Offset() {
			if !s.static(args[0]) {
				return false
			}
			s.args = append(s.args, string(s.word))
			args = args[1:]
			continue
		}
		if !s.redirect(redirs[0]) {
			return false
		}
		redirs = redirs[1:]
	}
	return true
}

// redirects writes those after a group.
func (s *transcript) redirects(list []*syntax.Redirect) bool {
	for _, r := range list {
		s.out = append(s.out, ' ')
		if !s.redirect(r) {
			return false
		}
	}
	return true
}

// redirect writes > >> >| < with a file, and >& <& with a digit or "-". Numbers
// have one digit: dash takes more for a word.
func (s *transcript) redirect(r *syntax.Redirect) bool {
	s.move(lineOf(r))
	if r.N != nil {
		if !isDigit(r.N.Value) {
			return false
		}
		s.out = append(s.out, r.N.Value...)
	}
	switch r.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrIn:
		s.out = append(s.out, r.Op.String()...)
		return s.static(r.Word)
	case syntax.DplOut, syntax.DplIn:
		to := r.Word.Lit()
		s.out = append(append(s.out, r.Op.String()...), to...)
		return isDigit(to) || to == "-"
	}
	return false
}

func isDigit(text string) bool { return len(text) == 1 && text[0] >= '0' && text[0] <= '9' }

// static writes a word that is the same in every shell and at any time.
func (s *transcript) static(word *syntax.Word) bool {
	s.word = s.word[:0]
	s.move(lineOf(word))
	// Braces expand around a comma or dots; without, they are text: {} @{1}.
	brace, span := false, false
	for i, part := range word.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if p.Value == "[" && len(word.Parts) == 1 { // test, and no pattern
				s.word = append(s.word, '[')
				continue
			}
			if !s.literal(p.Value, i == len(word.Parts)-1) {
				return false
			}
			brace = brace || strings.Contains(p.Value, "{")
			span = span || strings.Contains(p.Value, ",") || strings.Contains(p.Value, "..")
		case *syntax.SglQuoted:
			if p.Dollar {
				return false
			}
			s.word = append(s.word, p.Value...)
		case *syntax.DblQuoted:
			if p.Dollar || !s.double(p.Parts) {
				return false
			}
		default:
			return false
		}
	}
	s.quote()
	return !brace || !span
}

// quote writes the word: always in single quotes, also where it needs none.
func (s *transcript) quote() {
	s.out = append(s.out, '\'')
	for _, c := range s.word {
		switch c {
		case '\'':
			s.out = append(s.out, `'\''`...)
			continue
		case '\n':
			s.line++
		}
		s.out = append(s.out, c)
	}
	s.out = append(s.out, '\'')
}

// literal takes unquoted text over. Only bytes that mean nothing to any shell
// pass; a tilde does where no shell expands it, as in HEAD~1.
func (s *transcript) literal(text string, last bool) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			if i++; i == len(text) || text[i] == '\n' {
				return false
			}
		case c == '~':
			if n := len(s.word); n == 0 || s.word[n-1] == '=' || s.word[n-1] == ':' {
				return false
			}
		case c == '$':
			if !last || i+1 < len(text) {
				return false
			}
		case c >= 0x80, c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9',
			strings.IndexByte("%+,-./:=@_^#!{}]", c) >= 0:
		default:
			return false
		}
		s.word = append(s.word, text[i])
	}
	return true
}

// double takes the content of double quotes over.
func (s *transcript) double(parts []syntax.WordPart) bool {
	for i, part := range parts {
		p, ok := part.(*syntax.Lit)
		if !ok {
			return false
		}
		if p.Value == "$" && endsDollar(parts[i+1:]) {
			s.word = append(s.word, '$')
			continue
		}
		for text := p.Value; text != ""; {
			c := text[0]
			text = text[1:]
			switch {
			case c == '\\' && text == "", c == '\\' && text[0] == '\n', c == '$', c == '`', c == '"':
				return false
			case c == '\\' && strings.IndexByte("$`\"\\", text[0]) >= 0:
				c, text = text[0], text[1:]
			}
			s.word = append(s.word, c)
		}
	}
	return true
}

// endsDollar reports what makes a dollar sign before it plain text: "foo$",
// "^$|x". Not a bracket: the parser may have dropped a line end between, and
// "$\⏎(pwn)" runs pwn.
func endsDollar(rest []syntax.WordPart) bool {
	if len(rest) == 0 {
		return true
	}
	p, ok := rest[0].(*syntax.Lit)
	return ok && p.Value != "" && strings.IndexByte(" |)/", p.Value[0]) >= 0
}
