package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

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
				out = effect.Then(out, effect.Stream{Text: out.Err, Open: out.Err != ""})
			}
			next := i > 0 && (chain[i-1].Op == syntax.Pipe || chain[i-1].Op == syntax.PipeAll)
			out = w.link(st, c.Y, effect.Through(out), next)
		case syntax.OrStmt:
			// Y runs when X failed: afterwards either may be what happened.
			skip.join(w, st)
			other := st.Clone()
			if found, y := out, w.maybe(other, c.Y, in); !looksUp(c.Y) || strings.Contains(found.Text, effect.Unknown) ||
				found.Text == "" {
				out = effect.Then(found, y) // else the first one that there is
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

// looksUp reports which and command -v, which print where a program is.
func looksUp(s *syntax.Stmt) bool {
	return callsFor(s, "which") || callsFor(s, "command") || callsFor(s, "type")
}

// cutTest reports, where [[ is not a keyword, `[[ a` of [[ a && b ]]: no such program, or
// one that misses its ]], fails, and what follows && does not run.
func (w *Walker) cutTest(st *State, s *syntax.Stmt) bool {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 || c.Args[0].Lit() != "[[" || c.Args[len(c.Args)-1].Lit() == "]]" {
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
		return a.Value != nil && substitutesOutput(a.Value)
	})
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
