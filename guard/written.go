package guard

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// What kindCommand effects are called. Only "command" is a program with its
// arguments; the others run no program, or one that is written down by itself.
const (
	writtenCommand  = "command"
	writtenAssign   = "assignment"
	writtenShell    = "shell"    // [[ ]], (( )), declare, time, a redirection without a command
	writtenFunction = "function" // only made known: its body is judged when it is called
)

// asWritten is the request's own text for the rules that look at text. Both
// passes read the same bytes, so one of them is enough.
func (w *walker) asWritten() {
	if w.lang != passes(w.in)[0] {
		return
	}
	text := w.in.Command
	if len(w.in.Argv) > 0 {
		text = typed(w.in.Argv)
		if w.wantsCommands() {
			w.emit(effect{kind: kindCommand, name: writtenCommand, text: text, span: w.whole()})
		}
	}
	w.emit(effect{kind: kindText, name: w.field(), text: text, span: w.whole()})
}

// typed is argv as one would type it, so that ["git status; x"] does not
// read like the program git.
func typed(argv []string) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		if words[i] = a; a == "" || strings.ContainsAny(a, " \t\n;&|<>()$`\\\"'*?[]{}#~!") {
			words[i] = quote(a)
		}
	}
	return strings.Join(words, " ")
}

func (w *walker) wantsCommands() bool {
	return len(w.policy.AllowPatterns) > 0 || w.policy.Rules == InspectRules
}

// written writes down one command of the request as the source has it, with its
// redirections and once for each place. Text handed to another shell is part of
// the command that hands it over, and not written down again.
func (w *walker) written(s *syntax.Stmt) {
	if w.nested > 0 || !w.at.mapped || !w.wantsCommands() {
		return
	}
	name := writtenAs(s)
	if name == "" {
		return
	}
	start, end := extent(s)
	span := w.at.span(s)
	if start < 0 || end > len(w.at.text) || start > end || w.seen[span] {
		return
	}
	if w.seen == nil {
		w.seen = map[Span]bool{}
	}
	w.seen[span] = true
	w.emit(effect{kind: kindCommand, name: name, text: w.at.text[start:end], span: span})
}

// writtenAs is "" for what only holds other commands.
func writtenAs(s *syntax.Stmt) string {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		if len(c.Args) > 0 {
			return writtenCommand
		}
		return writtenAssign
	case *syntax.FuncDecl:
		return writtenFunction
	case *syntax.Block, *syntax.Subshell, *syntax.BinaryCmd, *syntax.IfClause, *syntax.WhileClause, *syntax.ForClause, *syntax.CaseClause:
		if len(s.Redirs) > 0 {
			return writtenShell
		}
		return ""
	}
	return writtenShell
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
