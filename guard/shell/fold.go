package shell

import (
	"io"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// words folds words to arguments, each with the span of the word it came from.
func (w *Walker) words(st *State, words []*syntax.Word) []effect.Arg {
	args := make([]effect.Arg, 0, len(words))
	for _, word := range words {
		a := w.place(word)
		var fields []string
		fields, a.From = w.trace(st, word)
		first := len(args)
		for _, a.Text = range fields {
			a.Many = several(word, a.Text)
			args = append(args, a)
			if n := len(args) - 2; n >= first && strings.HasPrefix(a.Text, effect.Unknown) {
				args[n].Many = args[n].Many || a.Many // the blank between may not be there
			}
		}
	}
	return args
}

// place is the argument a word makes, before its text. Single quotes keep their
// content byte for byte, so code in them can be pointed into.
func (w *Walker) place(word *syntax.Word) effect.Arg {
	a := effect.Arg{Index: w.At.Index, Span: w.At.span(word)}
	if len(word.Parts) == 1 && w.At.mapped {
		if q, ok := word.Parts[0].(*syntax.SglQuoted); ok && !q.Dollar {
			a.Exact, a.Shift = true, 1
		}
	}
	return a
}

// fields is what a word becomes as arguments of a command.
func (w *Walker) fields(st *State, word *syntax.Word) []string {
	out, _ := w.trace(st, word)
	return out
}

// trace is fields, with the programs whose output went into them.
func (w *Walker) trace(st *State, word *syntax.Word) (fields, from []string) {
	if text, ok := plain(word); ok {
		return []string{text}, nil
	}
	from = w.fold(st, word, func(frozen *syntax.Word, c *expand.Config) {
		fields = w.split(st, word, frozen, c)
	})
	return fields, from
}

// split is the fields of a frozen word, as the dialect's shells see them.
func (w *Walker) split(st *State, word, frozen *syntax.Word, c *expand.Config) []string {
	frozen = w.separated(st, frozen, c)
	if w.Lang == syntax.LangPOSIX {
		if besideList(word) {
			return []string{effect.Unknown}
		}
		return w.unbraced(st, word, withoutBraces(frozen), c)
	}
	if w.Lang == langAsh {
		return w.unbraced(st, word, withoutBraces(frozen), c)
	}
	n := braces(frozen)
	if n > maxBraces || !w.Spend(n/manyArgs) || n > 1 && renames(word) || stretched(word) {
		return []string{effect.Unknown}
	}
	if n > 1 {
		return w.braced(st, frozen, c)
	}
	return w.unbraced(st, word, w.likeAssigned(st, frozen), c)
}

func (w *Walker) unbraced(st *State, word, frozen *syntax.Word, c *expand.Config) []string {
	fields, err := expand.Fields(c, w.beforeColon(st, frozen))
	if err != nil {
		fields = []string{effect.Unknown}
	}
	w.Spend(len(fields) / manyArgs)
	if len(fields) == 1 && fields[0] == "" && w.noWords(st, word) {
		fields = nil
	}
	return fields
}

// fold hands f a word that expand can work on, and answers the programs whose
// output went into it, by way of substitutions and of variables.
func (w *Walker) fold(st *State, word *syntax.Word, f func(*syntax.Word, *expand.Config)) []string {
	start, end := offsets(word)
	w.Spend(1 + (end-start)/128)
	outer := w.stained
	defer func() { w.stained = outer }()
	w.stained = nil
	frozen, subst := w.freeze(st, word)
	f(frozen, w.config(st, subst))
	return effect.Mixed(subst.from, w.stained...)
}

// literal is what a word becomes where it is not split: an assigned value, a
// redirection target.
func (w *Walker) literal(st *State, word *syntax.Word) string {
	text, _ := w.value(st, word)
	return text
}

// value is literal, with the programs whose output went into it.
func (w *Walker) value(st *State, word *syntax.Word) (text string, from []string) {
	if word == nil {
		return "", nil
	}
	if text, ok := plain(word); ok {
		return text, nil
	}
	from = w.fold(st, word, func(frozen *syntax.Word, c *expand.Config) {
		text = orUnknown(expand.Literal(c, withoutEscapes(w.beforeColon(st, frozen))))
	})
	return text, from
}

// orUnknown is text that package expand has made, if it could.
func orUnknown(text string, err error) string {
	if err != nil {
		return effect.Unknown
	}
	return text
}

// document is the text of a here-document. With quotes in the delimiter it is
// literal: its backslashes stay.
func (w *Walker) document(st *State, r *syntax.Redirect) (text string, from []string) {
	word := r.Hdoc
	if word == nil {
		return "", nil
	}
	if hasQuotes(r.Word) || strings.Contains(r.Word.Lit(), `\`) {
		return word.Lit(), nil
	}
	from = w.fold(st, word, func(frozen *syntax.Word, c *expand.Config) {
		text = orUnknown(expand.Document(c, frozen))
	})
	return text, from
}

// plain is the fast path: most words are one literal without special characters.
func plain(word *syntax.Word) (string, bool) {
	if len(word.Parts) != 1 {
		return "", false
	}
	switch p := word.Parts[0].(type) {
	case *syntax.Lit:
		return p.Value, !strings.ContainsAny(p.Value, `\~{`)
	case *syntax.SglQuoted:
		return p.Value, !p.Dollar
	}
	return "", false
}

// substitutions holds what was already learnt about the substitutions of a word.
type substitutions struct {
	out   map[*syntax.CmdSubst]string
	files map[*syntax.ProcSubst]string
	from  []string // the programs that printed
}

func (w *Walker) config(st *State, s substitutions) *expand.Config {
	return &expand.Config{
		Env: environ{w, st},
		CmdSubst: func(out io.Writer, n *syntax.CmdSubst) error {
			_, err := io.WriteString(out, s.out[n])
			return err
		},
		ProcSubst: func(n *syntax.ProcSubst) (string, error) { return s.files[n], nil },
	}
}

// walkSubstitutions judges every command in a word, also those in a branch that
// expand would not take (${x:-$(…)}), each of them once.
func (w *Walker) walkSubstitutions(st *State, node syntax.Node) substitutions {
	s := substitutions{}
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			out := w.substitute(st, "$(…)", n, n.Stmts, w.stdin)
			put(&s.out, n, out.Text)
			s.from = append(s.from, out.From...)
			return false
		case *syntax.ProcSubst:
			put(&s.files, n, w.procSubst(st, n))
			return false
		}
		return true
	})
	return s
}

func (w *Walker) substitute(st *State, construct string, n syntax.Node, stmts []*syntax.Stmt,
	in effect.Stream,
) effect.Stream {
	defer w.Enter(construct, "", w.At.span(n))()
	outer, fds := w.ways, w.fds
	w.ways = ways{}
	w.captured++
	defer func() { w.ways, w.fds, w.captured = outer, fds, w.captured-1 }()
	st = st.Subshell()
	out := w.stmts(st, stmts, in)
	w.exit(st)
	return out
}

// procSubst gives each <(…) a file name of its own and remembers its content, because
// `bash <(curl …)` is a pipe into a shell. Text that is written to a >(…) is known only
// later; then it is walked again.
func (w *Walker) procSubst(st *State, n *syntax.ProcSubst) string {
	name := "/dev/fd/" + strconv.Itoa(63+len(w.Pipes))
	if n.Op == syntax.CmdOut {
		at := w.At
		w.Pipes[name] = effect.Stream{}
		w.substitute(st, ">(…)", n, n.Stmts, effect.Stream{})
		st = st.Subshell()
		w.sinks[name] = func(in effect.Stream) {
			defer w.Stand(at)()
			w.substitute(st, ">(…)", n, n.Stmts, in)
		}
		return name
	}
	w.Pipes[name] = w.substitute(st, "<(…)", n, n.Stmts, effect.Somewhere)
	return name
}
