package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
)

// asWritten is the request's own text for the rules that look at text. Both
// passes read the same bytes, so one of them is enough.
func (w *Walker) asWritten() {
	if w.Lang != Passes(w.In)[0] {
		return
	}
	text := w.In.Command
	if len(w.In.Argv) > 0 {
		text = Typed(w.In.Argv)
		if w.Commands {
			w.Emit(effect.Effect{Kind: effect.Command, Name: effect.WrittenCommand, Text: text, Span: w.Whole()})
		}
	}
	w.Emit(effect.Effect{Kind: effect.Text, Name: w.Field(), Text: text, Span: w.Whole()})
}

// Typed is argv as one would type it, so that ["git status; x"] does not
// read like the program git.
func Typed(list []string) string {
	words := make([]string, len(list))
	for i, a := range list {
		if words[i] = a; a == "" || strings.ContainsAny(a, " \t\n;&|<>()$`\\\"'*?[]{}#~!") {
			words[i] = argv.Quote(a)
		}
	}
	return strings.Join(words, " ")
}

// written writes down one command of the request as the source has it, with its
// redirections and once for each place. Text handed to another shell is part of
// the command that hands it over, and not written down again.
func (w *Walker) written(s *syntax.Stmt) {
	if w.nested > 0 || !w.At.mapped || !w.Commands {
		return
	}
	name := writtenAs(s)
	if name == "" {
		return
	}
	start, end := extent(s)
	span := w.At.span(s)
	if start < 0 || end > len(w.At.text) || start > end || w.seen[span] {
		return
	}
	if w.seen == nil {
		w.seen = map[effect.Span]bool{}
	}
	w.seen[span] = true
	w.Emit(effect.Effect{Kind: effect.Command, Name: name, Text: w.At.text[start:end], Span: span})
}

// writtenAs is "" for what only holds other commands.
func writtenAs(s *syntax.Stmt) string {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		if len(c.Args) > 0 {
			return effect.WrittenCommand
		}
		return effect.WrittenAssign
	case *syntax.FuncDecl:
		return effect.WrittenFunction
	case *syntax.Block, *syntax.Subshell, *syntax.BinaryCmd, *syntax.IfClause, *syntax.WhileClause, *syntax.ForClause,
		*syntax.CaseClause:
		if len(s.Redirs) > 0 {
			return effect.WrittenShell
		}
		return ""
	}
	return effect.WrittenShell
}

// extent is where a statement's command and redirections stand, without what
// ends it: `&` is no part of `git fetch &`.
func extent(s *syntax.Stmt) (start, end int) {
	start, end = -1, -1
	widen := func(n syntax.Node) {
		a, b := offsets(n)
		if start < 0 || a < start {
			start = a
		}
		end = max(end, b)
	}
	if s.Cmd != nil {
		widen(s.Cmd)
	}
	for _, r := range s.Redirs {
		widen(r)
	}
	return start, end
}
