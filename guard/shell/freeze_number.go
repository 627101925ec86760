package shell

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// number reports a plain number, or nothing.
func number(x syntax.ArithmExpr) bool {
	if x == nil {
		return true
	}
	if minus, ok := x.(*syntax.UnaryArithm); ok && minus.Op == syntax.Minus {
		x = minus.X
	}
	word, ok := x.(*syntax.Word)
	return ok && len(word.Lit()) > 0 && len(word.Lit()) < 6 && strings.Trim(word.Lit(), "0123456789") == ""
}

func simpleIndex(s string) bool {
	return s == "@" || s == "*" || len(s) == 1 && s[0] >= '0' && s[0] <= '9'
}

// unlisted reports a variable that may be a list with unknown elements.
func (w *Walker) unlisted(st *State, name string) bool {
	return slices.ContainsFunc(w.lookup(st, name), func(v expand.Variable) bool {
		return v.Kind != expand.Indexed && strings.Contains(v.Str, effect.Unknown)
	})
}

// displaced reports an element of a list before which there may be none, or many:
// l=($x a b); rm "${l[1]}"
func (w *Walker) displaced(st *State, name, index string) bool {
	n, err := strconv.Atoi(index)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(w.lookup(st, name), func(v expand.Variable) bool {
		return slices.ContainsFunc(v.List[:min(n+1, len(v.List))], uncounted)
	})
}

// uncounted reports an element that may stand for none, or many.
func uncounted(text string) bool { return strings.ContainsAny(text, effect.Unknown+"*?[") }

// settled reports a variable of known, short values only: patterns are compiled
// for it, and on long text that is where the time would go.
func (w *Walker) settled(st *State, name string) bool {
	for _, v := range w.lookup(st, name) {
		if v.Kind == expand.Indexed {
			for _, s := range v.List {
				if len(s) > 256 || uncounted(s) {
					return false
				}
			}
		}
		if len(v.Str) > 256 || strings.Contains(v.Str, effect.Unknown) {
			return false
		}
	}
	return true
}

// numbered makes the variable that arithmetic assigns a number: which one is no
// matter, since none is a path. It stays what it was when the shell finds an
// error in it.
func (w *Walker) numbered(st *State, x syntax.ArithmExpr) {
	word, ok := x.(*syntax.Word)
	if !ok || !syntax.ValidName(word.Lit()) {
		return
	}
	st.Assign(word.Lit(), union(st.Vars[word.Lit()], Constant("1")), st.stains(word.Lit()))
}

// arithmetic asks when a variable that holds a command substitution as text is
// evaluated: shells run it (x='a[$(id)]'; echo $((x))).
func (w *Walker) arithmetic(st *State, x syntax.ArithmExpr, span effect.Span) {
	if x == nil {
		return
	}
	w.mayAssign(st, x)
	syntax.Walk(x, func(n syntax.Node) bool {
		name := ""
		switch n := n.(type) {
		case *syntax.BinaryArithm:
			if n.Op == syntax.Assgn || n.Op >= syntax.AddAssgn && n.Op <= syntax.PowAssgn {
				w.numbered(st, n.X)
			}
		case *syntax.UnaryArithm:
			if n.Op == syntax.Inc || n.Op == syntax.Dec {
				w.numbered(st, n.X)
			}
		case *syntax.Lit:
			name = n.Value
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		}
		for _, v := range st.Vars[name] {
			if strings.Contains(v.Str, "$(") || strings.Contains(v.Str, "`") {
				w.calculated(st, "arithmetic", effect.Arg{Text: v.Str, Index: w.At.Index, Span: span})
			}
		}
		return true
	})
}
