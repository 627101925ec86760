package guard

import (
	"io"
	"strconv"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// substitutions holds what was already learnt about the substitutions of a word.
type substitutions struct {
	out   map[*syntax.CmdSubst]string
	files map[*syntax.ProcSubst]string
	from  []string // the programs that printed
}

func (w *walker) config(st *state, s substitutions) *expand.Config {
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
func (w *walker) walkSubstitutions(st *state, node syntax.Node) substitutions {
	s := substitutions{}
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			if s.out == nil {
				s.out = map[*syntax.CmdSubst]string{}
			}
			out := w.substitute(st, "$(…)", n, n.Stmts, w.stdin)
			s.out[n], s.from = out.text, append(s.from, out.from...)
			return false
		case *syntax.ProcSubst:
			if s.files == nil {
				s.files = map[*syntax.ProcSubst]string{}
			}
			s.files[n] = w.procSubst(st, n)
			return false
		}
		return true
	})
	return s
}

func (w *walker) substitute(st *state, construct string, n syntax.Node, stmts []*syntax.Stmt, in stream) stream {
	defer w.enter(construct, "", w.at.span(n))()
	pick, picks := w.pick, w.picks
	w.pick, w.picks = 0, 0
	w.captured++
	fds := w.fds
	defer func() { w.pick, w.picks, w.fds, w.captured = pick, picks, fds, w.captured-1 }()
	st = st.subshell()
	out := w.stmts(st, stmts, in)
	w.exit(st)
	return out
}

// procSubst gives each <(…) a file name of its own and remembers its content,
// because `bash <(curl …)` is a pipe into a shell. What is written to a >(…) is
// known only later; then it is walked again.
func (w *walker) procSubst(st *state, n *syntax.ProcSubst) string {
	name := "/dev/fd/" + strconv.Itoa(63+len(w.pipes))
	if n.Op == syntax.CmdOut {
		at := w.at
		w.pipes[name] = stream{}
		w.substitute(st, ">(…)", n, n.Stmts, stream{})
		st = st.subshell()
		w.sinks[name] = func(in stream) {
			outer := w.at
			defer func() { w.at = outer }()
			w.at = at
			w.substitute(st, ">(…)", n, n.Stmts, in)
		}
		return name
	}
	w.pipes[name] = w.substitute(st, "<(…)", n, n.Stmts, somewhere)
	return name
}
