package shell

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/argv"
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
	short := func(s string) bool { return len(s) <= 256 && !uncounted(s) }
	return all(w.lookup(st, name), func(v expand.Variable) bool {
		return len(v.Str) <= 256 && !strings.Contains(v.Str, effect.Unknown) &&
			(v.Kind != expand.Indexed || all(v.List, short))
	})
}

// numbered makes the variable that arithmetic assigns a number: which one is no
// matter, since none is a path. It stays what it was when the shell finds an
// error in it.
func (w *Walker) numbered(st *State, x syntax.ArithmExpr) {
	word, ok := x.(*syntax.Word)
	if !ok || !syntax.ValidName(word.Lit()) {
		return
	}
	st.Assign(word.Lit(), union(st.Vars[word.Lit()], Constant("1")), st.Stains(word.Lit()))
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

// subscript judges the name of a variable that a builtin is given. A shell
// calculates what is between the brackets, quoted or not: `unset 'a[$(pwn)]'`
// runs pwn.
func (w *Walker) subscript(st *State, construct string, a effect.Arg) {
	if i := strings.IndexByte(a.Text, '['); i >= 0 {
		name, _, _ := strings.Cut(a.Text[i:], "=")
		w.calculated(st, construct, a.Tail(name))
	}
}

// calculated judges text that a shell expands once more, as arithmetic does: the
// substitutions in it run.
func (w *Walker) calculated(st *State, construct string, a effect.Arg) {
	if !strings.Contains(a.Text, "$(") && !strings.Contains(a.Text, "`") {
		return
	}
	w.EmitAt(a, effect.Effect{Kind: effect.Code, Name: "shell", Text: a.Text})
	w.Code(st.Clone(), construct, a.Tail(`: "`+a.Text+`"`), syntax.LangBash, effect.Stream{})
}

// tests is test and [: -v and -R take the name of a variable.
func tests(w *Walker, st *State, args []effect.Arg, in effect.Stream) effect.Stream {
	for i, a := range args[:len(args)-1] {
		if i > 0 && (a.Text == "-v" || a.Text == "-R") {
			w.subscript(st, "test "+a.Text, args[i+1])
		}
	}
	return effect.Stream{Text: effect.Unknown, Open: true, From: effect.Mixed(in.From, "test")}
}

// conditions are the words of [[ … ]] that bash calculates: both sides of -eq
// and its kin, and the name after -v.
func (w *Walker) conditions(st *State, x syntax.TestExpr) {
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.UnaryTest:
			if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
				w.condition(st, n.X, w.subscript)
			}
		case *syntax.BinaryTest:
			if n.Op >= syntax.TsEql && n.Op <= syntax.TsGtr {
				w.condition(st, n.X, w.calculated)
				w.condition(st, n.Y, w.calculated)
			}
		}
		return true
	})
}

func (w *Walker) condition(st *State, x syntax.TestExpr, judge func(st *State, construct string, a effect.Arg)) {
	word, ok := x.(*syntax.Word)
	if !ok || !w.Spend(1) {
		return
	}
	// What a substitution in it prints was judged with the substitution.
	frozen := &syntax.Word{Parts: slices.DeleteFunc(slices.Clone(word.Parts), func(p syntax.WordPart) bool {
		_, substituted := p.(*syntax.CmdSubst)
		return substituted
	})}
	if len(frozen.Parts) == 0 {
		return
	}
	a := w.place(word)
	a.Text, a.Exact = w.literal(st, frozen), false
	judge(st, "[[ ]]", a)
}

// waitsFor is wait -p NAME.
func waitsFor(w *Walker, st *State, args []effect.Arg) {
	for _, a := range argv.Values(args[1:], "-p") {
		w.subscript(st, "wait -p", a)
	}
}

// completions is complete and compgen: -C is a command, and -W is expanded once
// more when somebody presses the key, or at once.
func completions(w *Walker, st *State, args []effect.Arg, _ effect.Stream) effect.Stream {
	name := argv.Base(args[0].Text)
	for _, a := range argv.Values(args[1:], "-C") {
		w.Code(st.Clone(), name+" -C", a, w.Lang, effect.Stream{})
	}
	for _, a := range argv.Values(args[1:], "-W") {
		w.calculated(st, name+" -W", a)
	}
	return effect.Stream{Text: effect.Unknown, Open: true, From: []string{name}}
}

// bind is readline's: -x '"\C-x": command' runs the command on a key.
func bind(w *Walker, st *State, args []effect.Arg) {
	for _, a := range argv.Values(args[1:], "-x") {
		if _, command, ok := strings.Cut(a.Text, ":"); ok {
			command = strings.TrimSpace(command)
			if quoted := strings.Trim(command, `"'`); len(command)-len(quoted) == 2 {
				command = quoted
			}
			w.Code(st.Clone(), "bind -x", a.Tail(command), w.Lang, effect.Stream{})
		}
	}
	for _, a := range argv.Values(args[1:], "-f") {
		w.Path(st, effect.Read, a)
	}
}

// declaredNames are the arguments of declare that bash calculates: a name with a
// subscript in quotes, and with -i the value.
func (w *Walker) declaredNames(st *State, c *syntax.DeclClause, integer bool) {
	for _, a := range c.Args {
		value := effect.Arg{Index: w.At.Index, Span: w.At.span(a)}
		switch {
		case a.Name == nil && a.Value != nil:
			value.Text = w.literal(st, a.Value)
			w.subscript(st, c.Variant.Value, value)
			if _, text, ok := strings.Cut(value.Text, "="); ok && integer {
				w.calculated(st, c.Variant.Value+" -i", value.Tail(text))
			}
		case a.Name != nil && integer && a.Value != nil:
			value.Text = w.Get(st, a.Name.Value)
			w.calculated(st, c.Variant.Value+" -i", value)
		}
	}
}
