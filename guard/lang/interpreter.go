package lang

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// Interpreter judges a program in another language: code on the command line by
// its content, code on the standard input by where it comes from too.
func Interpreter(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	name := argv.Base(args[0].Text)
	l := LanguageOf(name)
	out := effect.Stream{Text: effect.Unknown, Open: true, From: effect.Mixed(in.From, name)}
	rest := args[1:]
	if name == "deno" || name == "bun" {
		var ok bool
		if rest, ok = subcommand(w, st, name, rest); !ok {
			return out
		}
	}
	v := interpreterFlags()[l.Name].parse(rest)
	if l.Name == "osascript" && slices.ContainsFunc(v.options, func(o operandOf) bool {
		return strings.EqualFold(o.Text, "JavaScript")
	}) {
		l = &javascript
	}
	interpreterOptions(w, st, l, args[0], v)
	switch {
	case len(v.code) > 0:
		code := v.code[0]
		for _, c := range v.code[1:] { // perl -e A -e B is one program
			code.Text, code.Exact = code.Text+"\n"+c.Text, false
		}
		Foreign(w, st, l, name+" -"+interpreterFlags()[l.Name].code[:1], code, v.operands, in, v.prints)
		inputFiles(w, st, v)
	case slices.ContainsFunc(v.options, func(o operandOf) bool { return l == &Python && o.name == "m" }):
		module(w, st, v, in)
	case len(v.operands) > 0 && !shell.Standard(v.operands[0].Text):
		scriptFile(w, st, l, args[0], v.operands, in)
	default:
		stdinCode(w, st, l, args[0], v.operands, in)
	}
	return out
}

// subcommand is deno eval CODE and bun run file; false ends the matter.
func subcommand(w *shell.Walker, st *shell.State, name string, rest []effect.Arg) ([]effect.Arg, bool) {
	if len(rest) == 0 || strings.HasPrefix(rest[0].Text, "-") {
		return rest, true
	}
	switch verb := rest[0].Text; {
	case verb == "eval" && name == "deno":
		rest = slices.DeleteFunc(slices.Clone(rest[1:]), func(a effect.Arg) bool { return strings.HasPrefix(a.Text, "-") })
		if len(rest) > 0 {
			Foreign(w, st, &javascript, "deno eval", rest[0], rest[1:], effect.Stream{}, false)
		}
		return nil, false
	case verb == "run" || verb == "repl":
		rest = rest[1:]
		for len(rest) > 0 && strings.HasPrefix(rest[0].Text, "-") && len(rest[0].Text) > 1 && rest[0].Text != "--eval" {
			rest = rest[1:]
		}
		return rest, true
	case strings.ContainsAny(verb, "./"):
		return rest, true
	}
	run.Operands(w, st, name, rest)
	return nil, false
}

// inputFiles are the operands of perl -ne and perl -i.
func inputFiles(w *shell.Walker, st *shell.State, v invocation) {
	if !v.files && !v.inplace {
		return
	}
	k := effect.Read
	if v.inplace {
		k = effect.Write
	}
	for _, a := range v.operands {
		w.Path(st, k, a)
	}
	for _, c := range v.code {
		if v.inplace {
			w.Change(st, v.operands, strings.Join(substituted(c.Text), "\n"))
		}
	}
}

// interpreterOptions are what an interpreter loads before the program.
func interpreterOptions(w *shell.Walker, st *shell.State, l *Language, program effect.Arg, v invocation) {
	for _, o := range v.options {
		switch {
		case l == &php && (o.name == "d" || o.name == "--define"):
			phpSetting(w, st, o.Arg)
		case l == &perl && (o.name == "M" || o.name == "m"):
			if strings.ContainsAny(o.Text, ";({") {
				Foreign(w, st, l, "perl -M", o.Arg, nil, effect.Stream{}, false)
			}
		case strings.HasPrefix(o.Text, "data:") || strings.Contains(o.Text, "://"):
			w.EmitAt(o.Arg, effect.Effect{Kind: effect.Hook, Name: argv.Base(program.Text), Text: o.Text})
		case l == &php && (o.name == "S" || o.name == "z"), o.name == "m", o.name == "W", o.name == "X":
		case strings.ContainsAny(o.Text, "/") || o.name == "f" || o.name == "c":
			w.Path(st, effect.Read, o.Arg)
		}
	}
}

