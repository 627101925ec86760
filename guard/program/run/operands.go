package run

import (
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// Operands judges the arguments of a program as paths, by the table.
func Operands(w *shell.Walker, st *shell.State, name string, args []effect.Arg) {
	s, ok := program.SpecOf(name)
	if !ok {
		s = generic
	}
	values, operands, bare := s.Split(args)
	st = Chdirs(w, st, values)
	Touch(w, st, values, bare)
	defer func(before bool) { w.Discreet = before }(w.Discreet)
	w.Discreet = w.Discreet || s.Quiet(args)
	Touch(w, st, operands, bare)
}

var generic = argv.New("???", "")

// Chdirs is the state the program itself is in after its own -C.
func Chdirs(w *shell.Walker, st *shell.State, values []argv.Operand) *shell.State {
	for _, v := range values {
		if v.Role == argv.Chdir {
			st = st.Clone()
			w.Path(st, effect.Read, v.Arg)
			w.MoveTo(st, v.Text)
		}
	}
	return st
}

// Touch judges arguments as paths, by their roles.
func Touch(w *shell.Walker, st *shell.State, list []argv.Operand, bare []string) {
	for _, o := range list {
		if text, ok := strings.CutPrefix(o.Text, "@"); ok && o.Role != argv.None && len(w.Made) > 0 {
			listed(w, st, o.Tail(text))
		}
		switch o.Role {
		case argv.None:
			for _, scheme := range []string{"file://", "fileb://"} { // aws reads a parameter from there
				if text, ok := strings.CutPrefix(o.Text, scheme); ok {
					w.Path(st, effect.Read, o.Tail(text))
				}
			}
		case argv.Read, argv.InsteadFile:
			if !strings.Contains(o.Text, "://") || strings.HasPrefix(o.Text, "file://") {
				w.Path(st, effect.Read, o.Arg)
			}
		case argv.List:
			listed(w, st, o.Tail(strings.TrimPrefix(o.Text, "@")))
		case argv.Uses:
			w.Paths(st, effect.Effect{Kind: effect.Read, Discreet: true}, o.Arg)
		case argv.Write:
			w.Path(st, effect.Write, o.Arg)
		case argv.Delete:
			w.Paths(st, effect.Effect{Kind: effect.Delete, Recursive: argv.Recursive(bare)}, o.Arg)
		case argv.Move:
			w.Paths(st, effect.Effect{Kind: effect.Delete, Name: "mv"}, o.Arg)
		case argv.Guess:
			// @file is a list of arguments.
			if text := strings.TrimPrefix(o.Text, "@"); place.PathLike(text) || w.DrivePath(text) ||
				w.Restrict && strings.HasPrefix(text, "/") {
				o.Text, o.Exact = text, o.Exact && text == o.Text
				w.Paths(st, effect.Effect{Kind: effect.Read, Discreet: true, Recursive: true}, o.Arg) // or a write
			}
		}
	}
}

// listed is a file of paths, all of which are read.
func listed(w *shell.Walker, st *shell.State, file effect.Arg) {
	w.Path(st, effect.Read, file)
	made, _ := w.Content(st, file.Text)
	pathLines(w, st, "", file.Tail(made.Text))
}

// pathLines are paths that are read, one a line.
func pathLines(w *shell.Walker, st *shell.State, _ string, a effect.Arg) {
	for line := range strings.Lines(a.Text) {
		if w.Spend(1) {
			w.Path(st, effect.Read, a.Tail(line))
		}
	}
}
