package guard

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// bashism is text that is no POSIX shell but good bash, run by some /bin/sh. A
// bash runs it, and that reading is judged in its own pass. Others (dash) stop
// with a syntax error, having run what stands before it: those statements are
// judged like any. What such a shell would read as something else than bash, and
// run, is judged here. It reports whether that could be said of all of the text.
func (w *walker) bashism(st *state, text string) bool {
	file, err := parse(text, syntax.LangBash)
	if err != nil {
		return false
	}
	var other []syntax.Node
	plain := true
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ArithmCmd, *syntax.TestClause: // ((rm -rf /)) is two subshells, [[ a && b ]] two commands
			other = append(other, n)
		case *syntax.FuncDecl:
			if n.RsrvWord { // function f { …: the lines of the body run at once
				other = append(other, n.Body)
			}
		case *syntax.SglQuoted: // $'a\'b' ends at its second quote
			plain = plain && (!n.Dollar || !strings.Contains(n.Value, `\'`))
		case *syntax.LetClause: // let a|b is a pipe
			plain = false
		}
		return plain
	})
	for _, n := range other {
		if plain = plain && w.spend(1); !plain {
			return false
		}
		start, end := offsets(n)
		if _, arithmetic := n.(*syntax.ArithmCmd); arithmetic {
			start, end = start+2, end-2
		}
		w.misread(st.clone(), text, start, end)
	}
	return plain
}

// misread judges a part of the text as commands, as far as it can be read so.
func (w *walker) misread(st *state, text string, start, end int) {
	if start < 0 || end > len(text) || start >= end {
		return
	}
	defer w.enter("sh", "", w.within(start, end))()
	part, at := text[start:end], w.at
	defer func() { w.at = at }()
	w.at.text, w.at.offset = part, at.offset+start
	file, _ := parse(part, syntax.LangPOSIX)
	w.stmts(st, file.Stmts, somewhere)
}
