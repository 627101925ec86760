package shell

import (
	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

func (w *Walker) stmts(st *State, list []*syntax.Stmt, in effect.Stream) effect.Stream {
	var out effect.Stream
	for _, s := range list {
		if w.Stopped {
			break
		}
		out = effect.Then(out, w.stmt(st, s, in))
	}
	return out
}

// stmt walks one statement and answers what it prints.
func (w *Walker) stmt(st *State, s *syntax.Stmt, in effect.Stream) effect.Stream {
	if !w.Spend(1 + st.size()/32) { // a statement may copy the state
		return effect.Somewhere
	}
	if w.depth++; w.depth > maxDepth {
		w.Stop(effect.ProblemBudget)
	}
	defer func() { w.depth-- }()
	w.written(s)
	w.Dirs = st.Cwds
	if s.Background || s.Coprocess {
		st = st.Subshell() // a background job is a subshell
		defer func() { w.exit(st) }()
	}
	w.queues(st, s)
	if len(s.Redirs) == 0 {
		return w.redirected(st, s, in)
	}
	return w.each(st, func(st *State) effect.Stream { return w.redirected(st, s, in) })
}

// redirected walks a statement with its redirections, and answers what it prints.
func (w *Walker) redirected(st *State, s *syntax.Stmt, in effect.Stream) effect.Stream {
	fds := w.fds
	defer func() {
		if w.undescribe(s, fds); s.Background || s.Coprocess {
			w.fds = fds
		}
	}()
	in, to := w.redirects(st, s.Redirs, in)
	outer := w.stdin
	w.stdin = in
	defer func() { w.stdin = outer }()
	if to.stdout {
		w.captured++
	} else if len(s.Redirs) > 0 {
		w.showsText(st, s)
	}
	printed := w.unlessFails(st, s, in, to.fails)
	if to.stdout {
		w.captured--
	}
	if s.Cmd == nil && in.Open { // $(< file)
		printed = in
	}
	if to.merged && printed.Err != "" {
		printed = effect.Then(printed, effect.Stream{Text: printed.Err, Open: true})
		printed.Err = ""
	}
	if !to.stdout {
		return printed
	}
	w.Keep(st, to.files, printed, to.append)
	if to.stderr {
		return effect.Stream{Err: printed.Text, From: printed.From}
	}
	return effect.Stream{Err: printed.Err}
}

func (w *Walker) command(st *State, cmd syntax.Command, in effect.Stream) effect.Stream {
	switch c := cmd.(type) {
	case *syntax.CallExpr:
		return w.each(st, func(st *State) effect.Stream { return w.call(st, c, in) })
	case *syntax.BinaryCmd:
		return w.binary(st, c, in)
	case *syntax.Subshell:
		defer func(fds map[string]effect.Stream) { w.fds = fds }(w.fds)
		st = st.Subshell()
		out := w.stmts(st, c.Stmts, in)
		w.exit(st)
		return out
	case *syntax.Block:
		return w.stmts(st, c.Stmts, in)
	case *syntax.IfClause:
		return w.ifClause(st, c, in)
	case *syntax.WhileClause:
		return w.while(st, c, in)
	case *syntax.ForClause:
		return w.forClause(st, c, in)
	case *syntax.CaseClause:
		return w.caseClause(st, c, in)
	case *syntax.FuncDecl:
		w.funcDecl(st, c)
	case *syntax.DeclClause:
		return w.each(st, func(st *State) effect.Stream { return w.declares(st, c) })
	case *syntax.TimeClause:
		if c.Stmt != nil {
			return w.stmt(st, c.Stmt, in)
		}
	case *syntax.CoprocClause:
		w.stmt(st.Clone(), c.Stmt, effect.Somewhere)
	case *syntax.ArithmCmd:
		w.arithmetics(st, c, c.X)
	case *syntax.LetClause:
		w.arithmetics(st, c, c.Exprs...)
	case *syntax.TestClause:
		w.each(st, func(st *State) effect.Stream {
			w.walkSubstitutions(st, c.X)
			w.mayAssign(st, c.X)
			w.conditions(st, c.X)
			return effect.Stream{}
		})
	case nil:
	default:
		// A node of a later parser is not harmless because it is unknown.
		w.Emit(effect.Effect{Kind: effect.Problem, Name: effect.ProblemOpaque, Span: w.At.span(c)})
	}
	return effect.Stream{}
}
