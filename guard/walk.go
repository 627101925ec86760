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
	fallback := st.fallback
	out := w.piping(st, c.X, in, piped)
	certain := succeeds(c.X)
	var skip skipped
	for i, c := range slices.Backward(chain) {
		certain = certain && c.Op == syntax.AndStmt
		switch c.Op {
		case syntax.Pipe, syntax.PipeAll:
			if c.Op == syntax.PipeAll {
				out = then(out, stream{text: out.err, open: out.err != ""})
			}
			next := i > 0 && (chain[i-1].Op == syntax.Pipe || chain[i-1].Op == syntax.PipeAll)
			out = w.link(st, c.Y, through(out), next)
		case syntax.OrStmt:
			// Y runs when X failed: afterwards either may be what happened.
			skip.join(w, st)
			other := st.clone()
			out = then(out, w.maybe(other, c.Y, in))
			if w.leaves(c.Y) {
				st.fallback = fallback // `cd x || exit`: it did not fail
			} else {
				st.join(other)
			}
		default:
			if w.cutTest(st, c.X) {
				break
			}
			// Y runs when X, a cd perhaps, did not fail.
			failed := st.fallback
			st.fallback = fallback
			if !certain {
				skip.from(st)
			}
			out = then(out, w.maybe(st, c.Y, in))
			skip.visible = assigned(c.Y, skip.visible)
			certain = certain && succeeds(c.Y)
			st.fallback = alternatives(st.fallback, failed)
		}
	}
	skip.join(w, st)
	return out
}

// cutTest reports, where [[ is no keyword, `[[ a` of [[ a && b ]]: no such program,
// or one that misses its ]], fails, and what follows && does not run.
func (w *walker) cutTest(st *state, s *syntax.Stmt) bool {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 || c.Args[0].Lit() != "[[" || c.Args[len(c.Args)-1].Lit() == "]]" {
		return false
	}
	_, aliased := st.aliases["[["]
	_, defined := st.funcs["[["]
	return !aliased && !defined
}

// maybe walks a statement that may not run at all.
func (w *walker) maybe(st *state, s *syntax.Stmt, in stream) stream {
	w.branch++
	defer func() { w.branch-- }()
	return w.stmt(st, s, in)
}

// succeeds reports a statement after which && always goes on.
func succeeds(s *syntax.Stmt) bool {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || s.Negated || len(s.Redirs) > 0 {
		return false
	}
	if len(c.Args) > 0 {
		return slices.Contains([]string{"true", ":", "echo", "printf", "set", "export"}, c.Args[0].Lit())
	}
	return !slices.ContainsFunc(c.Assigns, func(a *syntax.Assign) bool { return a.Value != nil && substitutesOutput(a.Value) })
}

func substitutesOutput(word *syntax.Word) bool {
	found := false
	syntax.Walk(word, func(n syntax.Node) bool {
		_, subst := n.(*syntax.CmdSubst)
		found = found || subst
		return !found
	})
	return found
}

// through is output as another program's input.
func through(s stream) stream {
	s.open, s.pos = true, new(int)
	return s
}

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
