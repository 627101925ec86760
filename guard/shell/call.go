package shell

import (
	"maps"
	"path"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/argv"
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
	w.shows(st, c, args)
	if !in.Open {
		args = w.inherited(st, c.Args[0], args)
	}
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
	if len(args) > 0 && special.Has(args[0].Text) {
		w.lasts(st, before)
		return out
	}
	for name, b := range before {
		if st.Vars[name] = b; b == nil {
			delete(st.Vars, name)
		}
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
var special = argv.Names(": . eval exec export readonly set shift trap unset")

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
		w.notFound(st, args, in)
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

// notFound judges the function to which bash and zsh give a command that they do not find.
// Which are there is not known: those that nothing is known of may be missing.
func (w *Walker) notFound(st *State, args []effect.Arg, in effect.Stream) {
	for _, handler := range [...]string{"command_not_found_handle", "command_not_found_handler"} {
		f, ok := st.funcs[handler]
		if ok && !strings.Contains(args[0].Text, "/") && !w.Programs.Known(args[0].Text) && !w.Busy(handler) {
			done := w.During(handler)
			w.invoke(st.Subshell(), f, append([]effect.Arg{args[0]}, args...), in)
			done()
		}
	}
}

// manyArgs are as much work as one step: handlers and rules look at each.
const manyArgs = 2

// Exec judges an argv past functions and aliases, for a wrapper or a request. `rm() { :;
// }; sudo rm -rf /` runs the real rm.
func (w *Walker) Exec(st *State, args []effect.Arg, in effect.Stream) effect.Stream {
	if len(args) == 0 || !w.Spend(1+len(args)/manyArgs+effect.BytesOf(args)/1024) {
		return effect.Stream{}
	}
	args = w.Programs.Named(w, args)
	if w.depth++; w.depth > maxDepth {
		w.Stop(effect.ProblemBudget)
	}
	defer func() { w.depth-- }()
	known := w.program(st, args)
	if len(w.Made) > 0 { // also what stands in a file of mktemp's
		w.RunMade(st, w.asFound(st, args), in)
	}
	if !known {
		return effect.Somewhere
	}
	w.matched(st, args, in)
	return w.Programs.Exec(w, st, args, in, Builtin(argv.Base(args[0].Text)))
}

// maxMatched bounds the programs judged for one pattern; manyMatched is the work of looking.
const maxMatched, manyMatched = 16, 64

// matched judges a program whose name is a pattern as each that it may stand for:
// /bin/c[a]t.
func (w *Walker) matched(st *State, args []effect.Arg, in effect.Stream) {
	dir, pattern := path.Split(args[0].Text)
	if dir == "" || !strings.ContainsAny(pattern, "*?[") || w.InFolders(w.Locate(st, args[0].Text).Path) ||
		!w.Spend(manyMatched) {
		return
	}
	names := w.Programs.Like(pattern)
	if len(names) > maxMatched {
		dir, names = "", []string{effect.Unknown}
	}
	for _, name := range names {
		if w.Deeper() {
			w.Exec(st.Subshell(), append([]effect.Arg{effect.Renamed(args[0], dir+name)}, args[1:]...), in)
			w.Back()
		}
	}
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
	fetched := strings.Contains(a.Text, "://") // uv run https://…: the runner fetches it
	if fetched {
		a.From = effect.Mixed(a.From, "curl")
	}
	if fetched || e.Unknown && effect.Foreign(a.From) { // x=$(curl …); $x
		w.EmitAt(a, effect.Effect{Kind: effect.Code, Name: "shell", Text: a.Text, From: a.From})
	}
	w.EmitAt(a, e)
	return !e.Unknown && !strings.Contains(e.Name, effect.Unknown)
}

// Programs is all that the walk asks about programs.
type Programs interface {
	// Named is a command with its program under the name that it is known by.
	Named(w *Walker, args []effect.Arg) []effect.Arg
	// Exec judges a program past aliases and functions, and returns what it prints. own is
	// the shell's own command of that name, or nil.
	Exec(w *Walker, st *State, args []effect.Arg, in effect.Stream, own Handler) effect.Stream
	// Text judges text for a shell of Windows, which has no grammar here.
	Text(w *Walker, st *State, dialect, text string)
	// Like are the programs of which anything is known, and whose names match a pattern.
	Like(pattern string) []string
	// Known reports a program that anything is known of.
	Known(name string) bool
	// Means are what the program of an effect is asked to do.
	Means(w *Walker, e *effect.Effect) []string
	// Variable judges the value of a variable that is set for some program.
	Variable(w *Walker, e *effect.Effect)
	// Acts reports a variable that acts as soon as it is set in a shell.
	Acts(variable string) bool
}

// Handler judges one program by more than the roles of its arguments, and
// answers what it prints. args[0] is the program.
type Handler func(w *Walker, st *State, args []effect.Arg, in effect.Stream) effect.Stream

var builtins func() map[string]Handler

func init() { builtins = sync.OnceValue(builtinTable) } // they walk commands, which look here

// Builtin is what the shell does itself, or another shell; nil if that is a program.
func Builtin(name string) Handler {
	if h := builtins()[name]; h != nil {
		return h
	}
	if _, ok := Dialects()[name]; ok {
		return shell
	}
	return nil
}

func builtinTable() map[string]Handler {
	return map[string]Handler{
		"cd": silent(cd), "chdir": silent(cd), "pushd": silent(pushd), "popd": silent(popd), "pwd": pwd,
		"eval": eval, ".": source, "source": source, "command": command, "builtin": command, "exec": execute,
		"trap": silent(trap), "alias": silent(alias), "hash": silent(hash), "enable": silent(enable), "which": which,
		"type": which, "test": tests, "[": tests, "wait": silent(waitsFor), "complete": completions,
		"compgen": completions, "bind": silent(bind), "set": silent(set), "shift": silent(shift), "unset": silent(unset),
		"read": reads, "mapfile": mapfile, "readarray": mapfile, "getopts": silent(getopts), "export": silent(export),
		"readonly": silent(export), "local": silent(export), "declare": silent(export), "typeset": silent(export),
		"break": silent(leave), "continue": silent(leave), "return": silent(leave), "echo": echo, "printf": printf,
	}
}

// silent is a handler of what reads and prints nothing.
func silent(does func(w *Walker, st *State, args []effect.Arg)) Handler {
	return func(w *Walker, st *State, args []effect.Arg, _ effect.Stream) effect.Stream {
		does(w, st, args)
		return effect.Stream{}
	}
}
