package guard

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// while walks the body twice: what the first round assigned is what the second
// may use. A loop that reads known lines has a round for each.
func (w *walker) while(st *state, c *syntax.WhileClause, in stream) stream {
	if len(c.Cond) == 1 && constantly(c.Cond[0], !c.Until) {
		w.endless(c, c.Do)
	}
	w.branch++
	defer func() { w.branch-- }()
	rounds := 2
	if !st.loose { // one for each parameter: while [ $# -gt 0 ]; do …; shift; done
		rounds = max(rounds, min(len(st.params), 16))
	}
	reads := len(c.Cond) > 0 && callsFor(c.Cond[0], "read") && in.open && in.text != unknown
	if reads {
		rounds = strings.Count(strings.TrimSuffix(in.rest(), "\n"), "\n") + 1
	}
	var out stream
	defer w.leavable(st)()
	for range rounds {
		if !w.spend(1) {
			break
		}
		before := st.clone()
		out = then(out, w.stmts(st, c.Cond, in))
		out = then(out, w.stmts(st, c.Do, in))
		params, sure, loose := st.params, st.sure, st.loose
		st.join(before)
		st.params, st.sure, st.loose = params, sure, loose
	}
	if reads && w.spend(1) { // the last read finds nothing, and empties its variables
		before := st.clone()
		w.stmts(st, c.Cond, stream{open: true})
		st.join(before)
	}
	return out
}

// maxRounds is how many numbers a loop is followed through: the rest of {1..1000}
// is one round with a number that is not known.
const maxRounds = 128

func (w *walker) forClause(st *state, c *syntax.ForClause, in stream) stream {
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
		return then(w.stmts(st, c.Do, in), w.stmts(st, c.Do, in))
	}
	if !iter.InPos.IsValid() {
		items := slices.Clone(st.params)
		if st.loose {
			items = []string{unknown}
		}
		return w.rounds(st, c, in, items, st.taint["@"], st.loose || st.sure < len(st.params))
	}
	// The items are what they are before the first round, in each way they may fold.
	var lists [][]arg
	w.each(st, func(st *state) stream {
		lists = append(lists, w.words(st, iter.Items))
		return stream{}
	})
	before := st.clone()
	var out stream
	for i, list := range lists {
		branch, many, from := st, false, []string(nil)
		if i > 0 {
			branch = before.clone()
		}
		for _, a := range list {
			many, from = many || a.many, mixed(from, a.from...)
		}
		got := w.rounds(branch, c, in, texts(list), from, many)
		if i == 0 {
			out = got
			continue
		}
		st.join(branch)
		out = either(out, got)
	}
	return out
}

// rounds walks the body of a loop once for each item. Many says that they can't
// be counted.
func (w *walker) rounds(st *state, c *syntax.ForClause, in stream, items, from []string, many bool) stream {
	name := c.Loop.(*syntax.WordIter).Name.Value
	if len(items) > maxRounds && !slices.ContainsFunc(items[maxRounds:], func(s string) bool { return strings.Trim(s, "0123456789") != "" }) {
		items = append(items[:maxRounds:maxRounds], unknown)
	}
	var out stream
	before := st.clone()
	defer w.leavable(st)()
	for _, item := range items {
		if !w.spend(1) {
			break
		}
		st.assign(name, constant(item), from)
		out = then(out, w.stmts(st, c.Do, in))
	}
	if many && !slices.ContainsFunc(items, func(s string) bool { return !strings.Contains(s, unknown) }) {
		st.join(before) // for x in $y: no round, perhaps
	}
	return out
}
