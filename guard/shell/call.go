package shell

import (
	"maps"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// call is a simple command: assignments, then a program with its arguments.
func (w *Walker) call(st *State, c *syntax.CallExpr, in effect.Stream) effect.Stream {
	if len(c.Args) == 0 {
		w.assigns(st, c.Assigns)
		return effect.Stream{}
	}
	discreet := w.Discreet
	w.Discreet = discreet || loadsVariables(c.Args)
	args := w.words(st, c.Args)
	w.Discreet = discreet
	w.shows(st, c)
	defer func() {
		if n := len(args); n > 0 {
			st.last = args[n-1].Text
		}
	}()
	if len(c.Assigns) == 0 {
		return w.Run(st, args, in)
	}
	// They hold for this command only, but a nested shell sees them.
	before := map[string]Binding{}
	var names []string
	for _, a := range c.Assigns {
		if a.Name == nil {
			continue
		}
		if _, twice := before[a.Name.Value]; !twice {
			names = append(names, a.Name.Value)
			before[a.Name.Value] = st.Vars[a.Name.Value]
		}
	}
	w.assigns(st, c.Assigns)
	outer := st.exported
	st.exported = maps.Clone(outer)
	for _, name := range names {
		w.Emit(effect.Effect{Kind: effect.Env, Name: name, Text: w.Get(st, name), Span: w.At.span(c)})
		st.Export(name)
	}
	out := w.Run(st, args, in)
	st.exported = outer
	if len(args) > 0 && special()[args[0].Text] {
		w.lasts(st, before)
		return out
	}
	for name, b := range before {
		if b == nil {
			delete(st.Vars, name)
			continue
		}
		st.Vars[name] = b
	}
	return out
}

// lasts keeps what was assigned before a special builtin: X=/ eval … leaves X set
// in a POSIX shell, and in bash if that is called sh.
func (w *Walker) lasts(st *State, before map[string]Binding) {
	if w.Lang == syntax.LangPOSIX {
		return
	}
	for name, was := range before {
		if was == nil {
			was = unknownBinding
		}
		st.Vars[name] = union(st.Vars[name], was)
	}
}

// special are the builtins before which an assignment lasts.
var special = sync.OnceValue(func() map[string]bool {
	return map[string]bool{
		":": true, ".": true, "eval": true, "exec": true, "export": true, "readonly": true, "set": true, "shift": true,
		"trap": true, "unset": true,
	}
})
