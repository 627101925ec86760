package guard

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// subscript judges the name of a variable that a builtin is given. A shell
// calculates what is between the brackets, quoted or not: `unset 'a[$(pwn)]'`
// runs pwn.
func (w *walker) subscript(st *state, construct string, a arg) {
	if i := strings.IndexByte(a.text, '['); i >= 0 {
		name, _, _ := strings.Cut(a.text[i:], "=")
		w.calculated(st, construct, a.tail(name))
	}
}

// calculated judges text that a shell expands once more, as arithmetic does: the
// substitutions in it run.
func (w *walker) calculated(st *state, construct string, a arg) {
	if !strings.Contains(a.text, "$(") && !strings.Contains(a.text, "`") {
		return
	}
	w.emitAt(a, effect{kind: kindCode, name: "shell", text: a.text})
	w.code(st.clone(), construct, a.tail(`: "`+a.text+`"`), syntax.LangBash, stream{})
}

// tests is test and [: -v and -R take the name of a variable.
func tests(w *walker, st *state, args []arg, in stream) stream {
	for i, a := range args[:len(args)-1] {
		if i > 0 && (a.text == "-v" || a.text == "-R") {
			w.subscript(st, "test "+a.text, args[i+1])
		}
	}
	return stream{text: unknown, open: true, from: mixed(in.from, "test")}
}

// conditions are the words of [[ … ]] that bash calculates: both sides of -eq
// and its kin, and the name after -v.
func (w *walker) conditions(st *state, x syntax.TestExpr) {
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

func (w *walker) condition(st *state, x syntax.TestExpr, judge func(st *state, construct string, a arg)) {
	word, ok := x.(*syntax.Word)
	if !ok || !w.spend(1) {
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
	a.text, a.exact = w.literal(st, frozen), false
	judge(st, "[[ ]]", a)
}

// waitsFor is wait -p NAME.
func waitsFor(w *walker, st *state, args []arg, _ stream) stream {
	for _, a := range valuesOf(args[1:], "-p") {
		w.subscript(st, "wait -p", a)
	}
	return stream{}
}

// completions is complete and compgen: -C is a command, and -W is expanded once
// more when somebody presses the key, or at once.
func completions(w *walker, st *state, args []arg, _ stream) stream {
	name := base(args[0].text)
	for _, a := range valuesOf(args[1:], "-C") {
		w.code(st.clone(), name+" -C", a, w.lang, stream{})
	}
	for _, a := range valuesOf(args[1:], "-W") {
		w.calculated(st, name+" -W", a)
	}
	return stream{text: unknown, open: true, from: []string{name}}
}

// bind is readline's: -x '"\C-x": command' runs the command on a key.
func bind(w *walker, st *state, args []arg, _ stream) stream {
	for _, a := range valuesOf(args[1:], "-x") {
		if _, command, ok := strings.Cut(a.text, ":"); ok {
			command = strings.TrimSpace(command)
			if quoted := strings.Trim(command, `"'`); len(command)-len(quoted) == 2 {
				command = quoted
			}
			w.code(st.clone(), "bind -x", a.tail(command), w.lang, stream{})
		}
	}
	for _, a := range valuesOf(args[1:], "-f") {
		w.path(st, kindRead, a)
	}
	return stream{}
}

// declaredNames are the arguments of declare that bash calculates: a name with a
// subscript in quotes, and with -i the value.
func (w *walker) declaredNames(st *state, c *syntax.DeclClause, integer bool) {
	for _, a := range c.Args {
		value := arg{index: w.at.index, span: w.at.span(a)}
		switch {
		case a.Name == nil && a.Value != nil:
			value.text = w.literal(st, a.Value)
			w.subscript(st, c.Variant.Value, value)
			if _, text, ok := strings.Cut(value.text, "="); ok && integer {
				w.calculated(st, c.Variant.Value+" -i", value.tail(text))
			}
		case a.Name != nil && integer && a.Value != nil:
			value.text = w.get(st, a.Name.Value)
			w.calculated(st, c.Variant.Value+" -i", value)
		}
	}
}
