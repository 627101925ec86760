package shell

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
)

// CommandText judges shell text that another program runs. Where some words are
// unknown, but nothing is that a shell would read as more than a word, the others
// still tell what runs.
func (w *Walker) CommandText(st *State, construct string, a effect.Arg) effect.Stream {
	if strings.Contains(a.Text, effect.Unknown) && a.Text != effect.Unknown && !strings.ContainsAny(a.Text, ";|&`$(<>\n") {
		w.RunWords(st, construct, a)
		return effect.Somewhere
	}
	return w.Code(st.Clone(), construct, a, w.Lang, effect.Stream{})
}

// RunWords judges a command of which some words are unknown: the program counts.
func (w *Walker) RunWords(st *State, construct string, a effect.Arg) {
	defer w.Enter(construct, a.Text, a.Span)()
	var args []effect.Arg
	for _, word := range strings.Fields(a.Text) {
		args = append(args, a.Instead(strings.Trim(word, `"'`), nil))
	}
	w.Run(st.Clone(), args, effect.Stream{})
}

// Dialects are the shells whose -c and standard input we read.
var Dialects = sync.OnceValue(func() map[string]syntax.LangVariant {
	all := map[string]syntax.LangVariant{}
	for names, lang := range map[string]syntax.LangVariant{
		"sh dash ash posh yash":  syntax.LangPOSIX,
		"osh ysh bash rbash zsh": syntax.LangBash,
		"fish csh tcsh":          syntax.LangBash, // near enough for what they run
		"ksh mksh":               syntax.LangMirBSDKorn,
	} {
		for name := range strings.FieldsSeq(names) {
			all[name] = lang
		}
	}
	return all
})

// Code walks text that a shell started by the command would run. Parts of it
// that are only known at run time stand for one word each, unless the program
// begins with one, or they came from where nobody could read them.
func (w *Walker) Code(st *State, construct string, a effect.Arg, lang syntax.LangVariant,
	in effect.Stream,
) effect.Stream {
	defer w.Enter(construct, a.Text, a.Span)()
	if effect.Initialised(a.From) && strings.HasPrefix(a.Text, effect.Unknown) {
		a.Text, a.Exact = ": "+a.Text, false
	}
	if strings.Contains(a.Text, effect.Unknown) && (effect.Foreign(a.From) ||
		strings.HasPrefix(strings.TrimLeft(a.Text, " \t\n"), effect.Unknown)) {
		w.EmitAt(a, effect.Effect{Kind: effect.Code, Name: "shell", Text: construct, From: a.From})
		return effect.Somewhere
	}
	defer w.Inside(a)()
	defer func(outer syntax.LangVariant) { w.Lang = outer }(w.Lang)
	w.Lang = lang
	w.Spend(4 + len(a.Text)/16) // parsing the same text level after level adds up
	return w.text(st, a.Text, in)
}

// fed is code that reaches a shell as data: a pipe, a here-document.
func (w *Walker) fed(st *State, shell effect.Arg, in effect.Stream, lang syntax.LangVariant) effect.Stream {
	if !in.Open || in.File { // a terminal; or as good as `sh file`, not ours to read
		return effect.Somewhere
	}
	construct := argv.Base(shell.Text) + " < …"
	return w.Code(st, construct, shell.Instead(in.Text, in.From), lang, effect.Somewhere)
}

