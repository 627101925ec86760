package guard

import "mvdan.cc/sh/v3/syntax"

func (w *walker) ifClause(st *state, c *syntax.IfClause, in stream) stream {
	out := w.stmts(st, c.Cond, in)
	w.branch++
	defer func() { w.branch-- }()
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
	if len(c.Then) == 0 || !w.leaves(c.Then[len(c.Then)-1]) {
		st.join(other)
	} else {
		st.become(other)
	}
	return then(out, either(yes, no))
}

// callsFor reports a statement that runs a program by this name.
func callsFor(s *syntax.Stmt, name string) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	return ok && len(call.Args) > 0 && call.Args[0].Lit() == name
}

func (w *walker) caseClause(st *state, c *syntax.CaseClause, in stream) stream {
	w.literal(st, c.Word)
	w.branch++
	defer func() { w.branch-- }()
	out := somewhere
	before := st.clone()
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			w.walkSubstitutions(st, p)
			w.mayAssign(before, p)
		}
		branch := before.clone()
		w.stmts(branch, item.Stmts, in)
		if n := len(item.Stmts); n == 0 || !w.leaves(item.Stmts[n-1]) {
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
	st.define(c.Name.Value, function{body: c.Body, at: w.at, maybe: w.branch > 0})
}

func (w *walker) arithmetics(st *state, n syntax.Node, exprs ...syntax.ArithmExpr) {
	w.walkSubstitutions(st, n)
	for _, x := range exprs {
		w.arithmetic(st, x, w.at.span(n))
	}
}
