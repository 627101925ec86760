package shell

import (
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// withoutEscapes puts what stands behind a backslash in quotes, because package
// expand keeps the backslash where a word is not split: "x=r\m; $x -rf /".
func withoutEscapes(word *syntax.Word) *syntax.Word {
	var parts []syntax.WordPart
	for _, part := range word.Parts {
		p, ok := part.(*syntax.Lit)
		if !ok {
			parts = append(parts, part)
			continue
		}
		text := p.Value
		for at := strings.IndexByte(text, '\\'); at >= 0 && at+1 < len(text); at = strings.IndexByte(text, '\\') {
			_, size := utf8.DecodeRuneInString(text[at+1:])
			parts = append(parts, &syntax.Lit{Value: text[:at]}, &syntax.SglQuoted{Value: text[at+1 : at+1+size]})
			text = text[at+1+size:]
		}
		parts = append(parts, &syntax.Lit{Value: text})
	}
	return &syntax.Word{Parts: parts}
}

// hasEscapes reports a backslash outside of quotes.
func hasEscapes(word *syntax.Word) bool {
	return word != nil && slices.ContainsFunc(word.Parts, func(part syntax.WordPart) bool { return litHas(part, `\`) })
}

// litHas reports text outside of quotes.
func litHas(part syntax.WordPart, text string) bool {
	p, ok := part.(*syntax.Lit)
	return ok && strings.Contains(p.Value, text)
}

// joinLines takes the ends of lines out that a backslash hides and the parser
// left in: behind one that is hidden itself.
func joinLines(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		if i++; text[i] != '\n' {
			b.WriteString(text[i-1 : i+1])
		}
	}
	return b.String()
}
