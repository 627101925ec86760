package guard

import (
	"slices"
	"strings"
	"sync"
)

// flagSet is how an interpreter reads its short options. Exact arities matter:
// `perl -pi -e CODE` and `perl -pie CODE` are different programs.
type flagSet struct {
	code   string // take code: the rest of the word, or the next
	value  string // take a value: the rest of the word, or the next
	rest   string // take the rest of the word, if any
	digits string // take digits
	long   string // long options with code
	named  string // long options with a value
}

var interpreterFlags = sync.OnceValue(func() map[string]flagSet {
	return map[string]flagSet{
		"python":    {code: "c", value: "mWX", named: "--check-hash-based-pycs"},
		"node":      {code: "ep", value: "rC", long: "--eval --print", named: "--require --import --loader --experimental-loader --conditions --env-file --title --input-type --test-reporter --test-name-pattern --watch-path"},
		"perl":      {code: "eE", value: "MmI", rest: "iFdDxV", digits: "0lC"},
		"ruby":      {code: "e", value: "rICE", rest: "iFxKWT", digits: "0"},
		"php":       {code: "rBRE", value: "dcfFzSt", long: "--run --process-begin --process-code --process-end", named: "--define --file --server --docroot --php-ini"},
		"lua":       {code: "e", value: "l"},
		"r":         {code: "e", rest: "g", named: "--file"},
		"julia":     {code: "eE", value: "pLCJtm", long: "--eval --print", named: "--load --project --threads"},
		"osascript": {code: "e", value: "ls"},
		"tcl":       {code: "c", value: "f"},
	}
})

// invocation is an interpreter's command line, sorted.
type invocation struct {
	code     []arg
	options  []operandOf
	operands []arg
	files    bool // -n and -p: the operands are read line by line
	inplace  bool // -i: and written
	prints   bool // node -p
}

// operandOf is a value with the letter or name of its option.
type operandOf struct {
	name string
	arg
}

// parse sorts an interpreter's arguments.
func (f flagSet) parse(args []arg) (v invocation) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a.text == "--" {
			v.operands = append(v.operands, args[i+1:]...)
			return v
		}
		if len(a.text) < 2 || a.text[0] != '-' {
			v.operands = append(v.operands, args[i:]...)
			return v
		}
		var done bool
		if strings.HasPrefix(a.text, "--") {
			i += f.longOption(&v, a, args[i+1:])
		} else {
			var used int
			used, done = f.cluster(&v, a, args[i+1:])
			i += used
		}
		if done {
			v.operands = append(v.operands, args[min(i+1, len(args)):]...)
			return v
		}
	}
	return v
}

func (f flagSet) longOption(v *invocation, a arg, rest []arg) (used int) {
	name, value, joined := strings.Cut(a.text, "=")
	code := slices.Contains(strings.Fields(f.long), name)
	if !code && !slices.Contains(strings.Fields(f.named), name) {
		return 0
	}
	v.prints = v.prints || name == "--print"
	if joined {
		a.text, a.exact = value, false
	} else {
		if len(rest) == 0 {
			return 0
		}
		a, used = rest[0], 1
	}
	if code {
		v.code = append(v.code, a)
	} else {
		v.options = append(v.options, operandOf{name, a})
	}
	return used
}

// cluster is one word of short options. done is Python's -c and -m, after which
// everything belongs to the program.
func (f flagSet) cluster(v *invocation, a arg, rest []arg) (used int, done bool) {
	letters := a.text[1:]
	for i := 0; i < len(letters); i++ {
		c, tail := letters[i], letters[i+1:]
		is := func(set string) bool { return strings.IndexByte(set, c) >= 0 }
		switch {
		case is(f.digits):
			for i+1 < len(letters) && (digit(letters[i+1]) || letters[i+1] == 'x') {
				i++
			}
		case c == 'i' && is(f.rest):
			v.inplace = true
			return 0, false
		case is(f.rest):
			return 0, false
		case c == 'p' && f.long != "" && strings.HasPrefix(tail, "e"): // node -pe
			v.prints = true
		case is(f.code) || is(f.value):
			a.exact = false
			a.text = tail
			if tail == "" {
				if len(rest) == 0 {
					return 0, false
				}
				a, used = rest[0], 1
			}
			if is(f.code) {
				v.code = append(v.code, a)
				v.prints = v.prints || c == 'p'
			} else {
				v.options = append(v.options, operandOf{string(c), a})
			}
			return used, (c == 'c' || c == 'm') && f.named == "--check-hash-based-pycs"
		case c == 'n' || c == 'p':
			v.files = true
		}
	}
	return 0, false
}

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
