package shell

import (
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
)

// Run judges an argv that a shell looks up: aliases, functions, then programs.
func (w *Walker) Run(st *State, args []effect.Arg, in effect.Stream) effect.Stream {
	if len(args) == 0 || w.Stopped {
		return effect.Stream{}
	}
	name := args[0].Text
	if a, ok := st.aliases[name]; ok && !w.Busy("alias "+name) {
		w.expandAlias(st, a, args, in)
	}
	f, ok := st.funcs[name]
	if !ok {
		return w.Exec(st, args, in)
	}
	out := w.invoke(st, f, args, in)
	for ; f.also != nil; f = *f.also {
		out = effect.Either(out, w.invoke(st, *f.also, args, in))
	}
	if f.maybe {
		out = effect.Either(out, w.Exec(st, args, in))
	}
	return out
}

// manyArgs are as much work as one step: handlers and rules look at each.
const manyArgs = 2

// Exec judges an argv past functions and aliases, whoever assembled it: a
// wrapper, a request. `rm() { :; }; sudo rm -rf /` runs the real rm.
func (w *Walker) Exec(st *State, args []effect.Arg, in effect.Stream) effect.Stream {
	if len(args) == 0 || !w.Spend(1+len(args)/manyArgs+effect.BytesOf(args)/1024) {
		return effect.Stream{}
	}
	args = w.Programs.Named(w, args)
	if w.depth++; w.depth > maxDepth {
		w.Stop(effect.ProblemBudget)
	}
	defer func() { w.depth-- }()
	if !w.program(st, args) {
		return effect.Somewhere
	}
	if len(w.Made) > 0 {
		w.RunMade(st, w.asFound(st, args), in)
	}
	return w.Programs.Exec(w, st, args, in, Builtin(argv.Base(args[0].Text)))
}

// program says which program runs. It answers false when that is not known,
// and nothing can be said about its arguments.
func (w *Walker) program(st *State, args []effect.Arg) bool {
	a := args[0]
	e := effect.Effect{Kind: effect.Exec, Name: argv.Base(a.Text), Args: args[1:], Text: a.Text, Inside: true}
	if dir := strings.LastIndexByte(a.Text, '/'); dir >= 0 {
		p := w.Locate(st, a.Text)
		e.Path, e.Unknown = p.Path, p.Unknown
		e.Inside = p.Unknown || p.inside || w.Trusted(a.Text, p.Path) || w.Installed(p.Path)
	} else {
		e.Unknown = strings.Contains(a.Text, effect.Unknown)
	}
	// Meant as an assignment.
	if name, value, ok := strings.Cut(a.Text, "="); ok && strings.HasPrefix(name, "BASH_FUNC_") {
		w.EmitAt(a, effect.Effect{Kind: effect.Env, Name: name, Text: value})
	}
	if e.Unknown && effect.Foreign(a.From) { // x=$(curl …); $x
		w.EmitAt(a, effect.Effect{Kind: effect.Code, Name: "shell", Text: a.Text, From: a.From})
	}
	w.EmitAt(a, e)
	return !e.Unknown && !strings.Contains(e.Name, effect.Unknown)
}
