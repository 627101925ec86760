package guard

import (
	"maps"
	"sync"

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
