package guard

import "mvdan.cc/sh/v3/syntax"

// mkfifo makes queues: what one command writes to them another reads, whichever
// comes first in the text.
func mkfifo(w *walker, st *state, args []arg, _ stream) stream {
	w.operands(st, "mkfifo", args[1:])
	for _, a := range args[1:] {
		if w.fifos == nil {
			w.fifos = map[string]bool{}
		}
		w.fifos[a.text] = true
	}
	return stream{}
}

// queues remembers a statement that reads from a fifo; it is walked again with
// what is written there: `sh < p & echo 'rm -rf /' > p`.
func (w *walker) queues(st *state, s *syntax.Stmt) {
	if len(w.fifos) == 0 || s.Cmd == nil {
		return
	}
	for _, r := range s.Redirs {
		if r.Op != syntax.RdrIn || r.Word == nil {
			continue
		}
		name, known := plain(r.Word)
		if !known || !w.fifos[name] {
			continue
		}
		at, cmd, then := w.at, s.Cmd, st.subshell()
		w.sinks[name] = func(in stream) {
			outer := w.at
			defer func() { w.at = outer }()
			w.at = at
			w.command(then, cmd, in)
		}
	}
}
