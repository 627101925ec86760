package guard

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// call is a simple command: assignments, then a program with its arguments.
func (w *walker) call(st *state, c *syntax.CallExpr, in stream) stream {
	if len(c.Args) == 0 {
		w.assigns(st, c.Assigns)
		return stream{}
	}
	before := w.discreet
	w.discreet = before || loadsVariables(c.Args)
	args := w.words(st, c.Args)
	w.discreet = before
	w.shows(st, c)
	if len(c.Assigns) > 0 {
		// They hold for this command only, but a nested shell sees them.
		st = st.clone()
		w.assigns(st, c.Assigns)
		for _, a := range c.Assigns {
			if a.Name != nil {
				w.emit(effect{kind: kindEnv, name: a.Name.Value, text: w.get(st, a.Name.Value), span: w.at.span(a)})
			}
		}
	}
	return w.run(st, args, in)
}

// assigns is x=1 y+=2 and the arguments of export, local, declare.
func (w *walker) assigns(st *state, list []*syntax.Assign) {
	for _, a := range list {
		if a.Name == nil { // an option of declare, or a word that expands to x=1
			for _, text := range w.fields(st, a.Value) {
				if name, value, ok := strings.Cut(text, "="); ok {
					st.set(name, constant(value))
				}
			}
			continue
		}
		w.assign(st, a)
	}
}

func (w *walker) assign(st *state, a *syntax.Assign) {
	name := a.Name.Value
	switch {
	case a.Array != nil:
		w.assignArray(st, a)
	case a.Index != nil:
		w.arithmetics(st, a, a.Index)
		st.set(name, unknownBinding)
	case a.Value == nil && a.Naked: // export x
	case a.Append:
		st.set(name, constant(w.get(st, name)+w.literal(st, a.Value)))
	default:
		st.set(name, constant(w.literal(st, a.Value)))
	}
	if w.exports(name) {
		w.emit(effect{kind: kindEnv, name: name, text: w.get(st, name), span: w.at.span(a)})
	}
}

func (w *walker) assignArray(st *state, a *syntax.Assign) {
	var list []string
	for _, e := range a.Array.Elems {
		if e.Index != nil || e.Value == nil {
			w.walkSubstitutions(st, a.Array)
			st.set(a.Name.Value, unknownBinding)
			return
		}
		list = append(list, w.fields(st, e.Value)...)
	}
	if a.Append {
		old := w.lookup(st, a.Name.Value)[0]
		if old.Kind != expand.Indexed {
			old.List = []string{old.Str}
		}
		list = append(slices.Clone(old.List), list...)
	}
	st.set(a.Name.Value, binding{{Set: true, Kind: expand.Indexed, List: list}})
}

// get is a variable's value as one string.
func (w *walker) get(st *state, name string) string { return environ{w, st}.Get(name).String() }

// exports reports variables that act as soon as they are set in a shell that
// has them in its environment already.
func (w *walker) exports(name string) bool { return loaders[name] }

// run judges an argv, whoever assembled it: a shell, a wrapper, a request.
func (w *walker) run(st *state, args []arg, in stream) stream {
	if len(args) == 0 || !w.spend(1) {
		return stream{}
	}
	if w.depth++; w.depth > maxDepth {
		w.stop(problemBudget)
	}
	defer func() { w.depth-- }()
	name := args[0].text
	if a, ok := st.aliases[name]; ok && !slices.Contains(w.calling, "alias "+name) {
		w.expandAlias(st, a, args, in)
	}
	if f, ok := st.funcs[name]; ok {
		return w.invoke(st, f, args, in)
	}
	if !w.program(st, args) {
		return somewhere
	}
	name = base(name)
	h, ok := handlers()[name]
	if !ok {
		w.operands(st, name, args[1:])
		return stream{text: unknown, open: true, from: mixed(in.from, name)}
	}
	return h(w, st, args, in)
}

// program says which program runs. It answers false when that is not known,
// and nothing can be said about its arguments.
func (w *walker) program(st *state, args []arg) bool {
	a := args[0]
	e := effect{kind: kindExec, name: base(a.text), args: args[1:], text: a.text, inside: true}
	if dir := strings.LastIndexByte(a.text, '/'); dir >= 0 {
		p := w.locate(st, a.text)
		e.path, e.unknown = p.path, p.unknown
		e.inside = p.unknown || p.inside || w.trusted(a.text, p.path)
	} else {
		e.unknown = strings.Contains(a.text, unknown)
	}
	w.emitAt(a, e)
	return !e.unknown && !strings.Contains(e.name, unknown)
}

// base is a program's name without its directory.
func base(path string) string {
	name := path[strings.LastIndexByte(path, '/')+1:]
	if i := strings.LastIndexByte(name, '\\'); i >= 0 {
		name = name[i+1:]
	}
	return strings.TrimSuffix(name, ".exe")
}

// invoke walks a function's body with its arguments.
func (w *walker) invoke(st *state, f function, args []arg, in stream) stream {
	name := args[0].text
	deep := 0
	for _, c := range w.calling {
		if c == name {
			deep++
		}
	}
	if deep > 1 { // its second round knew all that a third would
		return somewhere
	}
	defer w.enter("function "+name, "", args[0].span)()
	at, params, loose := w.at, st.params, st.loose
	w.calling = append(w.calling, name)
	w.at, st.params, st.loose = f.at, texts(args[1:]), false
	defer func() {
		w.at, st.params, st.loose = at, params, loose
		w.calling = w.calling[:len(w.calling)-1]
	}()
	return w.stmt(st, f.body, in)
}

func texts(args []arg) []string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = a.text
	}
	return out
}

// expandAlias judges the text of an alias with the arguments after it: dash and
// bash --posix expand aliases in scripts.
func (w *walker) expandAlias(st *state, a arg, args []arg, in stream) {
	name := args[0].text
	w.calling = append(w.calling, "alias "+name)
	defer func() { w.calling = w.calling[:len(w.calling)-1] }()
	words := []string{a.text}
	for _, b := range args[1:] {
		words = append(words, quote(b.text))
	}
	code := a
	code.text, code.exact = strings.Join(words, " "), false
	w.code(st.clone(), "alias "+name, code, w.lang, in)
}

// quote makes one word of s for any shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
