package shell

import (
	"errors"
	"strings"

	"github.com/sourcegraph/conc/panics"
	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// duplicates marks two more forms in which bash runs what the syntax tree does
// not show. It ends a word after ">&-", so ">&-pwn" closes the output and runs
// pwn, and so does ">&-'pwn'". And it expands the file of ">&file" twice: in "ls >&'$(pwn)'" the quotes
// are gone the second time.
func (w *Walker) duplicates(r *syntax.Redirect, target string) {
	first, ok := r.Word.Parts[0].(*syntax.Lit)
	early := ok && strings.HasPrefix(first.Value, "-") && len(first.Value)+len(r.Word.Parts) > 2
	twice := r.Op == syntax.DplOut && r.N == nil && strings.ContainsAny(target, "$`<>~*?[")
	if early || twice {
		span := w.At.span(r)
		w.Opaque = append(w.Opaque, span)
		w.Emit(effect.Effect{Kind: effect.Problem, Name: effect.ProblemOpaque, Span: span})
	}
}

// unreadable names why a text must not reach the parser, and where.
func unreadable(text string) (problem string, at int) {
	if len(text) > effect.MaxBytes {
		return effect.ProblemSize, effect.MaxBytes
	}
	if i := badByte(text); i >= 0 {
		return effect.ProblemBytes, i
	}
	if tooNested(text) {
		return effect.ProblemNesting, 0
	}
	return "", 0
}

// parse reads text as far as it can. Shells run the lines before a syntax error,
// so what was read up to there is judged with the error.
func parse(text string, lang syntax.LangVariant) (*syntax.File, error) {
	if lang == langAsh {
		lang = syntax.LangBash
	}
	p := syntax.NewParser(syntax.Variant(lang), syntax.KeepComments(true))
	file, err := p.Parse(strings.NewReader(text), "")
	if err == nil {
		return file, nil
	}
	// Tokens missing at the end are made up: `rm -rf / "` still shows its rm.
	if file := recovered(text, lang); file != nil {
		return file, err
	}
	file = &syntax.File{}
	p = syntax.NewParser(syntax.Variant(lang), syntax.KeepComments(true))
	broken := false // no break: the parser goes on behind some errors, as of `<<''&`
	for s, serr := range p.StmtsSeq(strings.NewReader(text)) {
		broken = broken || serr != nil || s == nil
		if !broken {
			file.Stmts = append(file.Stmts, s)
		}
	}
	return file, err
}

// recovered reads on behind errors. The parser panics on some of them, as on
// "A=$((0 A"; what stands before must still be judged.
func recovered(text string, lang syntax.LangVariant) (file *syntax.File) {
	p := syntax.NewParser(syntax.Variant(lang), syntax.KeepComments(true), syntax.RecoverErrors(5))
	r := panics.Try(func() {
		var err error
		if file, err = p.Parse(strings.NewReader(text), ""); err != nil {
			file = nil
		}
	})
	if r != nil {
		return nil
	}
	return file
}

func errorOffset(err error) int {
	var perr syntax.ParseError
	if errors.As(err, &perr) {
		return int(perr.Pos.Offset())
	}
	var lerr syntax.LangError
	if errors.As(err, &lerr) {
		return int(lerr.Pos.Offset())
	}
	return 0
}
