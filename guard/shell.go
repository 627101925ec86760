package guard

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// dialects are the shells whose -c and standard input we read.
var dialects = map[string]syntax.LangVariant{
	"sh": syntax.LangPOSIX, "dash": syntax.LangPOSIX, "ash": syntax.LangPOSIX, "posh": syntax.LangPOSIX, "yash": syntax.LangPOSIX,
	"bash": syntax.LangBash, "rbash": syntax.LangBash, "zsh": syntax.LangBash,
	"ksh": syntax.LangMirBSDKorn, "mksh": syntax.LangMirBSDKorn,
}

// code walks text that a shell started by the command would run.
func (w *walker) code(st *state, construct string, a arg, lang syntax.LangVariant, in stream) stream {
	defer w.enter(construct, a.text, a.span)()
	if strings.Contains(a.text, unknown) {
		w.emitAt(a, effect{kind: kindCode, name: "shell", text: construct, from: mixed(in.from, a.from...)})
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
	w.at = origin{field: at.field, index: a.index, whole: a.span}
	if a.exact {
		w.at.mapped, w.at.offset = true, a.span.Start+a.shift
	}
	w.lang = lang
	w.spend(len(a.text) / 32) // parsing the same text level after level adds up
	return w.text(st, a.text, in)
}

// fed is code that reaches a shell as data: a pipe, a here-document.
func (w *walker) fed(st *state, shell arg, in stream, lang syntax.LangVariant) stream {
	if !in.open || in.file { // a terminal; or as good as `sh file`, not ours to read
		return somewhere
	}
	code := arg{text: in.text, index: shell.index, span: shell.span}
	return w.code(st, base(shell.text)+" < …", code, lang, stream{from: in.from})
}

// shell is sh, bash and their kin: -c TEXT, a script file, or standard input.
func shell(w *walker, st *state, args []arg, in stream) stream {
	lang := dialects[base(args[0].text)]
	if base(args[0].text) == "sh" && w.lang != 0 {
		lang = w.lang // /bin/sh is what this pass takes it for
	}
	st = st.clone()
	rest := args[1:]
	command, stdin := false, false
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
				w.path(st, kindRead, rest[0])
				rest = rest[1:]
			}
		case strings.HasPrefix(opt, "--"):
		default:
			command = command || strings.Contains(opt, "c") && opt[0] == '-'
			stdin = stdin || strings.Contains(opt, "s") && opt[0] == '-'
			if strings.HasSuffix(opt, "o") || strings.HasSuffix(opt, "O") { // set -o pipefail
				rest = rest[min(1, len(rest)):]
			}
		}
	}
	switch {
	case command && len(rest) > 0:
		st.params, st.loose = nil, false
		if len(rest) > 2 {
			st.params = texts(rest[2:])
		}
		return w.code(st, base(args[0].text)+" -c", rest[0], lang, in)
	case stdin || len(rest) == 0 || rest[0].text == "-" || rest[0].text == "/dev/stdin":
		st.params, st.loose = texts(rest), stdin
		return w.fed(st, args[0], in, lang)
	}
	return w.script(st, args[0], rest[0], lang)
}

// script is a file given to an interpreter. Its content is the sandbox's
// business, unless this very command makes it.
func (w *walker) script(st *state, program, file arg, lang syntax.LangVariant) stream {
	if s, ok := w.pipes[file.text]; ok {
		return w.fed(st, program, through(s), lang)
	}
	w.paths(st, effect{kind: kindRead, discreet: true}, file)
	return somewhere
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
	if args[1].text == "/dev/stdin" {
		return w.fed(st, args[0], in, w.lang)
	}
	return w.script(st, args[0], args[1], w.lang)
}

func trap(w *walker, st *state, args []arg, in stream) stream {
	rest := args[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0].text, "-") {
		rest = rest[1:]
	}
	if len(rest) < 2 || rest[0].text == "" {
		return stream{}
	}
	w.code(st.clone(), "trap", rest[0], w.lang, in)
	return stream{}
}

func alias(w *walker, st *state, args []arg, _ stream) stream {
	st.aliases = cloneAliases(st.aliases)
	for _, a := range args[1:] {
		if name, text, ok := strings.Cut(a.text, "="); ok {
			a.text, a.exact = text, false
			st.aliases[name] = a
		}
	}
	return stream{}
}

func cloneAliases(m map[string]arg) map[string]arg {
	out := make(map[string]arg, len(m)+1)
	for k, v := range m {
		out[k] = v
	}
	return out
}

// text parses and walks shell text in the current origin and dialect.
func (w *walker) text(st *state, text string, in stream) stream {
	if w.stopped {
		return somewhere
	}
	if problem, at := unreadable(text); problem != "" {
		w.emit(effect{kind: kindProblem, name: problem, span: w.within(at, at+1)})
		return somewhere
	}
	file, err := parse(text, w.lang)
	if err != nil {
		w.emit(effect{kind: kindProblem, name: problemSyntax, text: err.Error(), span: w.within(errorOffset(err), len(text))})
	}
	w.obscure(file, text)
	w.bombs(file)
	w.floods(file)
	if err != nil {
		w.spend(maxSteps / 100)
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
