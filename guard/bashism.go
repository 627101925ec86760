package guard

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// bashism reads text that is no POSIX shell but good bash, run by some /bin/sh. A
// bash runs it, and that reading is judged in its own pass. Others (dash) stop at
// a syntax error, having run what stands before it, or stumble at run time and
// may go on: their words are those of a POSIX shell in the statements that bash
// sees, and what they would read as another command is judged here. The answer
// is nil when that cannot be said of all of the text.
func (w *walker) bashism(st *state, text string) *syntax.File {
	file, err := parse(text, syntax.LangBash)
	if err != nil {
		return nil
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
			return nil
		}
		start, end := offsets(n)
		if _, arithmetic := n.(*syntax.ArithmCmd); arithmetic {
			start, end = start+2, end-2
		}
		w.misread(st.clone(), text, start, end)
	}
	if !plain {
		return nil
	}
	return file
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
