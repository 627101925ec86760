package shell

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
)

// Dialect is what a request is judged as: "posix", "bash", "argv", "powershell" or
// "cmd".
func Dialect(in Input) string {
	switch {
	case len(in.Argv) > 0:
		return "argv"
	case in.Dialect == "bash", in.Dialect == "powershell", in.Dialect == "cmd":
		return in.Dialect
	}
	return "posix"
}

// Passes are the ways the text may be read. /bin/sh is dash on one host and
// bash on the next, and `[[ a > f ]]` truncates f in one of them: a command for
// it must be harmless in both. On a third it is busybox, where braces are read as
// dash does and the rest nearly as bash.
func Passes(in Input) []syntax.LangVariant {
	switch {
	case Dialect(in) != "posix":
		return []syntax.LangVariant{syntax.LangBash}
	case strings.Contains(in.Command, "$") && mayBrace(in.Command):
		return []syntax.LangVariant{syntax.LangBash, langAsh, syntax.LangPOSIX}
	}
	return []syntax.LangVariant{syntax.LangBash, syntax.LangPOSIX}
}

// langAsh is bash without brace expansion; the parser has no name for it.
const langAsh = syntax.LangVariant(1 << 30)

// New is a walker for one way of reading a request.
func New(in Input, world place.World, lang syntax.LangVariant, p Programs) *Walker {
	w := &Walker{
		World: world, Programs: p, In: in, Lang: lang, Limit: MaxSteps, Pipes: map[string]effect.Stream{},
		sinks: map[string]func(effect.Stream){},
	}
	w.At = Origin{Field: w.Field(), mapped: true, Whole: w.Whole()}
	return w
}

// Field is the field of the request that is judged.
func (w *Walker) Field() string {
	if len(w.In.Argv) > 0 {
		return "argv"
	}
	return "command"
}

// Whole is all of that, or the program of an argv.
func (w *Walker) Whole() effect.Span {
	if len(w.In.Argv) > 0 {
		return effect.Span{Start: 0, End: len(w.In.Argv[0])}
	}
	return effect.Span{Start: 0, End: len(w.In.Command)}
}

// Walk is one pass over the request.
func (w *Walker) Walk() {
	if w.Closed != "" {
		w.Emit(effect.Effect{Kind: effect.Closed, Text: w.Closed, Span: w.Whole()})
		return
	}
	if (w.In.Command == "") == (len(w.In.Argv) == 0) {
		w.Emit(effect.Effect{Kind: effect.Problem, Name: effect.ProblemInput})
		return
	}
	// What $1 holds here is not known: the text may be run as a script.
	st := &State{Cwds: []string{cmp.Or(w.In.Cwd, "/")}, loose: true}
	w.Dirs = st.Cwds
	w.requestEnv()
	w.asWritten()
	if len(w.In.Argv) > 0 {
		w.argv(st)
		return
	}
	if d := Dialect(w.In); d == "powershell" || d == "cmd" {
		w.windows(st, d)
		return
	}
	w.text(st, w.In.Command, effect.Stream{})
	w.exit(st)
}

// windows judges text for a shell that has no grammar here.
func (w *Walker) windows(st *State, dialect string) {
	text := w.In.Command
	if problem, at := unreadable(text); problem != "" && problem != effect.ProblemNesting {
		w.Emit(effect.Effect{Kind: effect.Problem, Name: problem, Span: w.Within(at, at+1)})
		return
	}
	w.Programs.Text(w, st, dialect, text)
}

func (w *Walker) requestEnv() {
	if len(w.In.Env) > MaxSteps {
		w.Stop(effect.ProblemBudget)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(w.In.Env)) {
		if value := w.In.Env[name]; value != nil && w.Spend(1+len(*value)/256) {
			w.Emit(effect.Effect{
				Kind: effect.Env, Name: name, Text: *value, Source: effect.Source{Field: "env", Name: name},
				Span: effect.Span{Start: 0, End: len(*value)},
			})
		}
	}
}

