package guard

import (
	"slices"
	"strings"
)

// interpreter judges a program in another language: code on the command line by
// its content, code on the standard input by where it comes from too.
func interpreter(w *walker, st *state, args []arg, in stream) stream {
	name := base(args[0].text)
	l := languageOf(name)
	out := stream{text: unknown, open: true, from: mixed(in.from, name)}
	rest := args[1:]
	if name == "deno" || name == "bun" {
		var ok bool
		if rest, ok = subcommand(w, st, name, rest); !ok {
			return out
		}
	}
	v := interpreterFlags()[l.name].parse(rest)
	if l.name == "osascript" && slices.ContainsFunc(v.options, func(o operandOf) bool { return strings.EqualFold(o.text, "JavaScript") }) {
		l = &javascript
	}
	w.interpreterOptions(st, l, args[0], v)
	switch {
	case len(v.code) > 0:
		code := v.code[0]
		for _, c := range v.code[1:] { // perl -e A -e B is one program
			code.text, code.exact = code.text+"\n"+c.text, false
		}
		w.foreign(st, l, name+" -"+interpreterFlags()[l.name].code[:1], code, v.operands, in, v.prints)
		w.inputFiles(st, v)
	case slices.ContainsFunc(v.options, func(o operandOf) bool { return l == &python && o.name == "m" }):
		w.module(st, v, in)
	case len(v.operands) > 0 && !standard(v.operands[0].text):
		w.scriptFile(st, l, args[0], v.operands, in)
	default:
		w.stdinCode(st, l, args[0], v.operands, in)
	}
	return out
}

// subcommand is deno eval CODE and bun run file; false ends the matter.
func subcommand(w *walker, st *state, name string, rest []arg) ([]arg, bool) {
	if len(rest) == 0 || strings.HasPrefix(rest[0].text, "-") {
		return rest, true
	}
	switch verb := rest[0].text; {
	case verb == "eval" && name == "deno":
		rest = slices.DeleteFunc(slices.Clone(rest[1:]), func(a arg) bool { return strings.HasPrefix(a.text, "-") })
		if len(rest) > 0 {
			w.foreign(st, &javascript, "deno eval", rest[0], rest[1:], stream{}, false)
		}
		return nil, false
	case verb == "run" || verb == "repl":
		rest = rest[1:]
		for len(rest) > 0 && strings.HasPrefix(rest[0].text, "-") && len(rest[0].text) > 1 && rest[0].text != "--eval" {
			rest = rest[1:]
		}
		return rest, true
	case strings.ContainsAny(verb, "./"):
		return rest, true
	}
	w.operands(st, name, rest)
	return nil, false
}

// inputFiles are the operands of perl -ne and perl -i.
func (w *walker) inputFiles(st *state, v invocation) {
	if !v.files && !v.inplace {
		return
	}
	k := kindRead
	if v.inplace {
		k = kindWrite
	}
	for _, a := range v.operands {
		w.path(st, k, a)
	}
}

// interpreterOptions are what an interpreter loads before the program.
func (w *walker) interpreterOptions(st *state, l *language, program arg, v invocation) {
	for _, o := range v.options {
		switch {
		case l == &php && (o.name == "d" || o.name == "--define"):
			w.phpSetting(st, o.arg)
		case l == &perl && (o.name == "M" || o.name == "m"):
			if strings.ContainsAny(o.text, ";({") {
				w.foreign(st, l, "perl -M", o.arg, nil, stream{}, false)
			}
		case strings.HasPrefix(o.text, "data:") || strings.Contains(o.text, "://"):
			w.emitAt(o.arg, effect{kind: kindHook, name: base(program.text), text: o.text})
		case l == &php && (o.name == "S" || o.name == "z"), o.name == "m", o.name == "W", o.name == "X":
		case strings.ContainsAny(o.text, "/") || o.name == "f" || o.name == "c":
			w.path(st, kindRead, o.arg)
		}
	}
}

// phpSetting is php -d auto_prepend_file=…, which runs a file first.
func (w *walker) phpSetting(st *state, a arg) {
	name, value, _ := strings.Cut(a.text, "=")
	if name != "auto_prepend_file" && name != "auto_append_file" && name != "extension" && name != "zend_extension" {
		return
	}
	if strings.Contains(value, ":") {
		w.emitAt(a, effect{kind: kindHook, name: "php -d " + name, text: value})
		return
	}
	if a.text, a.exact = value, false; strings.Contains(value, "/") || !strings.HasSuffix(name, "extension") {
		w.path(st, kindRead, a)
	}
}

// module is python -m NAME with the arguments of that module.
func (w *walker) module(st *state, v invocation, in stream) {
	i := slices.IndexFunc(v.options, func(o operandOf) bool { return o.name == "m" })
	switch name := v.options[i].text; name {
	case "timeit", "cProfile", "pdb":
		for _, a := range v.operands {
			if name == "timeit" && !strings.HasPrefix(a.text, "-") {
				w.foreign(st, &python, "python -m timeit", a, nil, in, false)
			}
		}
	case "pty":
		w.emitAt(v.options[i].arg, effect{kind: kindShell, name: "python -m pty", text: "python -m pty"})
	default:
		w.operands(st, name, v.operands)
		w.project(st, name, v.operands) // python -m pytest
		w.runSource(st, &python, "python -m", v.options[i].tail(name+".py"))
	}
}

// scriptFile is a program in a file. Its content is the sandbox's business.
func (w *walker) scriptFile(st *state, l *language, program arg, operands []arg, in stream) {
	file := operands[0]
	if s, ok := w.pipes[file.text]; ok {
		w.stdinCode(st, l, program, operands, through(s))
		return
	}
	if strings.Contains(file.text, "://") && !strings.HasPrefix(file.text, "file:") { // deno run https://…
		w.emitAt(file, effect{kind: kindCode, name: l.name, text: file.text})
		return
	}
	for _, s := range w.contents(st, file.text) {
		switch {
		case foreign(s.from):
			w.unseen(program, base(program.text), through(s))
		case !strings.HasPrefix(s.text, unknown): // otherwise as good as any script of the workspace
			code := arg{text: s.text, index: file.index, span: file.span, from: s.from}
			w.foreign(st, l, base(program.text)+" "+file.text, code, operands[1:], in, false)
		}
	}
	w.path(st, kindRead, file)
}

// stdinCode is a program on the standard input: read when it can be told.
func (w *walker) stdinCode(st *state, l *language, program arg, operands []arg, in stream) {
	if !in.open || in.file {
		return
	}
	name := base(program.text)
	if in.text == unknown || slices.ContainsFunc(in.from, func(p string) bool { return slices.Contains(downloaders, p) }) {
		w.unseen(program, name, in)
		return
	}
	code := arg{text: in.text, index: program.index, span: program.span, from: in.from}
	w.foreign(st, l, name+" < …", code, operands, stream{}, false)
}

// unseen reports code that comes out of another program.
func (w *walker) unseen(a arg, language string, in stream) {
	if in.open && !in.file && len(in.from) > 0 {
		w.emitAt(a, effect{kind: kindCode, name: language, text: language + " < …", from: in.from})
	}
}
