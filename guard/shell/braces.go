package shell

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// withoutBraces is the word for a shell that knows no brace expansion: dash
// runs "ls {a,b}" with one argument.
func withoutBraces(word *syntax.Word) *syntax.Word {
	parts := slices.Clone(word.Parts)
	for i, part := range parts {
		if p, ok := part.(*syntax.Lit); ok && strings.Contains(p.Value, "{") {
			parts[i] = &syntax.Lit{Value: escapeBraces(p.Value)}
		}
	}
	return &syntax.Word{Parts: parts}
}

func escapeBraces(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text):
			b.WriteByte('\\')
			i++
		case text[i] == '{':
			b.WriteByte('\\')
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// braced splits each word that braces make by itself. One made of nothing is not an
// argument: "rm {,/etc}" has one, and so has rm {"/etc",}; quotes keep it.
func (w *Walker) braced(st *State, word *syntax.Word, c *expand.Config) []string {
	var fields []string
	whole := *word
	syntax.SplitBraces(&whole)
	for one, err := range expand.BracesSeq(c, &whole) {
		if err != nil {
			return []string{effect.Unknown}
		}
		one = tight(one)
		more := w.unbraced(st, one, withoutBraces(one), c)
		if len(more) == 1 && more[0] == "" && !hasQuotes(one) {
			continue
		}
		fields = append(fields, more...)
	}
	return fields
}

func hasQuotes(word *syntax.Word) bool {
	return slices.ContainsFunc(word.Parts, func(part syntax.WordPart) bool {
		switch part.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			return true
		}
		return false
	})
}

// tight is the word with its literals in one piece each: "~{,s}" begins with a
// tilde alone, which is the home.
func tight(word *syntax.Word) *syntax.Word {
	var parts []syntax.WordPart
	for _, part := range word.Parts {
		p, ok := part.(*syntax.Lit)
		if !ok {
			parts = append(parts, part)
			continue
		}
		if n := len(parts) - 1; n >= 0 {
			if before, ok := parts[n].(*syntax.Lit); ok {
				parts[n] = &syntax.Lit{Value: before.Value + p.Value}
				continue
			}
		}
		if p.Value != "" {
			parts = append(parts, p)
		}
	}
	if len(parts) == 0 {
		parts = append(parts, &syntax.Lit{})
	}
	return &syntax.Word{Parts: parts}
}

// renames reports braces that begin or end right after a variable. They expand first:
// "$x{a,b}" is $xa and $xb, "{$x,}b" is $xb and b. And those inside of ${x#{} are counted.
// And the dollar sign of "{$,a}x" names a variable.
func renames(word *syntax.Word) bool {
	word = tight(word)
	if slices.ContainsFunc(word.Parts, confuses) {
		return true
	}
	for i, part := range word.Parts[1:] {
		p, short := word.Parts[i].(*syntax.ParamExp)
		lit, ok := part.(*syntax.Lit)
		if short && p.Short && ok && strings.IndexAny(lit.Value, "{,}") == 0 {
			return true
		}
	}
	return false
}

// confuses reports a part that braces around it make another one of.
func confuses(part syntax.WordPart) bool {
	if lit, ok := part.(*syntax.Lit); ok {
		return strings.Contains(lit.Value, "$,") || strings.Contains(lit.Value, "$}")
	}
	p, ok := part.(*syntax.ParamExp)
	if !ok || p.Short {
		return false
	}
	return has(p, func(lit *syntax.Lit) bool { return strings.ContainsAny(lit.Value, "{}") })
}

// stretched reports braces around one word that bash closes only further on: {}a,b} is
// "}a" and "b", where the parser sees no such braces.
func stretched(word *syntax.Word) bool {
	var b strings.Builder
	for _, part := range word.Parts {
		if p, ok := part.(*syntax.Lit); ok {
			b.WriteString(p.Value)
		} else {
			b.WriteByte('x')
		}
	}
	text := b.String()
	for i := strings.IndexByte(text, '{'); i >= 0 && i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '{':
			if closesLate(text[i+1:]) {
				return true
			}
		}
	}
	return false
}

// closesLate reports a bracket with nothing to choose from, and one after it that has.
func closesLate(text string) bool {
	depth, several, late := 0, false, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '{':
			depth++
		case c == '}' && depth > 0:
			depth--
		case depth > 0:
		case c == ',', c == '.' && strings.HasPrefix(text[i:], "..") && !strings.HasPrefix(text[i:], "..}"):
			several = true
		case c == '}' && several:
			return late
		case c == '}':
			late = true
		}
	}
	return false
}

// mayBrace reports text in which bash might expand braces, quickly and generously.
func mayBrace(text string) bool {
	for rest := text; ; {
		before, after, closed := strings.Cut(rest, "}")
		if !closed {
			return false
		}
		if _, in, open := strings.Cut(before, "{"); open && (strings.Contains(in, ",") || strings.Contains(in, "..")) {
			return true
		}
		rest = after
	}
}

// maxBraces bounds the words one brace expansion is followed into.
const maxBraces = 2048

// braces counts the words a brace expansion makes.
func braces(word *syntax.Word) int {
	c := *word
	if !syntax.SplitBraces(&c) {
		return 1
	}
	return braceWords(&c)
}

func braceWords(word *syntax.Word) int {
	n := 1
	for _, part := range word.Parts {
		b, ok := part.(*syntax.BraceExp)
		if !ok {
			continue
		}
		k := 0
		if b.Sequence {
			k = sequence(b)
		} else {
			for _, e := range b.Elems {
				k += braceWords(e)
			}
		}
		if n *= max(k, 1); n > maxBraces {
			return n
		}
	}
	return n
}

// sequence is an upper bound of {a..b..step}; numbers beyond reason count as many.
func sequence(b *syntax.BraceExp) int {
	from, err1 := strconv.ParseInt(b.Elems[0].Lit(), 10, 32)
	to, err2 := strconv.ParseInt(b.Elems[1].Lit(), 10, 32)
	if err1 != nil || err2 != nil {
		if len(b.Elems[0].Lit()) == 1 && len(b.Elems[1].Lit()) == 1 {
			return 128
		}
		return maxBraces + 1
	}
	return int(max(from-to, to-from)) + 1
}
