package guard

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// duplicates marks two more forms in which bash runs what the syntax tree does
// not show. It ends a word after ">&-", so ">&-pwn" closes the output and runs
// pwn, and so does ">&-'pwn'". And it expands the file of ">&file" twice: in "ls >&'$(pwn)'" the quotes
// are gone the second time.
func (w *walker) duplicates(r *syntax.Redirect, target string) {
	first, ok := r.Word.Parts[0].(*syntax.Lit)
	early := ok && strings.HasPrefix(first.Value, "-") && len(first.Value)+len(r.Word.Parts) > 2
	twice := r.Op == syntax.DplOut && r.N == nil && strings.ContainsAny(target, "$`<>~*?[")
	if early || twice {
		span := w.at.span(r)
		w.opaque = append(w.opaque, span)
		w.emit(effect{kind: kindProblem, name: problemOpaque, span: span})
	}
}
