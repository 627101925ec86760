package guard

import (
	"slices"
	"strings"
)

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
