package guard

import (
	"slices"

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
	if !w.spend(1) {
		return somewhere
	}
	if w.depth++; w.depth > maxDepth {
		w.stop(problemBudget)
	}
	defer func() { w.depth-- }()
	if s.Background || s.Coprocess {
		st = st.clone() // a background job is a subshell
	}
	in, out := w.redirects(st, s.Redirs, in)
	if out {
		w.captured++
	}
	printed := w.command(st, s.Cmd, in)
	if out {
		w.captured--
	}
	if out {
		return stream{}
	}
	return printed
}

func (w *walker) command(st *state, cmd syntax.Command, in stream) stream {
	switch c := cmd.(type) {
	case *syntax.CallExpr:
		return w.each(st, func(st *state) stream { return w.call(st, c, in) })
	case *syntax.BinaryCmd:
		return w.binary(st, c, in)
	case *syntax.Subshell:
		return w.stmts(st.clone(), c.Stmts, in)
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
		w.each(st, func(st *state) stream { w.walkSubstitutions(st, c.X); return stream{} })
	case nil:
	default:
		// A node of a later parser is not harmless because it is unknown.
		w.emit(effect{kind: kindProblem, name: problemOpaque, span: w.at.span(c)})
	}
	return stream{}
}

// binary walks && || and |. Long chains lean to the left; they are walked in a
// loop so that their length is no depth.
func (w *walker) binary(st *state, c *syntax.BinaryCmd, in stream) stream {
	chain := []*syntax.BinaryCmd{c}
	for {
		left, ok := c.X.Cmd.(*syntax.BinaryCmd)
		if !ok || len(c.X.Redirs) > 0 || c.X.Background {
			break
		}
		c = left
		chain = append(chain, c)
	}
	piped := c.Op == syntax.Pipe || c.Op == syntax.PipeAll
	out := w.piping(forked(st, piped), c.X, in, piped)
	for i, c := range slices.Backward(chain) {
		switch c.Op {
		case syntax.Pipe, syntax.PipeAll:
			next := i > 0 && (chain[i-1].Op == syntax.Pipe || chain[i-1].Op == syntax.PipeAll)
			out = w.piping(st.clone(), c.Y, through(out), next)
		case syntax.OrStmt:
			// Y runs when X failed: afterwards either may be what happened.
			other := st.clone()
			out = then(out, w.stmt(other, c.Y, in))
			if !leaves(c.Y) {
				st.join(other)
			}
		default:
			out = then(out, w.stmt(st, c.Y, in))
		}
	}
	return out
}

// leaves reports a statement after which the script does not go on, as in
// `cd build || exit 1`.
func leaves(s *syntax.Stmt) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	name := call.Args[0].Lit()
	return name == "exit" || name == "return" || name == "continue" || name == "break"
}

func forked(st *state, yes bool) *state {
	if yes {
		return st.clone()
	}
	return st
}

func through(s stream) stream {
	s.open = true
	return s
}

func (w *walker) ifClause(st *state, c *syntax.IfClause, in stream) stream {
	out := w.stmts(st, c.Cond, in)
	other := st.clone()
	yes := w.stmts(st, c.Then, in)
	var no stream
	if c.Else != nil {
		if w.depth++; w.depth > maxDepth {
			w.stop(problemBudget)
		}
		no = w.ifClause(other, c.Else, in)
		w.depth--
	}
	if len(c.Then) == 0 || !leaves(c.Then[len(c.Then)-1]) {
		st.join(other)
	} else {
		st.become(other)
	}
	return then(out, either(yes, no))
}

// while walks the body twice: what the first round assigned is what the second
// may use.
func (w *walker) while(st *state, c *syntax.WhileClause, in stream) stream {
	w.endless(c)
	var out stream
	for range 2 {
		before := st.clone()
		out = then(out, w.stmts(st, c.Cond, in))
		out = then(out, w.stmts(st, c.Do, in))
		st.join(before)
	}
	return out
}

func (w *walker) forClause(st *state, c *syntax.ForClause, in stream) stream {
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		if loop, ok := c.Loop.(*syntax.CStyleLoop); ok {
			w.arithmetics(st, c.Loop, loop.Init, loop.Cond, loop.Post)
		}
		return then(w.stmts(st, c.Do, in), w.stmts(st, c.Do, in))
	}
	items := slices.Clone(st.params)
	if iter.InPos.IsValid() {
		items = nil
		for _, a := range w.words(st, iter.Items) {
			items = append(items, a.text)
		}
	} else if st.loose {
		items = []string{unknown}
	}
	var out stream
	for _, item := range items {
		if !w.spend(1) {
			break
		}
		st.set(iter.Name.Value, constant(item))
		out = then(out, w.stmts(st, c.Do, in))
	}
	return out
}

func (w *walker) caseClause(st *state, c *syntax.CaseClause, in stream) stream {
	w.literal(st, c.Word)
	out := somewhere
	before := st.clone()
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			w.walkSubstitutions(st, p)
		}
		branch := before.clone()
		w.stmts(branch, item.Stmts, in)
		if n := len(item.Stmts); n == 0 || !leaves(item.Stmts[n-1]) {
			st.join(branch)
		}
	}
	return out
}

func (w *walker) funcDecl(st *state, c *syntax.FuncDecl) {
	if c.Name == nil || c.Body == nil {
		w.emit(effect{kind: kindProblem, name: problemOpaque, span: w.at.span(c)})
		return
	}
	st.define(c.Name.Value, function{body: c.Body, at: w.at})
}

func (w *walker) arithmetics(st *state, n syntax.Node, exprs ...syntax.ArithmExpr) {
	w.walkSubstitutions(st, n)
	for _, x := range exprs {
		w.arithmetic(st, x, w.at.span(n))
	}
}