// phpSetting is php -d auto_prepend_file=…, which runs a file first.
func phpSetting(w *shell.Walker, st *shell.State, a effect.Arg) {
	name, value, _ := strings.Cut(a.Text, "=")
	if name != "auto_prepend_file" && name != "auto_append_file" && name != "extension" && name != "zend_extension" {
		return
	}
	if strings.Contains(value, ":") {
		w.EmitAt(a, effect.Effect{Kind: effect.Hook, Name: "php -d " + name, Text: value})
		return
	}
	if a.Text, a.Exact = value, false; strings.Contains(value, "/") || !strings.HasSuffix(name, "extension") {
		w.Path(st, effect.Read, a)
	}
}

// module is python -m NAME with the arguments of that module.
func module(w *shell.Walker, st *shell.State, v invocation, in effect.Stream) {
	i := slices.IndexFunc(v.options, func(o operandOf) bool { return o.name == "m" })
	run.HookOptions(w, st, v.options[i].Text, v.operands)
	switch name := v.options[i].Text; name {
	case "timeit", "cProfile", "pdb":
		for _, a := range v.operands {
			if name == "timeit" && !strings.HasPrefix(a.Text, "-") {
				Foreign(w, st, &Python, "python -m timeit", a, nil, in, false)
			}
		}
	case "pty":
		w.EmitAt(v.options[i].Arg, effect.Effect{Kind: effect.Shell, Name: "python -m pty", Text: "python -m pty"})
	default:
		run.Operands(w, st, name, v.operands)
		run.ProjectFiles(w, st, name, v.operands) // python -m pytest
		RunSource(w, st, &Python, "python -m", v.options[i].Tail(name+".py"))
	}
}

// scriptFile is a program in a file. Its content is the sandbox's business.
func scriptFile(w *shell.Walker, st *shell.State, l *Language, program effect.Arg, operands []effect.Arg,
	in effect.Stream,
) {
	file := operands[0]
	if s, ok := w.Pipes[file.Text]; ok {
		stdinCode(w, st, l, program, operands, effect.Through(s))
		return
	}
	if strings.Contains(file.Text, "://") && !strings.HasPrefix(file.Text, "file:") { // deno run https://…
		w.EmitAt(file, effect.Effect{Kind: effect.Code, Name: l.Name, Text: file.Text})
		return
	}
	for _, s := range w.Contents(st, file.Text) {
		switch {
		case effect.Foreign(s.From):
			unseenInput(w, program, argv.Base(program.Text), effect.Through(s))
		case !strings.HasPrefix(s.Text, effect.Unknown): // otherwise as good as any script of the workspace
			construct := argv.Base(program.Text) + " " + file.Text
			Foreign(w, st, l, construct, file.Instead(s.Text, s.From), operands[1:], in, false)
		}
	}
	w.Path(st, effect.Read, file)
	run.HookOptions(w, st, argv.Base(file.Text), operands[1:]) // manage.py shell -c
	run.HookInput(w, st, argv.Base(file.Text), operands[1:], in)
}

// stdinCode is a program on the standard input, if it can be read.
func stdinCode(w *shell.Walker, st *shell.State, l *Language, program effect.Arg, operands []effect.Arg,
	in effect.Stream,
) {
	if !in.Open || in.File {
		return
	}
	name := argv.Base(program.Text)
	if in.Text == effect.Unknown || effect.Fetched(in.From) {
		unseenInput(w, program, name, in)
		return
	}
	Foreign(w, st, l, name+" < …", program.Instead(in.Text, in.From), operands, effect.Stream{}, false)
}

// unseenInput reports code that comes out of another program.
func unseenInput(w *shell.Walker, a effect.Arg, language string, in effect.Stream) {
	if in.Open && !in.File && len(in.From) > 0 {
		w.EmitAt(a, effect.Effect{Kind: effect.Code, Name: language, Text: language + " < …", From: in.From})
	}
}
