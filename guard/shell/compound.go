package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

func (w *Walker) ifClause(st *State, c *syntax.IfClause, in effect.Stream) effect.Stream {
	out := w.stmts(st, c.Cond, in)
	w.branch++
	defer func() { w.branch-- }()
	other := st.Clone()
	yes := w.stmts(st, c.Then, in)
	var no effect.Stream
	if c.Else != nil {
		if w.depth++; w.depth > maxDepth {
			w.Stop(effect.ProblemBudget)
		}
		no = w.ifClause(other, c.Else, in)
		w.depth--
	}
	if len(c.Then) == 0 || !w.leaves(c.Then[len(c.Then)-1]) {
		st.join(other)
	} else {
		st.become(other)
	}
	return effect.Then(out, effect.Either(yes, no))
}

// callsFor reports a statement that runs a program by one of these names.
func callsFor(s *syntax.Stmt, names ...string) bool {
	call := callOf(s)
	return call != nil && slices.Contains(names, call.Args[0].Lit())
}

func (w *Walker) caseClause(st *State, c *syntax.CaseClause, in effect.Stream) effect.Stream {
	w.literal(st, c.Word)
	w.branch++
	defer func() { w.branch-- }()
	out := effect.Somewhere
	before := st.Clone()
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			w.walkSubstitutions(st, p)
			w.mayAssign(before, p)
		}
		branch := before.Clone()
		w.stmts(branch, item.Stmts, in)
		if n := len(item.Stmts); n == 0 || !w.leaves(item.Stmts[n-1]) {
			st.join(branch)
		}
	}
	return out
}

func (w *Walker) funcDecl(st *State, c *syntax.FuncDecl) {
	if c.Name == nil || c.Body == nil {
		w.Emit(effect.Effect{Kind: effect.Problem, Name: effect.ProblemOpaque, Span: w.At.span(c)})
		return
	}
	st.define(c.Name.Value, function{body: c.Body, at: w.At, maybe: w.branch > 0})
}

func (w *Walker) arithmetics(st *State, n syntax.Node, exprs ...syntax.ArithmExpr) {
	w.walkSubstitutions(st, n)
	for _, x := range exprs {
		w.arithmetic(st, x, w.At.span(n))
	}
}

// while walks the body twice: what the first round assigned is what the second
// may use. A loop that reads known lines has a round for each.
func (w *Walker) while(st *State, c *syntax.WhileClause, in effect.Stream) effect.Stream {
	if len(c.Cond) == 1 && constantly(c.Cond[0], !c.Until) {
		w.endless(c, c.Do)
	}
	w.branch++
	defer func() { w.branch-- }()
	defer w.watches(len(w.Effects))
	rounds := 2
	if !st.loose { // one for each parameter: while [ $# -gt 0 ]; do …; shift; done
		rounds = max(rounds, min(len(st.params), 16))
	}
	reads := len(c.Cond) > 0 && callsFor(c.Cond[0], "read") && in.Open && in.Text != effect.Unknown
	if reads {
		rounds = strings.Count(strings.TrimSuffix(in.Rest(), "\n"), "\n") + 1
	}
	var out effect.Stream
	defer w.leavable(st)()
	for range rounds {
		if !w.Spend(1) {
			break
		}
		before := st.Clone()
		out = effect.Then(out, w.stmts(st, c.Cond, in))
		out = effect.Then(out, w.stmts(st, c.Do, in))
		params, sure, loose := st.params, st.sure, st.loose
		st.join(before)
		st.params, st.sure, st.loose = params, sure, loose
	}
	if reads && w.Spend(1) { // the last read finds nothing, and empties its variables
		before := st.Clone()
		w.stmts(st, c.Cond, effect.Stream{Open: true})
		st.join(before)
	}
	return out
}

// maxRounds is how many numbers a loop is followed through: the rest of {1..1000}
// is one round with a number that is not known.
const maxRounds = 128

func (w *Walker) forClause(st *State, c *syntax.ForClause, in effect.Stream) effect.Stream {
	w.branch++
	defer func() { w.branch-- }()
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		if loop, ok := c.Loop.(*syntax.CStyleLoop); ok {
			w.arithmetics(st, c.Loop, loop.Init, loop.Cond, loop.Post)
			if loop.Cond == nil {
				w.endless(c, c.Do)
			}
		}
		defer w.leavable(st)()
		return effect.Then(w.stmts(st, c.Do, in), w.stmts(st, c.Do, in))
	}
	if !iter.InPos.IsValid() {
		items := slices.Clone(st.params)
		if st.loose {
			items = []string{effect.Unknown}
		}
		return w.rounds(st, c, in, items, st.taint["@"], st.loose || st.sure < len(st.params))
	}
	// The items are what they are before the first round, in each way they may fold.
	var lists [][]effect.Arg
	w.each(st, func(st *State) effect.Stream {
		lists = append(lists, w.words(st, iter.Items))
		return effect.Stream{}
	})
	before := st.Clone()
	var out effect.Stream
	for i, list := range lists {
		branch := st
		if i > 0 {
			branch = before.Clone()
		}
		many := slices.ContainsFunc(list, func(a effect.Arg) bool { return a.Many })
		got := w.rounds(branch, c, in, effect.Texts(list), effect.Origins(list), many)
		if i == 0 {
			out = got
			continue
		}
		st.join(branch)
		out = effect.Either(out, got)
	}
	return out
}

// rounds walks the body of a loop once for each item. Many says that they can't
// be counted.
func (w *Walker) rounds(st *State, c *syntax.ForClause, in effect.Stream, items, from []string,
	many bool,
) effect.Stream {
	name := c.Loop.(*syntax.WordIter).Name.Value
	if len(items) > maxRounds && !slices.ContainsFunc(items[maxRounds:], func(s string) bool {
		return strings.Trim(s, "0123456789") != ""
	}) {
		items = append(items[:maxRounds:maxRounds], effect.Unknown)
	}
	var out effect.Stream
	before := st.Clone()
	defer w.leavable(st)()
	for _, item := range items {
		if !w.Spend(1) {
			break
		}
		st.Assign(name, Constant(item), from)
		out = effect.Then(out, w.stmts(st, c.Do, in))
	}
	if many && !slices.ContainsFunc(items, func(s string) bool { return !strings.Contains(s, effect.Unknown) }) {
		st.join(before) // for x in $y: no round, perhaps
	}
	return out
}