// argv judges a program that no shell starts.
func (w *Walker) argv(st *State) {
	args := make([]effect.Arg, len(w.In.Argv))
	total := 0
	for i, text := range w.In.Argv {
		total += len(text)
		span := effect.Span{Start: 0, End: len(text)}
		if at := BadArg(text); at >= 0 {
			w.EmitAt(effect.Arg{Index: i, Span: span}, effect.Effect{Kind: effect.Problem, Name: effect.ProblemBytes})
			return
		}
		args[i] = effect.Arg{Text: text, Index: i, Span: span, Exact: true}
	}
	if total > effect.MaxBytes {
		w.Emit(effect.Effect{Kind: effect.Problem, Name: effect.ProblemSize, Span: w.Whole()})
		return
	}
	w.At.mapped = false
	w.Run(st, args, effect.Stream{})
}

// Input is what to judge: exactly one of Command, Argv and Commands.
type Input struct {
	Command  string             // shell text
	Argv     []string           // a program and its arguments, no shell
	Commands []string           // shell texts that run one after the other, each in a shell of its own
	Cwd      string             // resolved, absolute
	Env      map[string]*string // variables the request sets; nil unsets one
	Dialect  string             // "bash", "powershell", "cmd", or "posix" (default): any /bin/sh
}

// asWritten is the request's own text for the rules that look at text. Both
// passes read the same bytes, so one of them is enough.
func (w *Walker) asWritten() {
	if w.Lang != Passes(w.In)[0] {
		return
	}
	text := w.In.Command
	if len(w.In.Argv) > 0 {
		text = Typed(w.In.Argv)
		if w.Commands {
			w.Emit(effect.Effect{Kind: effect.Command, Name: effect.WrittenCommand, Text: text, Span: w.Whole()})
		}
	}
	w.Emit(effect.Effect{Kind: effect.Text, Name: w.Field(), Text: text, Span: w.Whole()})
}

// Typed is argv as one would type it, so that ["git status; x"] does not
// read like the program git.
func Typed(list []string) string {
	words := make([]string, len(list))
	for i, a := range list {
		if words[i] = a; a == "" || strings.ContainsAny(a, " \t\n;&|<>()$`\\\"'*?[]{}#~!") {
			words[i] = argv.Quote(a)
		}
	}
	return strings.Join(words, " ")
}

// written writes down one command of the request as the source has it, with its
// redirections and once for each place. Text handed to another shell is part of
// the command that hands it over, and not written down again.
func (w *Walker) written(s *syntax.Stmt) {
	if w.nested > 0 || !w.At.mapped || !w.Commands {
		return
	}
	name := writtenAs(s)
	if name == "" {
		return
	}
	start, end := extent(s)
	span := w.At.span(s)
	if start < 0 || end > len(w.At.text) || start > end || w.seen[span] {
		return
	}
	put(&w.seen, span, true)
	w.Emit(effect.Effect{Kind: effect.Command, Name: name, Text: w.At.text[start:end], Span: span})
}

// writtenAs is "" for what only holds other commands.
func writtenAs(s *syntax.Stmt) string {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		if len(c.Args) > 0 {
			return effect.WrittenCommand
		}
		return effect.WrittenAssign
	case *syntax.FuncDecl:
		return effect.WrittenFunction
	case *syntax.Block, *syntax.Subshell, *syntax.BinaryCmd, *syntax.IfClause, *syntax.WhileClause, *syntax.ForClause,
		*syntax.CaseClause:
		if len(s.Redirs) > 0 {
			return effect.WrittenShell
		}
		return ""
	}
	return effect.WrittenShell
}

// extent is where a statement's command and redirections stand, without what
// ends it: `&` is no part of `git fetch &`.
func extent(s *syntax.Stmt) (start, end int) {
	start, end = -1, -1
	widen := func(n syntax.Node) {
		a, b := offsets(n)
		if start < 0 || a < start {
			start = a
		}
		end = max(end, b)
	}
	if s.Cmd != nil {
		widen(s.Cmd)
	}
	for _, r := range s.Redirs {
		widen(r)
	}
	return start, end
}
