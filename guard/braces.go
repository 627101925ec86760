package guard

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
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

// braced splits each word that braces make by itself. One made of nothing is no
// argument: "rm {,/etc}" has one, and so has rm {"/etc",}; quotes keep it.
func (w *walker) braced(st *state, word *syntax.Word, c *expand.Config) []string {
	var fields []string
	whole := *word
	syntax.SplitBraces(&whole)
	for one, err := range expand.BracesSeq(c, &whole) {
		if err != nil {
			return []string{unknown}
		}
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

// renames reports braces that begin or end right behind a variable. They expand
// first: "$x{a,b}" is $xa and $xb, "{$x,}b" is $xb and b.
func renames(word *syntax.Word) bool {
	for i, part := range word.Parts[1:] {
		p, short := word.Parts[i].(*syntax.ParamExp)
		lit, ok := part.(*syntax.Lit)
		if short && p.Short && ok && strings.IndexAny(lit.Value, "{,}") == 0 {
			return true
		}
	}
	return false
}
