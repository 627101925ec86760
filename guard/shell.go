package guard

import (
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// dialects are the shells whose -c and standard input we read.
var dialects = sync.OnceValue(func() map[string]syntax.LangVariant {
	return map[string]syntax.LangVariant{
		"sh": syntax.LangPOSIX, "dash": syntax.LangPOSIX, "ash": syntax.LangPOSIX, "posh": syntax.LangPOSIX, "yash": syntax.LangPOSIX,
		"osh": syntax.LangBash, "ysh": syntax.LangBash, "bash": syntax.LangBash, "rbash": syntax.LangBash, "zsh": syntax.LangBash,
		"ksh": syntax.LangMirBSDKorn, "mksh": syntax.LangMirBSDKorn,
		"fish": syntax.LangBash, "csh": syntax.LangBash, "tcsh": syntax.LangBash, // near enough for what they run
	}
})

// code walks text that a shell started by the command would run. Parts of it
// that are only known at run time stand for one word each, unless the program
// begins with one, or they came from where nobody could read them.
func (w *walker) code(st *state, construct string, a arg, lang syntax.LangVariant, in stream) stream {
	defer w.enter(construct, a.text, a.span)()
	if initialised(a.from) && strings.HasPrefix(a.text, unknown) {
		a.text, a.exact = ": "+a.text, false
	}
	if strings.Contains(a.text, unknown) && (foreign(a.from) || strings.HasPrefix(strings.TrimLeft(a.text, " \t\n"), unknown)) {
		w.emitAt(a, effect{kind: kindCode, name: "shell", text: construct, from: a.from})
		return somewhere
	}
	if w.nested++; w.nested > maxNested {
		w.stop(problemDepth)
	}
	at, outer := w.at, w.lang
	defer func() {
		w.nested--
		w.at, w.lang = at, outer
	}()
	w.at = origin{field: at.field, name: at.name, index: a.index, whole: a.span}
	if a.exact {
		w.at.mapped, w.at.offset = true, a.span.Start+a.shift
	}
	w.lang = lang
	w.spend(4 + len(a.text)/16) // parsing the same text level after level adds up
	return w.text(st, a.text, in)
}

// fed is code that reaches a shell as data: a pipe, a here-document.
func (w *walker) fed(st *state, shell arg, in stream, lang syntax.LangVariant) stream {
	if !in.open || in.file { // a terminal; or as good as `sh file`, not ours to read
		return somewhere
	}
	code := arg{text: in.text, index: shell.index, span: shell.span, from: in.from}
	return w.code(st, base(shell.text)+" < …", code, lang, somewhere)
}

// shell is sh, bash and their kin: -c TEXT, a script file, or standard input.
func shell(w *walker, st *state, args []arg, in stream) stream {
	lang := dialects()[base(args[0].text)]
	if base(args[0].text) == "sh" && w.lang != 0 {
		lang = w.lang // /bin/sh is what this pass takes it for
	}
	st = st.child()
	defer func() { w.exit(st) }()
	rest := args[1:]
	command, stdin, idle := false, false, false
	for len(rest) > 0 {
		opt := rest[0].text
		if len(opt) < 2 || opt[0] != '-' && opt[0] != '+' {
			break
		}
		rest = rest[1:]
		if opt == "--" {
			break
		}
		switch {
		case opt == "--rcfile" || opt == "--init-file":
			if len(rest) > 0 {
				w.script(st, args[0], rest[0], lang)
				rest = rest[1:]
			}
		case strings.HasPrefix(opt, "--"):
			idle = idle || opt == "--version" || opt == "--help"
		default:
			idle = idle || strings.Contains(opt, "n") && opt[0] == '-' // only looks at the syntax
			command = command || strings.Contains(opt, "c") && opt[0] == '-'
			stdin = stdin || strings.Contains(opt, "s") && opt[0] == '-'
			if strings.HasSuffix(opt, "o") || strings.HasSuffix(opt, "O") { // set -o pipefail
				rest = rest[min(1, len(rest)):]
			}
		}
	}
	switch {
	case idle:
		return somewhere
	case command && len(rest) > 0:
		st.positional(rest[min(2, len(rest)):])
		if len(rest) > 1 {
			st.set("0", constant(rest[1].text))
		}
		return w.code(st, base(args[0].text)+" -c", rest[0], lang, in)
	case stdin || len(rest) == 0 || standard(rest[0].text):
		if !stdin || len(rest) > 0 && rest[0].text == "-" { // behind -s every operand is one of $1…
			rest = rest[min(1, len(rest)):]
		}
		st.positional(rest)
		return w.fed(st, args[0], in, lang)
	}
	st.positional(rest[1:])
	return w.script(st, args[0], rest[0], lang)
}

// script is a file given to an interpreter. Its content is the sandbox's
// business, unless this very command makes it.
func (w *walker) script(st *state, program, file arg, lang syntax.LangVariant) stream {
	if s, ok := w.pipes[file.text]; ok {
		return w.fed(st, program, through(s), lang)
	}
	w.paths(st, effect{kind: kindRead, discreet: true}, file)
	if base(program.text) != "source" && base(program.text) != "." {
		st.set("0", constant(file.text))
	}
	st.set("BASH_SOURCE", constant(file.text))
	for _, s := range w.contents(st, file.text) {
		if strings.Contains(s.text, unknown) && !foreign(s.from) && strings.HasPrefix(s.text, unknown) {
			continue // as good as any script of the workspace
		}
		code := arg{text: s.text, index: file.index, span: file.span, from: s.from}
		w.code(st, base(program.text)+" "+file.text, code, lang, somewhere)
	}
	return somewhere
}

// runMade judges a program that this very command has written: `./x`.
func (w *walker) runMade(st *state, args []arg, in stream) {
	for _, s := range w.contents(st, args[0].text) {
		argv := append([]arg{renamed(args[0], "/bin/sh")}, args...)
		if line, ok := strings.CutPrefix(s.text, "#!"); ok {
			line, _, _ = strings.Cut(line, "\n")
			words := strings.Fields(line)
			argv = argv[1:]
			for _, word := range slices.Backward(words) {
				argv = append([]arg{renamed(args[0], word)}, argv...)
			}
		}
		if !w.deeper() {
			return
		}
		w.exec(st.subshell(), argv, in)
		w.nested--
	}
}

func eval(w *walker, st *state, args []arg, in stream) stream {
	if len(args) < 2 {
		return stream{}
	}
	return w.code(st, "eval", joined(args[1:]), w.lang, in) // in this very shell: cd and variables last
}

func source(w *walker, st *state, args []arg, in stream) stream {
	if len(args) < 2 {
		return stream{}
	}
	if args[1].text != "-" && standard(args[1].text) {
		return w.fed(st, args[0], in, w.lang)
	}
	w.unlocked = w.unlocked || secretPath(orElse(w.locate(st, args[1].text).path, args[1].text))
	if args[1].text == unknown && !foreign(args[1].from) { // . "$HELPER"
		w.emitAt(args[1], effect{kind: kindCode, name: "shell", text: args[0].text + " …", from: args[1].from})
	}
	return w.script(st, args[0], args[1], w.lang)
}

// text parses and walks shell text in the current origin and dialect.
func (w *walker) text(st *state, text string, in stream) stream {
	if w.stopped {
		return somewhere
	}
	readable := text
	if w.nested > 0 { // here the mark of unknown text is ours
		readable = strings.ReplaceAll(text, unknown, "x")
	}
	if problem, at := unreadable(readable); problem != "" {
		w.emit(effect{kind: kindProblem, name: problem, span: w.within(at, at+1)})
		return somewhere
	}
	w.at.text = text
	file, err := parse(text, w.lang)
	var bash *syntax.File
	if err != nil && w.lang == syntax.LangPOSIX {
		bash = w.bashism(st, text)
	}
	if err != nil && bash == nil {
		w.emit(effect{kind: kindProblem, name: problemSyntax, text: err.Error(), span: w.within(errorOffset(err), len(text))})
	}
	if w.nested > 0 {
		w.inner = true
	} else {
		w.file = file
	}
	w.obscure(file, text)
	if strings.Contains(text, "(") || strings.Contains(text, "function") {
		w.bombs(file)
	}
	if strings.Contains(text, "-") && strings.Contains(text, "${") {
		w.registerDefaults(st, file)
	}
	if strings.Contains(text, ">") {
		w.floods(file)
	}
	if strings.Contains(text, "yes") || strings.Contains(text, "/dev/") {
		w.hoards(file)
	}
	if err != nil {
		w.spend(maxSteps / 100)
	}
	if bash != nil {
		w.stmts(st.clone(), file.Stmts, in)
		file = bash
	}
	return w.stmts(st, slices.Clip(file.Stmts), in)
}

// within is a span of the text being walked, in the source.
func (w *walker) within(start, end int) Span {
	if !w.at.mapped {
		return w.at.whole
	}
	return w.at.clamp(start, end)
}
