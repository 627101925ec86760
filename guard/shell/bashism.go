package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

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
		case *syntax.ArithmCmd: // ((rm -rf /)) is two subshells
			start, end := offsets(n)
			add(start+2, end-2)
		case *syntax.TestClause: // [[ a && b ]] is two commands
			add(offsets(n))
		case *syntax.FuncDecl:
			if n.RsrvWord { // function f { …: the lines of the body run at once
				add(offsets(n.Body))
			}
		case *syntax.SglQuoted: // $'a\'b' ends at its second quote
			plain = plain && (!n.Dollar || !strings.Contains(n.Value, `\'`))
		case *syntax.LetClause: // let a|b is a pipe
			plain = false
		case *syntax.Stmt: // a b &>f c runs a with b, and then c
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
	for i := from; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '\n':
			return i
		}
	}
	return len(text)
}
