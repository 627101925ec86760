package run

import (
	"cmp"
	"path"
	"slices"
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
			if text := strings.TrimPrefix(o.Text, "@"); !negated(w, o.Arg) && (place.PathLike(text) || w.DrivePath(text) ||
				w.Restrict && strings.HasPrefix(text, "/")) {
				o.Text, o.Exact = text, o.Exact && text == o.Text
				w.Paths(st, effect.Effect{Kind: effect.Read, Discreet: true, Recursive: true}, o.Arg) // or a write
			}
		}
	}
}

// negated reports ~word: "all but these" to what runs tests. A shell expands it only if there is
// such a user.
func negated(w *shell.Walker, a effect.Arg) bool {
	return a.Index == 0 && a.Text != w.Home && a.Span.End <= len(w.In.Command) &&
		w.In.Command[a.Span.Start:a.Span.End] == "~"+strings.TrimPrefix(a.Text, "/home/")
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

// PrintsAll reports a program that prints every variable.
func PrintsAll(_ *shell.Walker, e *effect.Effect) bool {
	switch {
	case e.Runs("printenv"):
		_, operands := program.BareSpec.Options(e.Args)
		return len(operands) == 0 && !argv.Given(e.Args, "--help", "--version")
	case e.Runs("set"):
		return len(e.Args) == 0
	case e.Runs("export", "declare", "typeset", "readonly"):
		opts, operands := program.BareSpec.Options(e.Args)
		return len(operands) == 0 && !argv.Any(opts, "-f", "-F") // functions
	case e.Runs("ps"): // without a dash, e is the environment of each process
		return len(e.Args) > 0 && strings.Contains(e.Args[0].Text, "e") &&
			strings.Trim(e.Args[0].Text, "aefhjlmrsuvwxT") == ""
	case e.Runs("env", "genv"):
		return envPrints(e.Args)
	}
	return false
}

// envPrints reports an env that is given no program.
func envPrints(args []effect.Arg) bool {
	values, rest := program.WrapperOf("env").Spec.Leading(args)
	for _, v := range values {
		if slices.Contains([]string{"-i", "-S", "--split-string", "--ignore-environment", "--help", "--version"}, v.Text) {
			return false
		}
	}
	if _, ok := InlineCode("env", args, rest); ok {
		return false
	}
	for len(rest) > 0 && strings.Contains(rest[0].Text, "=") {
		rest = rest[1:]
	}
	return len(rest) == 0 || len(rest) == 1 && rest[0].Text == "-"
}

// WindowsPaths judges one word as a path of a Windows shell. On a machine where
// such paths mean something else, an absolute one lies outside by its letter.
func WindowsPaths(w *shell.Walker, st *shell.State, e effect.Effect, a effect.Arg) {
	text := strings.ReplaceAll(a.Text, `\`, "/")
	for _, provider := range [...]string{"microsoft.powershell.core/filesystem::", "filesystem::"} {
		if len(text) > len(provider) && strings.EqualFold(text[:len(provider)], provider) {
			text = text[len(provider):]
		}
	}
	lower := strings.ToLower(text)
	switch {
	case text == "" || place.Quiet(lower) || place.Registry(lower) || strings.HasPrefix(lower, "env:"):
		return
	case text == "~" || strings.HasPrefix(text, "~/"):
		text = cmp.Or(w.Home, effect.Unknown) + text[1:]
	}
	a.Text, a.Exact = text, false
	if device := path.Base(lower); place.Reserved(strings.TrimRight(device, ":")) {
		e.Path, e.Text, e.Inside, e.Unknown = "//./"+device, text, false, false
		w.EmitAt(a, e)
		return
	}
	if w.OnDrives() || !place.Drive(text) && !strings.HasPrefix(text, "//") {
		w.Paths(st, e, a)
		return
	}
	e.Path, e.Text, e.Unknown = path.Clean(strings.ReplaceAll(text, effect.Unknown, "*")), text, false
	w.EmitAt(a, e)
}
