package run

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// wrap takes a wrapper's own arguments off and judges the command after them.
func wrap(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	name := argv.Base(args[0].Text)
	if loader(name) {
		name = "ld.so"
	}
	wr := program.WrapperOf(name)
	values, rest := wr.Spec.Leading(args[1:])
	defer w.Enter(name, argv.Summary(args[1:]), args[0].Span)()
	st = Chdirs(w, st, values)
	Touch(w, st, values, nil)
	if name == "script" && len(rest) > 0 { // what it records
		w.Path(st, effect.Write, rest[0])
	}
	if code, ok := InlineCode(name, args[1:], rest); ok {
		return w.Code(st.Child(), name, code, w.Lang, in)
	}
	rest, st = takeVariables(w, st, name, rest)
	if name == "script" && len(rest) < 2 && argv.Given(args[1:], "-q", "--quiet") {
		w.EmitAt(args[0], effect.Effect{Kind: effect.Marked, Name: "secret/keys", Text: "script"})
	}
	if name == "script" && len(rest) > 0 { // BSD's command
		launch(w, st, rest[1:], in)
	}
	if name == "su" || name == "script" {
		return effect.Somewhere
	}
	operands := wr.Operands
	if name == "setarch" && len(rest) > 0 && Judges(w, rest[0].Text) { // -3 alone keeps the architecture
		operands = 0
	}
	if len(rest) <= operands {
		return effect.Passed(in, name) // a bare env prints every variable
	}
	own := rest[:operands]
	rest = rest[operands:]
	if operands > 0 && (name == "setarch" || rest[0].Text == "--") {
		if _, rest = wr.Spec.Leading(rest); len(rest) == 0 {
			return effect.Somewhere
		}
	}
	if name == "chroot" || name == "flock" && strings.Trim(own[0].Text, "0123456789") != "" {
		w.Path(st, effect.Read, own[0])
	}
	if text, ok := shellText(name, args, rest); ok {
		return w.Code(st.Child(), name, text, w.Lang, in)
	}
	if (name == "npx" || name == "bunx" || name == "pnpx") && !Judges(w, rest[0].Text) {
		ProjectFiles(w, st, program.Unversioned(argv.Base(rest[0].Text)), rest[1:])
		return effect.Somewhere // a package, no program of the system
	}
	if !w.Deeper() {
		return effect.Somewhere
	}
	defer w.Back()
	if strings.HasSuffix(name, "db") && strings.Contains(rest[0].Text, effect.Unknown) { // gdb looks at it
		w.Path(st, effect.Read, rest[0])
		return effect.Somewhere
	}
	return w.Exec(st, rest, in)
}

// shellText is the command of a wrapper that hands it to a shell.
func shellText(name string, args, rest []effect.Arg) (effect.Arg, bool) {
	own := args[1 : len(args)-len(rest)]
	switch name {
	case "watch", "gwatch":
		return effect.Joined(rest), !argv.Has(own, "-x", "--exec")
	case "hyperfine":
		code := rest[0]
		code.Text, code.Exact = strings.Join(effect.Texts(rest), "\n"), code.Exact && len(rest) == 1
		return code, true
	case "flock":
		if len(rest) > 1 && (rest[0].Text == "-c" || rest[0].Text == "--command") {
			return rest[1], true
		}
	case "entr":
		if slices.ContainsFunc(own, func(a effect.Arg) bool { return argv.Cluster(a.Text, "s") }) {
			return rest[0], true
		}
	}
	return effect.Arg{}, false
}

// InlineCode is shell text in an option: su -c, script -qc, env -S. For su and its kin it
// may come after the user's name; env's own text ends at its command, and what follows is
// added to it.
func InlineCode(name string, args, rest []effect.Arg) (effect.Arg, bool) {
	letter, long := "c", "--command"
	switch name {
	case "env", "genv":
		letter, long = "S", "--split-string"
		args = args[:len(args)-len(rest)]
	case "npx":
		long = "--call"
		args = args[:len(args)-len(rest)]
	case "runuser":
		if own := args[:len(args)-len(rest)]; argv.Given(own, "-u", "--user") {
			args = own // what follows is a command, with options of its own
		}
	case "su", "script":
	default:
		return effect.Arg{}, false
	}
	found := argv.Values(args, "-"+letter, long)
	if len(found) == 0 {
		return effect.Arg{}, false
	}
	code := found[0]
	if letter == "S" && len(rest) > 0 {
		for _, a := range rest {
			code.Text += " " + argv.Quote(a.Text)
		}
		code.Exact = false
	}
	return code, true
}

// takeVariables takes NAME=value words off, as env and sudo do.
func takeVariables(w *shell.Walker, st *shell.State, name string, rest []effect.Arg) ([]effect.Arg, *shell.State) {
	if !slices.Contains([]string{"env", "genv", "sudo", "doas", "cross-env"}, name) {
		return rest, st
	}
	st = st.Clone()
	for len(rest) > 0 && w.Spend(1) {
		key, value, ok := strings.Cut(rest[0].Text, "=")
		if !ok || key == "" {
			break
		}
		w.EmitAt(rest[0], effect.Effect{Kind: effect.Env, Name: key, Text: value})
		st.Assign(key, shell.Constant(value), rest[0].From)
		st.Export(key)
		rest = rest[1:]
	}
	return rest, st
}

// loader reports the dynamic loader, which runs its first operand:
// `/lib64/ld-linux-x86-64.so.2 /bin/rm`.
func loader(name string) bool {
	return strings.HasPrefix(name, "ld-linux") || strings.HasPrefix(name, "ld-musl")
}