// shell is sh, bash and their kin: -c TEXT, a script file, or standard input.
func shell(w *Walker, st *State, args []effect.Arg, in effect.Stream) effect.Stream {
	lang := Dialects()[argv.Base(args[0].Text)]
	if argv.Base(args[0].Text) == "sh" && w.Lang != 0 {
		lang = w.Lang // /bin/sh is what this pass takes it for
	}
	st = st.Child()
	defer func() { w.exit(st) }()
	rest := args[1:]
	command, stdin, idle := false, false, false
	for len(rest) > 0 {
		opt := rest[0].Text
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
				w.Script(st, args[0], rest[0], lang)
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
		return effect.Somewhere
	case command && len(rest) > 0:
		st.positional(rest[min(2, len(rest)):])
		if len(rest) > 1 {
			st.set("0", Constant(rest[1].Text))
		}
		return w.Code(st, argv.Base(args[0].Text)+" -c", rest[0], lang, in)
	case stdin || len(rest) == 0 || Standard(rest[0].Text):
		if !stdin || len(rest) > 0 && rest[0].Text == "-" { // behind -s every operand is one of $1…
			rest = rest[min(1, len(rest)):]
		}
		st.positional(rest)
		return w.fed(st, args[0], in, lang)
	}
	st.positional(rest[1:])
	return w.Script(st, args[0], rest[0], lang)
}

// Script is a file given to an interpreter. Its content is the sandbox's
// business, unless this very command makes it.
func (w *Walker) Script(st *State, program, file effect.Arg, lang syntax.LangVariant) effect.Stream {
	if s, ok := w.Pipes[file.Text]; ok {
		return w.fed(st, program, effect.Through(s), lang)
	}
	w.Paths(st, effect.Effect{Kind: effect.Read, Discreet: true}, file)
	if argv.Base(program.Text) != "source" && argv.Base(program.Text) != "." {
		st.set("0", Constant(file.Text))
	}
	st.set("BASH_SOURCE", Constant(file.Text))
	for _, s := range w.Contents(st, file.Text) {
		if strings.HasPrefix(s.Text, effect.Unknown) && !effect.Unread(s.From) {
			continue // as good as any script of the workspace
		}
		construct := argv.Base(program.Text) + " " + file.Text
		w.Code(st, construct, file.Instead(s.Text, s.From), lang, effect.Somewhere)
	}
	return effect.Somewhere
}

// asFound is a command whose program this command has written into a directory of
// PATH, or that another program starts by a plain name, with where it stands.
func (w *Walker) asFound(st *State, args []effect.Arg) []effect.Arg {
	name := args[0].Text
	if strings.Contains(name, "/") {
		return args
	}
	for dir := range strings.SplitSeq(w.Get(st, "PATH"), ":") {
		if dir == "" || strings.Contains(dir, effect.Unknown) || !w.Spend(1) {
			continue
		}
		if file := strings.TrimSuffix(dir, "/") + "/" + name; len(w.Contents(st, file)) > 0 {
			return append([]effect.Arg{effect.Renamed(args[0], file)}, args[1:]...)
		}
	}
	if w.nested > 0 && !w.Programs.Known(name) && len(w.Contents(st, name)) > 0 {
		return append([]effect.Arg{effect.Renamed(args[0], "./"+name)}, args[1:]...)
	}
	return args
}

// Executable begins what is kept of a program's copy, as it begins a program; the
// program's path follows. `cp /bin/sh ./x; ./x -c …` is sh under another name.
const Executable = "\x7fELF"

// RunMade judges a program that this very command has written: `./x`.
func (w *Walker) RunMade(st *State, args []effect.Arg, in effect.Stream) {
	if !strings.Contains(args[0].Text, "/") {
		return
	}
	dialect := scriptDialects[strings.ToLower(path.Ext(args[0].Text))]
	for _, s := range w.Contents(st, args[0].Text) {
		if dialect != "" && !strings.HasPrefix(s.Text, effect.Unknown) && !strings.HasPrefix(s.Text, "#!") &&
			!strings.HasPrefix(s.Text, Executable) {
			w.otherShell(st, args[0].Tail(s.Text), dialect)
			continue
		}
		argv := append([]effect.Arg{effect.Renamed(args[0], "/bin/sh")}, args...)
		if program, ok := strings.CutPrefix(s.Text, Executable); ok {
			argv = append([]effect.Arg{effect.Renamed(args[0], program)}, args[1:]...)
		} else if line, ok := strings.CutPrefix(s.Text, "#!"); ok {
			line, _, _ = strings.Cut(line, "\n")
			words := strings.Fields(line)
			argv = argv[1:]
			for _, word := range slices.Backward(words) {
				argv = append([]effect.Arg{effect.Renamed(args[0], word)}, argv...)
			}
		}
		if !w.Deeper() {
			return
		}
		w.Exec(st.Subshell(), argv, in)
		w.Back()
	}
}

