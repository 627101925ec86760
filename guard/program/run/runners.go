// Package run judges any program by its model: what it does with its arguments, which of
// them are code, and the command that it starts. Families of programs add what models
// can't say: a Family is code for the programs of one subject, and a Table all of them.
package run

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// runner judges the command that follows `poetry run` and the like.
func runner(w *shell.Walker, st *shell.State, name string, args []effect.Arg, in effect.Stream) {
	if slices.Contains([]string{"nc", "ncat", "netcat", "socat", "powercat"}, name) {
		listens(w, name, args)
		return
	}
	m := program.Of(name)
	if m == nil || len(m.Starts) == 0 {
		return
	}
	rest := program.AfterOptions(name, args)
	if inner := program.InWorkspaces(rest); name == "yarn" && inner != nil {
		rest = inner
	}
	if (name == "yarn" || name == "pnpm") && len(rest) > 1 && !program.NodeVerbs.Has(rest[0].Text) { // yarn rimraf dist
		launch(w, st, rest, in)
		return
	}
	if len(rest) == 0 {
		return
	}
	own, ok := m.Starts[rest[0].Text]
	if !ok {
		return
	}
	defer w.Enter(name+" "+rest[0].Text, argv.Summary(rest[1:]), rest[0].Span)()
	values, command := m.With.Leading(rest[1:])
	Touch(w, st, values, nil)
	st = Chdirs(w, st, values)
	if name == "npm" {
		if code := argv.Values(rest[1:len(rest)-len(command)], "-c", "--call"); len(code) > 0 {
			w.Code(st.Child(), "npm exec -c", code[0], w.Lang, in)
			return
		}
	}
	command = command[min(own, len(command)):]
	if len(command) > 0 && command[0].Text == "--" {
		command = command[1:]
	}
	if len(command) > 0 {
		Value(w, st, "source", name+" run", command[0]) // uv run x.py
	}
	if len(command) == 0 || !Judges(w, command[0].Text) || !w.Deeper() {
		return
	}
	w.Exec(st.Subshell(), command, in)
	w.Back()
}

// listens reports a network program that hands its connection to a shell.
func listens(w *shell.Walker, name string, args []effect.Arg) {
	programs := argv.Values(args, "-e", "--exec", "-c", "--sh-exec", "--lua-exec")
	if name == "socat" {
		programs = nil
	}
	for _, a := range args {
		if address, _, ok := strings.Cut(a.Text, ":"); ok && name == "socat" && (strings.EqualFold(address, "exec") ||
			strings.EqualFold(address, "system")) {
			programs = append(programs, a)
		}
	}
	for _, program := range programs {
		w.EmitAt(program, effect.Effect{Kind: effect.Code, Name: "shell", Text: program.Text, From: []string{name}})
	}
}

// Judges reports a program we know something about; another is a script of the
// project or of a package, and its arguments are its own.
func Judges(w *shell.Walker, name string) bool {
	m := program.Of(name)
	known := m != nil && (m.Spec != nil || m.Wrapper != nil || m.Has("text") || len(m.Starts) > 0)
	return known || name == "nodemon" || name == "chokidar" || tableOf(w).Does[name] != nil ||
		shell.Builtin(name) != nil || strings.Contains(name, "/")
}

// fatal are programs whose arguments can do what no machine survives.
var fatal = argv.NamesOf(&valuesText, "fatal")

// remoteRunners run commands on a device or a machine of their own.
var remoteRunners = argv.NamesOf(&valuesText, "remote")

// Fatal reports a word that may begin a command no other program has a reason to be given;
// not coverage shutdown.
func Fatal(args []effect.Arg, i int) bool {
	verb := i > 0 && syntax.ValidName(args[i-1].Text) && effect.Among(args[i].Text, "reboot shutdown poweroff")
	return i+1 < len(args) && !verb && fatal.Has(argv.Base(args[i].Text))
}

// Remote reports one whose commands run elsewhere.
func Remote(name string) bool {
	return remoteRunners.Has(name) || program.Said(name, "elsewhere") != ""
}

// Handled reports a program whose arguments are judged by code, or are a command.
func Handled(w *shell.Walker, name string) bool {
	return tableOf(w).Does[name] != nil || HandsOn(name) || loader(name)
}

// HandsOn reports a program of the shell's own, or one whose arguments are a command.
func HandsOn(name string) bool { return shell.Builtin(name) != nil || program.WrapperOf(name) != nil }

// HookOptions judges the options of a program that run other programs.
func HookOptions(w *shell.Walker, st *shell.State, name string, args []effect.Arg) {
	m := program.Of(name)
	if m == nil || m.Carrier == nil {
		return
	}
	h := m.Carrier
	if strings.HasSuffix(name, "tar") && len(args) > 0 && !strings.HasPrefix(args[0].Text, "-") {
		if !w.Spend(len(args[0].Text) / 16) {
			return
		}
		args = argv.Dashed(args)
	}
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a.Text == "--" || w.Stopped {
			return
		}
		if len(a.Text) < 2 || a.Text[0] != '-' {
			if name == "ssh" || name == "watchexec" || name == "entr" || strings.HasSuffix(name, "trace") || name == "go" &&
				a.Text == "--" {
				return // what follows is the command
			}
			continue
		}
		option, kind, value, next := h.Read(a, args[i+1:])
		if next {
			i++
		}
		if kind != "" {
			Value(w, st, kind, name+" "+option, value)
		}
	}
}
