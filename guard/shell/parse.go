package shell

import (
	"errors"
	"slices"
	"strings"

	"github.com/sourcegraph/conc/panics"
	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
)

// duplicates marks two more forms in which bash runs what the syntax tree does not show.
// It ends a word after ">&-", so ">&-pwn" closes the output and runs pwn, and so does
// ">&-'pwn'". And it expands the file of ">&file" twice: in "ls >&'$(pwn)'" the quotes are
// gone the second time.
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

// template is ${{ … }}, which a CI replaces before any shell sees it: a value that nobody
// knows, as that of a variable. A shell that does see it calls it a bad substitution, and
// runs nothing of it.
var template = argv.Pattern(`^\$\{\{(?:[^{}'"$\\\n\x60]|'[^'"$\\\n\x60]*'){1,500}\}\}`)

// maxTemplates bounds how often a text is read anew for one more template.
const maxTemplates = 50

// withoutTemplates has a variable in place of each template that the parser stumbles over. A
// search for them would also find '${{ '; pwn; ' }}'.
func withoutTemplates(text string, lang syntax.LangVariant) string {
	for range min(strings.Count(text, "${{"), maxTemplates) {
		p := syntax.NewParser(syntax.Variant(lang), syntax.KeepComments(true))
		_, err := p.Parse(strings.NewReader(text), "")
		at := errorOffset(err) - len("${")
		if err == nil || at < 0 {
			break
		}
		t := template().FindString(text[at:])
		if t == "" {
			break
		}
		text = text[:at] + "${" + strings.Repeat("_", len(t)-3) + "}" + text[at+len(t):]
	}
	return text
}

// parse reads text as far as it can. Shells run the lines before a syntax error,
// so what was read up to there is judged with the error.
func parse(text string, lang syntax.LangVariant) (*syntax.File, error) {
	if lang == langAsh {
		lang = syntax.LangBash
	}
	text = withoutTemplates(text, lang)
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
	if e, ok := errors.AsType[syntax.ParseError](err); ok {
		return int(e.Pos.Offset())
	}
	e, _ := errors.AsType[syntax.LangError](err)
	return int(e.Pos.Offset())
}

// bashism reads text that is no POSIX shell but good bash, run by some /bin/sh. A
// bash runs it, and that reading is judged in its own pass. Others (dash) stop at
// a syntax error, having run what stands before it, or stumble at run time and
// may go on: their words are those of a POSIX shell in the statements that bash
// sees, and what they would read as another command is judged here. The answer
// is nil when that cannot be said of all of the text.
func (w *Walker) bashism(st *State, text string) *syntax.File {
	file, err := parse(text, syntax.LangBash)
	if err != nil {
		return nil
	}
	var other []effect.Span
	add := func(start, end int) { other = append(other, effect.Span{Start: start, End: end}) }
	plain := true
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt: // a b &>f c runs a with b, and then c
			if onlyBash(n) { // a syntax error to others: none of it runs
				return false
			}
			for _, r := range n.Redirs {
				if r.N != nil && strings.HasPrefix(r.N.Value, "{") {
					plain = false // {x}>f is one more word
				}
				if r.Op == syntax.RdrAll || r.Op == syntax.AppAll {
					start, _ := offsets(n)
					at, end := offsets(r)
					add(start, at)
					add(at+1, lineEnd(text, end))
				}
			}
		case *syntax.ArithmCmd: // ((rm -rf /)) is two subshells
			start, end := offsets(n)
			add(start+2, end-2)
		case *syntax.TestClause: // [[ a && b ]] is two commands
			add(offsets(n))
		case *syntax.FuncDecl:
			if n.RsrvWord && !n.Parens { // function f { …: the lines of the body run at once
				add(offsets(n.Body))
			}
		case *syntax.SglQuoted: // $'a\'b' ends at its second quote
			plain = plain && (!n.Dollar || !strings.Contains(n.Value, `\'`))
		case *syntax.LetClause: // let a|b is a pipe
			plain = false
		}
		return plain
	})
	for _, part := range other {
		if plain = plain && w.Spend(1); !plain {
			return nil
		}
		w.misread(st.Clone(), text, part.Start, part.End)
	}
	if !plain {
		return nil
	}
	return file
}

// onlyBash reports a compound command that reads from <(…) itself: "<" before "(" ends the
// reading of every other shell.
func onlyBash(s *syntax.Stmt) bool {
	if _, simple := s.Cmd.(*syntax.CallExpr); simple || s.Cmd == nil {
		return false
	}
	return slices.ContainsFunc(s.Redirs, func(r *syntax.Redirect) bool {
		if r.Op != syntax.RdrIn || r.Word == nil || len(r.Word.Parts) == 0 {
			return false
		}
		_, process := r.Word.Parts[0].(*syntax.ProcSubst)
		return process
	})
}

// misread judges a part of the text as commands, as far as it can be read so.
func (w *Walker) misread(st *State, text string, start, end int) {
	if start < 0 || end > len(text) || start >= end || !w.Spend(1+(end-start)/32) {
		return
	}
	defer w.Enter("sh", "", w.Within(start, end))()
	part := text[start:end]
	defer w.Stand(w.At)()
	w.At.text, w.At.offset = part, w.At.offset+start
	file, _ := parse(part, syntax.LangPOSIX)
	w.stmts(st, file.Stmts, effect.Somewhere)
}

// lineEnd is the end of the line that from is in, with what a backslash adds to it.
func lineEnd(text string, from int) int {
	if n := unhidden(text[from:], '\n'); n >= 0 {
		return from + n
	}
	return len(text)
}
