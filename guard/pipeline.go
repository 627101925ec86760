package guard

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

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
