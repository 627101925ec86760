package run

import (
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// OfMachine keeps a rule about the machine's own programs away from a script of
// the workspace that has the same name.
func OfMachine(when func(*shell.Walker, *effect.Effect) bool) func(*shell.Walker, *effect.Effect) bool {
	return func(w *shell.Walker, e *effect.Effect) bool {
		return (e.Kind != effect.Exec || e.Path == "" || !w.InFolders(e.Path)) && when(w, e)
	}
}

// Kind judges a value that is code, or names some: of an option, a variable, a
// setting. construct is what it is the value of.
type Kind func(w *shell.Walker, st *shell.State, construct string, a effect.Arg)

// Look judges one thing about every program, of which p is the name without its directory.
type Look func(w *shell.Walker, st *shell.State, p effect.Arg, args []effect.Arg, in effect.Stream)

// Meaning is a rule's id, or a word that a rule asks for, and when a program does that. It
// is for what the phrases of a model can't say.
type Meaning struct {
	Word string
	When func(w *shell.Walker, e *effect.Effect) bool
}

// Family is what code knows of the programs of one subject, beyond their models.
type Family struct {
	Does   map[string]shell.Handler // by names, blanks between them
	Kinds  map[string]Kind
	Ruled  string // a text of more kinds, see values.txt
	Means  []Meaning
	Before []Look
	After  []Look
	// Files are those of the project that a program runs by itself.
	Files  func(w *shell.Walker, st *shell.State, name string, args []effect.Arg)
	Named  func(name string) shell.Handler // for programs by the look of their name
	Code   func(name string) bool          // reports an interpreter
	Rename func(w *shell.Walker, args []effect.Arg) []effect.Arg
	Texts  map[string]Kind // shells without a grammar here, by dialect
	Prints func(w *shell.Walker, st *shell.State, name string, args []effect.Arg, in, out effect.Stream) effect.Stream
}

// Table is what the families know together, for the walk to ask.
type Table struct {
	Does     map[string]shell.Handler
	Kinds    map[string]Kind
	families []Family
}

// New makes the table of all families.
func New(families ...Family) *Table {
	t := &Table{Does: map[string]shell.Handler{}, Kinds: map[string]Kind{}, families: families}
	for _, f := range families {
		for names, h := range f.Does {
			for name := range strings.FieldsSeq(names) {
				t.Does[name] = h
			}
		}
		maps.Copy(t.Kinds, f.Kinds)
		readKinds(f.Ruled, t.Kinds)
	}
	return t
}

func tableOf(w *shell.Walker) *Table { return w.Programs.(*Table) }

// Value judges one by its kind.
func Value(w *shell.Walker, st *shell.State, kind, construct string, a effect.Arg) {
	if k := tableOf(w).Kinds[kind]; k != nil {
		k(w, st, construct, a)
	}
}

// ProjectFiles judges the files of the project that a program runs by itself.
func ProjectFiles(w *shell.Walker, st *shell.State, name string, args []effect.Arg) {
	for _, f := range tableOf(w).families {
		if f.Files != nil {
			f.Files(w, st, name, args)
		}
	}
}

// interprets reports a program that runs code in a language.
func interprets(w *shell.Walker, name string) bool {
	return slices.ContainsFunc(tableOf(w).families, func(f Family) bool { return f.Code != nil && f.Code(name) })
}

// Named is a command with its program under the name that models have for it.
func (t *Table) Named(w *shell.Walker, args []effect.Arg) []effect.Arg {
	for _, f := range t.families {
		if f.Rename != nil {
			args = f.Rename(w, args)
		}
	}
	return args
}

// Text judges PowerShell's and cmd's.
func (t *Table) Text(w *shell.Walker, st *shell.State, dialect, text string) {
	for _, f := range t.families {
		if judge := f.Texts[dialect]; judge != nil {
			judge(w, st, dialect, effect.Arg{Text: text})
		}
	}
}

// Known reports a program with a model, or with code that judges it.
func (t *Table) Known(name string) bool {
	return program.Of(name) != nil || t.Does[name] != nil || shell.Builtin(name) != nil
}

// Like are the known programs whose names match a pattern.
func (t *Table) Like(pattern string) []string {
	names := map[string]bool{}
	for _, known := range []iter.Seq[string]{program.Names(), maps.Keys(t.Does), maps.Keys(shell.Dialects())} {
		for name := range known {
			if ok, err := path.Match(pattern, name); ok && err == nil {
				names[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// Exec judges everything by which a program does something.
func (t *Table) Exec(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream,
	own shell.Handler,
) effect.Stream {
	name := argv.Base(args[0].Text)
	p := effect.Renamed(args[0], name)
	strays(w, st, name, args[0])
	HookOptions(w, st, name, args[1:])
	hookOperands(w, st, name, args[1:])
	for _, f := range t.families {
		for _, look := range f.Before {
			look(w, st, p, args[1:], in)
		}
	}
	HookInput(w, st, name, args[1:], in)
	if own == nil {
		own = t.handler(name, args[0].Text)
	}
	out := own(w, st, args, in)
	runner(w, st, name, args[1:], in)
	launches(w, st, name, args[1:], in)
	for _, f := range t.families {
		for _, look := range f.After {
			look(w, st, p, args[1:], in)
		}
	}
	ProjectFiles(w, st, name, args[1:])
	for _, f := range t.families {
		if f.Prints != nil {
			out = f.Prints(w, st, name, args[1:], in, out)
		}
	}
	return out
}

// handler is what judges a program, under its name and as it was written.
func (t *Table) handler(name, written string) shell.Handler {
	if h := t.Does[name]; h != nil {
		return h
	}
	if loader(name) || program.WrapperOf(name) != nil {
		return wrap
	}
	for _, f := range t.families {
		if f.Named == nil {
			continue
		}
		if h := f.Named(written); h != nil {
			return h
		}
	}
	return ByModel
}

// ByModel judges a program by its model, or by nothing but its arguments.
func ByModel(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	name := argv.Base(args[0].Text)
	if commands := program.Elsewhere(name, args[1:]); len(commands) > 0 {
		for _, command := range commands {
			Elsewhere(w, st, name, Line(command), in)
		}
		return effect.Passed(in, "ssh")
	}
	Operands(w, st, name, args[1:])
	return effect.Passed(in, name)
}

// Besides judges a program by its model, and besides that by what more finds.
func Besides(more func(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream)) shell.Handler {
	return func(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
		out := ByModel(w, st, args, in)
		more(w, st, args, in)
		return out
	}
}

// Means are the meanings of the families, and those of the program's model.
func (t *Table) Means(w *shell.Walker, e *effect.Effect) (list []string) {
	for _, f := range t.families {
		for i := range f.Means {
			if f.Means[i].When(w, e) {
				list = append(list, f.Means[i].Word)
			}
		}
	}
	// A script of the workspace is not the machine's program that it is called like, but
	// bin/rails and node_modules/.bin/vercel do what those do.
	own := e.Path != "" && w.InFolders(e.Path) && !place.Drive(e.Text)
	for _, id := range program.Told(e) {
		outward := strings.HasPrefix(id, "outward/") || strings.HasPrefix(id, "data/")
		if (!own || outward) && !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	return list
}

// ProgramOf is the effect of running a command.
func ProgramOf(command []effect.Arg) *effect.Effect {
	return &effect.Effect{Kind: effect.Exec, Name: argv.Base(command[0].Text), Args: command[1:]}
}

// Acts reports variables that every program reads.
func (t *Table) Acts(name string) bool {
	return place.Loaders(name) || VariableKind(name) != ""
}
