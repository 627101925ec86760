package guard

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// call is a simple command: assignments, then a program with its arguments.
func (w *walker) call(st *state, c *syntax.CallExpr, in stream) stream {
	if len(c.Args) == 0 {
		w.assigns(st, c.Assigns)
		return stream{}
	}
	discreet := w.discreet
	w.discreet = discreet || loadsVariables(c.Args)
	args := w.words(st, c.Args)
	w.discreet = discreet
	w.shows(st, c)
	defer func() {
		if n := len(args); n > 0 {
			st.last = args[n-1].text
		}
	}()
	if len(c.Assigns) == 0 {
		return w.run(st, args, in)
	}
	// They hold for this command only, but a nested shell sees them.
	before := map[string]binding{}
	var names []string
	for _, a := range c.Assigns {
		if a.Name == nil {
			continue
		}
		if _, twice := before[a.Name.Value]; !twice {
			names = append(names, a.Name.Value)
			before[a.Name.Value] = st.vars[a.Name.Value]
		}
	}
	w.assigns(st, c.Assigns)
	outer := st.exported
	st.exported = maps.Clone(outer)
	for _, name := range names {
		w.emit(effect{kind: kindEnv, name: name, text: w.get(st, name), span: w.at.span(c)})
		st.export(name)
	}
	out := w.run(st, args, in)
	st.exported = outer
	if len(args) > 0 && special()[args[0].text] {
		w.lasts(st, before)
		return out
	}
	for name, b := range before {
		if b == nil {
			delete(st.vars, name)
			continue
		}
		st.vars[name] = b
	}
	return out
}

// lasts keeps what was assigned before a special builtin: X=/ eval … leaves X set
// in a POSIX shell, and in bash if that is called sh.
func (w *walker) lasts(st *state, before map[string]binding) {
	if w.lang == syntax.LangPOSIX {
		return
	}
	for name, was := range before {
		if was == nil {
			was = unknownBinding
		}
		st.vars[name] = union(st.vars[name], was)
	}
}

// special are the builtins before which an assignment lasts.
var special = sync.OnceValue(func() map[string]bool {
	return map[string]bool{
		":": true, ".": true, "eval": true, "exec": true, "export": true, "readonly": true, "set": true, "shift": true, "trap": true, "unset": true,
	}
})

// assigns is x=1 y+=2 and the arguments of export, local, declare.
func (w *walker) assigns(st *state, list []*syntax.Assign) {
	for _, a := range list {
		if w.stopped {
			return
		}
		if a.Name != nil {
			w.assign(st, a)
			continue
		}
		for _, text := range w.fields(st, a.Value) { // a word that expands to x=1
			if name, value, ok := strings.Cut(text, "="); ok {
				st.set(name, constant(value))
			}
		}
	}
}

// declare is export, local, declare and their kin.
func (w *walker) declare(st *state, c *syntax.DeclClause) {
	flags := ""
	for _, a := range c.Args {
		if a.Name == nil && a.Value != nil {
			if lit := a.Value.Lit(); strings.HasPrefix(lit, "-") {
				flags += lit
			}
		}
	}
	exports := c.Variant.Value == "export" || strings.Contains(flags, "x")
	if c.Variant.Value == "nameref" || strings.Contains(flags, "n") && !exports {
		for _, a := range c.Args {
			if a.Name != nil && a.Value != nil {
				st.refer(a.Name.Value, w.literal(st, a.Value))
			}
		}
		return
	}
	before := st.vars
	if w.refused(c.Variant.Value) {
		st.vars = maps.Clone(before)
	}
	w.assigns(st, c.Args)
	if w.refused(c.Variant.Value) {
		w.unlessRefused(st, before)
	}
	w.declaredNames(st, c, strings.Contains(flags, "i"))
	for _, a := range c.Args {
		if a.Name == nil || !exports {
			continue
		}
		st.export(a.Name.Value)
		if f, ok := st.funcs[a.Name.Value]; ok && strings.Contains(flags, "f") {
			f.exported = true
			st.funcs[a.Name.Value] = f
		}
	}
}

// refused reports builtins that fail in this shell, or here: dash has no declare,
// and local is for functions.
func (w *walker) refused(name string) bool {
	inFunction := slices.ContainsFunc(w.calling, func(c string) bool { return !strings.HasPrefix(c, "alias ") })
	return w.lang == syntax.LangPOSIX && (name == "declare" || name == "typeset") || name == "local" && !inFunction
}

// unlessRefused joins what such a builtin assigned with what was there before.
func (w *walker) unlessRefused(st *state, before map[string]binding) {
	old := &state{vars: before, cwds: st.cwds, params: st.params, sure: st.sure, loose: st.loose}
	for name, now := range st.vars {
		if was := w.lookup(old, name); !slices.EqualFunc(was, now, same) {
			st.vars[name] = union(was, now)
		}
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
		text, from := w.value(st, w.assigned(st, a.Value))
		st.assign(name, constant(w.get(st, name)+text), mixed(st.stains(name), from...))
	default:
		text, from := w.value(st, w.assigned(st, a.Value))
		st.assign(name, constant(text), from)
	}
	if w.exports(name) {
		w.emit(effect{kind: kindEnv, name: name, text: w.get(st, name), span: w.at.span(a)})
	}
}

