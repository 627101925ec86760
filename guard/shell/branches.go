package shell

import (
	"maps"
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// unlessFails walks a command that does not run where a file it reads from is
// missing, or ${!x} has nothing to name.
func (w *Walker) unlessFails(st *State, s *syntax.Stmt, in effect.Stream, fails bool) effect.Stream {
	if s.Cmd == nil || !fails && !indirect(s.Cmd) {
		return w.command(st, s.Cmd, in)
	}
	before := st.Clone()
	printed := w.command(st, s.Cmd, in)
	st.join(before)
	return effect.Either(printed, effect.Stream{})
}

// indirect reports ${!x} in the words of a command.
func indirect(cmd syntax.Command) bool {
	call, ok := cmd.(*syntax.CallExpr)
	return ok && slices.ContainsFunc(call.Args, func(word *syntax.Word) bool {
		return has(word, func(p *syntax.ParamExp) bool { return p.Excl })
	})
}

// leaves reports a statement after which the script does not go on, as in `cd build ||
// exit 1`. Where there is no loop and no function, shells go on after a break and some
// after a return.
func (w *Walker) leaves(s *syntax.Stmt) bool {
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

// leavable is around a loop or a function. The variables at the exit are joined to those
// after it: for c in a b; do if [ -d $c ]; then D=$c; break; fi; done; rm -rf $D
// -rf $D
func (w *Walker) leavable(st *State) (joined func()) {
	outer := w.left
	w.left = new([]*State)
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
func leave(w *Walker, st *State, _ []effect.Arg) {
	if w.left != nil && len(*w.left) < maxLeft && w.Spend(1+st.size()/32) {
		*w.left = append(*w.left, st.Clone())
	}
}

// skipped is where a script goes on when a command before an && failed, once for each &&
// of a chain. In the chain itself all of them went well.
type skipped struct {
	before  []State
	visible []string // variables that the chain assigns for all to see
}

// from remembers what is known before the right side of an &&.
func (k *skipped) from(st *State) {
	k.before = append(k.before, *st)
	st.Vars = maps.Clone(st.Vars)
}

// join adds that to what is known after the chain: "D=/; false && D=build; rm
// -rf $D" deletes the root. A variable that the script gave no value first counts
// as set: [ -z "$D" ] && D=build; and BIN=""; for c in a b; do [ -f $c ] && BIN=$c &&
// break; done. But after "false && read D <<< x" its value is not known.
func (k *skipped) join(w *Walker, st *State) {
	for i := range k.before {
		before := &k.before[i]
		for name, now := range st.Vars {
			was, given := before.Vars[name]
			if slices.EqualFunc(was, now, same) {
				continue
			}
			if !given {
				was = w.lookup(before, name)
			}
			unset := vacant(was) || !given && was[0].Str == effect.Unknown
			if !unset || !slices.Contains(k.visible, name) {
				st.Vars[name] = union(was, now)
			}
		}
		st.joinParams(before)
	}
	*k = skipped{}
}

// vacant reports a variable that holds nothing for sure.
func vacant(b Binding) bool {
	return len(b) == 1 && b[0].Str == "" && len(b[0].List) == 0
}

// assigned adds the variables that a statement assigns without running anything.
func assigned(s *syntax.Stmt, names []string) []string {
	var list []*syntax.Assign
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		if len(c.Args) == 0 {
			list = c.Assigns
		}
	case *syntax.DeclClause:
		list = c.Args
	case *syntax.Block:
		for _, s := range c.Stmts {
			names = assigned(s, names)
		}
	}
	for _, a := range list {
		if a.Name != nil {
			names = append(names, a.Name.Value)
		}
	}
	return names
}
