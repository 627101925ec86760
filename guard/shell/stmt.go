package shell

import (
	"slices"
	"strings"

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

// binary walks && || and |. Long chains lean to the left; they are walked in a loop so
// that their length doesn't count as depth.
func (w *Walker) binary(st *State, c *syntax.BinaryCmd, in effect.Stream) effect.Stream {
	chain := []*syntax.BinaryCmd{c}
	for {
		left, ok := c.X.Cmd.(*syntax.BinaryCmd)
		if !ok || len(c.X.Redirs) > 0 || c.X.Background {
			break
		}
		c = left
		chain = append(chain, c)
	}
	fallback := st.fallback
	var out effect.Stream
	if pipes(c) {
		out = w.link(st, c.X, in, true)
	} else {
		out = w.stmt(st, c.X, in)
	}
	certain := succeeds(c.X)
	var skip skipped
	for i, c := range slices.Backward(chain) {
		certain = certain && c.Op == syntax.AndStmt
		switch c.Op {
		case syntax.Pipe, syntax.PipeAll:
			if c.Op == syntax.PipeAll {
				out = effect.Then(out, effect.Stream{Text: out.Err, Open: out.Err != ""})
			}
			out = w.link(st, c.Y, effect.Through(out), i > 0 && pipes(chain[i-1]))
		case syntax.OrStmt:
			// Y runs when X failed: afterwards either may be what happened.
			skip.join(w, st)
			other := st.Clone()
			y, looks := w.maybe(other, c.Y, in), callsFor(c.Y, "which", "command", "type")
			if !looks || out.Text == "" || strings.Contains(out.Text, effect.Unknown) {
				out = effect.Then(out, y) // else the first one that there is
			}
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
			out = effect.Then(out, w.maybe(st, c.Y, in))
			skip.visible = assigned(c.Y, skip.visible)
			certain = certain && succeeds(c.Y)
			st.fallback = alternatives(st.fallback, failed)
		}
	}
	skip.join(w, st)
	return out
}

func pipes(c *syntax.BinaryCmd) bool { return c.Op == syntax.Pipe || c.Op == syntax.PipeAll }

// cutTest reports, where [[ is not a keyword, `[[ a` of [[ a && b ]]: no such program, or
// one that misses its ]], fails, and what follows && does not run.
func (w *Walker) cutTest(st *State, s *syntax.Stmt) bool {
	c := callOf(s)
	if c == nil || c.Args[0].Lit() != "[[" || c.Args[len(c.Args)-1].Lit() == "]]" {
		return false
	}
	_, aliased := st.aliases["[["]
	_, defined := st.funcs["[["]
	return !aliased && !defined
}

// maybe walks a statement that may not run at all.
func (w *Walker) maybe(st *State, s *syntax.Stmt, in effect.Stream) effect.Stream {
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
	return !slices.ContainsFunc(c.Assigns, func(a *syntax.Assign) bool {
		return a.Value != nil && has(a.Value, func(*syntax.CmdSubst) bool { return true })
	})
}