func (w *walker) assignArray(st *state, a *syntax.Assign) {
	var list, from []string
	for _, e := range a.Array.Elems {
		if e.Index != nil || e.Value == nil {
			w.walkSubstitutions(st, a.Array)
			st.set(a.Name.Value, unknownBinding)
			return
		}
		fields, more := w.trace(st, e.Value)
		list, from = append(list, fields...), mixed(from, more...)
	}
	if a.Append {
		old := w.lookup(st, a.Name.Value)[0]
		if old.Kind != expand.Indexed {
			if strings.Contains(old.Str, unknown) { // it may be nothing, or a list
				st.set(a.Name.Value, unknownBinding)
				return
			}
			if old.List = nil; old.Set {
				old.List = []string{old.Str}
			}
		}
		list, from = append(slices.Clone(old.List), list...), mixed(st.stains(a.Name.Value), from...)
	}
	st.assign(a.Name.Value, indexed(list), from)
}

// get is a variable's value as one string.
func (w *walker) get(st *state, name string) string { return environ{w, st}.Get(name).String() }

// exports reports variables that act as soon as they are set in a shell that
// has them in its environment already.
func (w *walker) exports(name string) bool {
	return loaders()[name] || variableKinds()[name] != "" || patternKind(name) != ""
}

// run judges an argv that a shell looks up: aliases, functions, then programs.
func (w *walker) run(st *state, args []arg, in stream) stream {
	if len(args) == 0 || w.stopped {
		return stream{}
	}
	name := args[0].text
	if a, ok := st.aliases[name]; ok && !slices.Contains(w.calling, "alias "+name) {
		w.expandAlias(st, a, args, in)
	}
	f, ok := st.funcs[name]
	if !ok {
		return w.exec(st, args, in)
	}
	out := w.invoke(st, f, args, in)
	for ; f.also != nil; f = *f.also {
		out = either(out, w.invoke(st, *f.also, args, in))
	}
	if f.maybe {
		out = either(out, w.exec(st, args, in))
	}
	return out
}

// manyArgs are as much work as one step: handlers and rules look at each.
const manyArgs = 2

// exec judges an argv past functions and aliases, whoever assembled it: a
// wrapper, a request. `rm() { :; }; sudo rm -rf /` runs the real rm.
func (w *walker) exec(st *state, args []arg, in stream) stream {
	if len(args) == 0 || !w.spend(1+len(args)/manyArgs+bytesOf(args)/1024) {
		return stream{}
	}
	args = w.windowsNamed(args)
	if w.depth++; w.depth > maxDepth {
		w.stop(problemBudget)
	}
	defer func() { w.depth-- }()
	if !w.program(st, args) {
		return somewhere
	}
	if strings.Contains(args[0].text, "/") && len(w.made) > 0 {
		w.runMade(st, args, in)
	}
	name := base(args[0].text)
	w.strays(st, name, args[0])
	w.hooks(st, name, args[1:], in)
	out := w.handle(st, name, args, in)
	w.runner(st, name, args[1:], in)
	w.launches(st, name, args[1:], in)
	w.stranger(st, name, args[1:])
	w.rare(st, name, args[1:], in)
	w.project(st, name, args[1:])
	w.packageSet(st, name, args[1:])
	w.download(st, name, args[1:])
	w.transfer(st, name, args[1:])
	w.onProduction(st, args)
	return w.printedBy(st, name, args[1:], in, out)
}

func (w *walker) handle(st *state, name string, args []arg, in stream) stream {
	if h, ok := handlers()[name]; ok {
		return h(w, st, args, in)
	}
	if loader(name) {
		return wrap(w, st, args, in)
	}
	if languageOf(name) != nil { // python3.12
		return interpreter(w, st, args, in)
	}
	if cmdletName(args[0].text) {
		return typedCmdlet(w, st, args, in)
	}
	w.operands(st, name, args[1:])
	return stream{text: unknown, open: true, from: mixed(in.from, name)}
}

// program says which program runs. It answers false when that is not known,
// and nothing can be said about its arguments.
func (w *walker) program(st *state, args []arg) bool {
	a := args[0]
	e := effect{kind: kindExec, name: base(a.text), args: args[1:], text: a.text, inside: true}
	if dir := strings.LastIndexByte(a.text, '/'); dir >= 0 {
		p := w.locate(st, a.text)
		e.path, e.unknown = p.path, p.unknown
		e.inside = p.unknown || p.inside || w.trusted(a.text, p.path) || w.installed(p.path)
	} else {
		e.unknown = strings.Contains(a.text, unknown)
	}
	if name, value, ok := strings.Cut(a.text, "="); ok && strings.HasPrefix(name, "BASH_FUNC_") { // meant as an assignment
		w.emitAt(a, effect{kind: kindEnv, name: name, text: value})
	}
	if e.unknown && foreign(a.from) { // x=$(curl …); $x
		w.emitAt(a, effect{kind: kindCode, name: "shell", text: a.text, from: a.from})
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
	at, params, sure, loose, taint := w.at, st.params, st.sure, st.loose, st.taint["@"]
	w.calling = append(w.calling, name)
	w.at = f.at
	st.positional(args[1:])
	defer func() {
		w.at, st.params, st.sure, st.loose = at, params, sure, loose
		st.stain("@", taint)
		w.calling = w.calling[:len(w.calling)-1]
	}()
	defer w.leavable(st)()
	return w.stmt(st, f.body, in)
}

// positional sets $1… . Behind a word that may be none, or many, nobody knows
// the place of another: after "set -- $u src /etc", $2 may be either.
func (s *state) positional(args []arg) {
	s.params, s.loose = texts(args), false
	if s.sure = slices.IndexFunc(args, func(a arg) bool { return a.many }); s.sure < 0 {
		s.sure = len(args)
	}
	var from []string
	for _, a := range args {
		from = mixed(from, a.from...)
	}
	s.stain("@", from)
}

func bytesOf(args []arg) int {
	n := 0
	for _, a := range args {
		n += len(a.text)
	}
	return n
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

func quotedWords(words []string) string {
	out := make([]string, len(words))
	for i, word := range words {
		out[i] = quote(word)
	}
	return strings.Join(out, " ")
}
