package shell

import (
	"io"
	"strconv"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

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
			if s.out == nil {
				s.out = map[*syntax.CmdSubst]string{}
			}
			out := w.substitute(st, "$(…)", n, n.Stmts, w.stdin)
			s.out[n], s.from = out.Text, append(s.from, out.From...)
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

func (w *Walker) substitute(st *State, construct string, n syntax.Node, stmts []*syntax.Stmt,
	in effect.Stream,
) effect.Stream {
	defer w.Enter(construct, "", w.At.span(n))()
	pick, picks := w.pick, w.picks
	w.pick, w.picks = 0, 0
	w.captured++
	fds := w.fds
	defer func() { w.pick, w.picks, w.fds, w.captured = pick, picks, fds, w.captured-1 }()
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
