package guard

import (
	"maps"
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// skipped is where a script stands when a command before an && failed, once for
// each && of a chain. In the chain itself all of them went well.
type skipped struct {
	before  []state
	visible []string // variables that the chain assigns for all to see
}

// from remembers what is known before the right side of an &&.
func (k *skipped) from(st *state) {
	k.before = append(k.before, *st)
	st.vars = maps.Clone(st.vars)
}

// join adds that to what is known behind the chain: "D=/; false && D=build; rm
// -rf $D" deletes the root. A variable that the script gave no value first counts
// as set: [ -z "$D" ] && D=build; and BIN=""; for c in a b; do [ -f $c ] && BIN=$c
// && break; done. But after "false && read D <<< x" nobody knows what it is.
func (k *skipped) join(w *walker, st *state) {
	for i := range k.before {
		before := &k.before[i]
		for name, now := range st.vars {
			was, given := before.vars[name]
			if slices.EqualFunc(was, now, same) {
				continue
			}
			if !given {
				was = w.lookup(before, name)
			}
			unset := vacant(was) || !given && was[0].Str == unknown
			if !unset || !slices.Contains(k.visible, name) {
				st.vars[name] = union(was, now)
			}
		}
		st.joinParams(before)
	}
	*k = skipped{}
}

// vacant reports a variable that holds nothing for sure.
func vacant(b binding) bool {
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