// scriptDialects are the shells without a grammar here, by the ending of their scripts.
var scriptDialects = map[string]string{".ps1": "powershell", ".psm1": "powershell", ".bat": "cmd", ".cmd": "cmd"}

// otherShell judges the text of a script for such a shell.
func (w *Walker) otherShell(st *State, a effect.Arg, dialect string) {
	if !w.Deeper() {
		return
	}
	defer w.Back()
	defer w.Enter(dialect, a.Text, a.Span)()
	a.Exact = false // there is no map of what they read
	defer w.Inside(a)()
	w.Programs.Text(w, st.Clone(), dialect, a.Text)
}

func eval(w *Walker, st *State, args []effect.Arg, in effect.Stream) effect.Stream {
	if len(args) < 2 {
		return effect.Stream{}
	}
	return w.Code(st, "eval", effect.Joined(args[1:]), w.Lang, in) // in this very shell: cd and variables last
}

func source(w *Walker, st *State, args []effect.Arg, in effect.Stream) effect.Stream {
	if len(args) < 2 { // of fish's, the input
		return w.fed(st, args[0], in, w.Lang)
	}
	if args[1].Text != "-" && Standard(args[1].Text) {
		return w.fed(st, args[0], in, w.Lang)
	}
	w.unlocked = w.unlocked || place.SecretPath(cmp.Or(w.Locate(st, args[1].Text).Path, args[1].Text))
	if args[1].Text == effect.Unknown && !effect.Foreign(args[1].From) { // . "$HELPER"
		w.EmitAt(args[1], effect.Effect{Kind: effect.Code, Name: "shell", Text: args[0].Text + " …", From: args[1].From})
	}
	return w.Script(st, args[0], args[1], w.Lang)
}

// text parses and walks shell text in the current origin and dialect.
func (w *Walker) text(st *State, text string, in effect.Stream) effect.Stream {
	if w.Stopped {
		return effect.Somewhere
	}
	readable := text
	if w.nested > 0 { // here the mark of unknown text is ours
		readable = strings.ReplaceAll(text, effect.Unknown, "x")
	}
	if problem, at := unreadable(readable); problem != "" {
		w.Emit(effect.Effect{Kind: effect.Problem, Name: problem, Span: w.Within(at, at+1)})
		return effect.Somewhere
	}
	w.At.text = text
	file, err := parse(text, w.Lang)
	var bash *syntax.File
	if err != nil && w.Lang == syntax.LangPOSIX {
		bash = w.bashism(st, text)
	}
	if err != nil && bash == nil {
		w.Emit(effect.Effect{
			Kind: effect.Problem, Name: effect.ProblemSyntax, Text: err.Error(),
			Span: w.Within(errorOffset(err), len(text)),
		})
	}
	if w.nested > 0 {
		w.Inner = true
	} else {
		w.File = file
	}
	w.obscure(file, text)
	if strings.Contains(text, "(") || strings.Contains(text, "function") {
		w.bombs(file)
	}
	if strings.ContainsAny(text, "-+") && strings.Contains(text, "${") {
		w.registerDefaults(st, file)
	}
	if strings.Contains(text, ">") {
		w.floods(file)
	}
	if strings.Contains(text, "yes") || strings.Contains(text, "/dev/") {
		w.hoards(file)
	}
	if err != nil {
		w.Spend(MaxSteps / 100)
	}
	if bash != nil {
		w.stmts(st.Clone(), file.Stmts, in)
		file = bash
	}
	return w.stmts(st, slices.Clip(file.Stmts), in)
}

// Within is a span of the text being walked, in the source.
func (w *Walker) Within(start, end int) effect.Span {
	if !w.At.mapped {
		return w.At.Whole
	}
	return w.At.clamp(start, end)
}
