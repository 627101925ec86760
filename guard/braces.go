package guard

import (
	"slices"
	"strings"

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

// dropEmpty takes the empty words out that braces made of nothing: "rm {,/etc}"
// has one argument. Quotes keep one, so a word with quotes keeps them all.
func dropEmpty(fields []string, word *syntax.Word) []string {
	for _, part := range word.Parts {
		switch part.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			return fields
		}
	}
	return slices.DeleteFunc(fields, func(f string) bool { return f == "" })
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
