package guard

import (
	"mvdan.cc/sh/v3/syntax"
)

func (w *walker) stmts(st *state, list []*syntax.Stmt, in stream) stream {
	var out stream
	for _, s := range list {
		if w.stopped {
			break
		}
		out = then(out, w.stmt(st, s, in))
	}
	return out
}

// stmt walks one statement and answers what it prints.
func (w *walker) stmt(st *state, s *syntax.Stmt, in stream) stream {
	if !w.spend(1 + st.size()/32) { // a statement may copy the state
		return somewhere
	}
	if w.depth++; w.depth > maxDepth {
		w.stop(problemBudget)
	}
	defer func() { w.depth-- }()
	w.written(s)
	w.dirs = st.cwds
	if s.Background || s.Coprocess {
		st = st.subshell() // a background job is a subshell
		defer func() { w.exit(st) }()
	}
	w.queues(st, s)
	if len(s.Redirs) == 0 {
		return w.redirected(st, s, in)
	}
	return w.each(st, func(st *state) stream { return w.redirected(st, s, in) })
}

// redirected walks a statement with its redirections, and answers what it prints.
func (w *walker) redirected(st *state, s *syntax.Stmt, in stream) stream {
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
	if s.Cmd == nil && in.open { // $(< file)
		printed = in
	}
	if to.merged && printed.err != "" {
		printed = then(printed, stream{text: printed.err, open: true})
		printed.err = ""
	}
	if !to.stdout {
		return printed
	}
	w.keep(st, to.files, printed, to.append)
	if to.stderr {
		return stream{err: printed.text, from: printed.from}
	}
	return stream{err: printed.err}
}

func (w *walker) command(st *state, cmd syntax.Command, in stream) stream {
	switch c := cmd.(type) {
	case *syntax.CallExpr:
		return w.each(st, func(st *state) stream { return w.call(st, c, in) })
	case *syntax.BinaryCmd:
		return w.binary(st, c, in)
	case *syntax.Subshell:
		defer func(fds map[string]stream) { w.fds = fds }(w.fds)
		st = st.subshell()
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
		return w.each(st, func(st *state) stream { return w.declares(st, c) })
	case *syntax.TimeClause:
		if c.Stmt != nil {
			return w.stmt(st, c.Stmt, in)
		}
	case *syntax.CoprocClause:
		w.stmt(st.clone(), c.Stmt, somewhere)
	case *syntax.ArithmCmd:
		w.arithmetics(st, c, c.X)
	case *syntax.LetClause:
		w.arithmetics(st, c, c.Exprs...)
	case *syntax.TestClause:
		w.each(st, func(st *state) stream {
			w.walkSubstitutions(st, c.X)
			w.mayAssign(st, c.X)
			w.conditions(st, c.X)
			return stream{}
		})
	case nil:
	default:
		// A node of a later parser is not harmless because it is unknown.
		w.emit(effect{kind: kindProblem, name: problemOpaque, span: w.at.span(c)})
	}
	return stream{}
}
