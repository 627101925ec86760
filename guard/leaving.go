package guard

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// leaves reports a statement after which the script does not go on, as in
// `cd build || exit 1`. Where there is no loop and no function, shells go on
// behind a break and some behind a return.
func (w *walker) leaves(s *syntax.Stmt) bool {
	switch c := s.Cmd.(type) {
	case *syntax.Block:
		return len(c.Stmts) > 0 && w.leaves(c.Stmts[len(c.Stmts)-1])
	case *syntax.CallExpr:
		if len(c.Args) == 0 {
			return false
		}
		name := c.Args[0].Lit()
		return name == "exit" || w.left != nil && slices.Contains([]string{"return", "continue", "break"}, name)
	}
	return false
}

// leavable is around a loop or a function. What is known where it is left is
// joined to what is known behind it: for c in a b; do if [ -d $c ]; then D=$c;
// break; fi; done; rm -rf $D
func (w *walker) leavable(st *state) (joined func()) {
	outer := w.left
	w.left = new([]*state)
	return func() {
		for _, s := range *w.left {
			st.join(s)
		}
		w.left = outer
	}
}

// maxLeft bounds what is remembered of one loop or function.
const maxLeft = 16

// leave is break, continue and return.
func leave(w *walker, st *state, _ []arg, _ stream) stream {
	if w.left != nil && len(*w.left) < maxLeft && w.spend(1+st.size()/32) {
		*w.left = append(*w.left, st.clone())
	}
	return stream{}
}
