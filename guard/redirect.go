package guard

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirects judges where a statement reads from and writes to. It answers the
// statement's input, and whether its output goes elsewhere.
func (w *walker) redirects(st *state, list []*syntax.Redirect, in stream) (_ stream, out bool) {
	for _, r := range list {
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			in = stream{text: w.document(st, r.Hdoc), open: true}
		case syntax.WordHdoc:
			in = stream{text: w.literal(st, r.Word) + "\n", open: true}
		case syntax.DplIn, syntax.DplOut:
			in, out = w.duplicate(st, r, in, out)
		case syntax.RdrIn:
			in = w.input(st, r)
		default: // every other one opens for writing, <> too
			w.output(st, r)
			out = out || r.N == nil || r.N.Value == "1" || r.Op == syntax.RdrAll || r.Op == syntax.AppAll
		}
	}
	return in, out
}

func (w *walker) target(st *state, r *syntax.Redirect) arg {
	a := w.place(r.Word)
	a.text = w.literal(st, r.Word)
	return a
}

func (w *walker) input(st *state, r *syntax.Redirect) stream {
	a := w.target(st, r)
	if s, ok := w.pipes[a.text]; ok {
		return through(s)
	}
	w.path(st, kindRead, a)
	return stream{text: unknown, open: a.text != "/dev/null", file: true}
}

func (w *walker) output(st *state, r *syntax.Redirect) {
	a := w.target(st, r)
	if a.text == "!" { // zsh reads `>! file` as >| file
		w.emit(effect{kind: kindProblem, name: problemOpaque, span: a.span})
	}
	w.path(st, kindWrite, a)
}

// duplicate is <&3 and >&2, or in bash `>& file`.
func (w *walker) duplicate(st *state, r *syntax.Redirect, in stream, out bool) (stream, bool) {
	a := w.target(st, r)
	if strings.Trim(a.text, "0123456789") == "" || strings.TrimRight(a.text, "-") == "" || a.text == unknown {
		return in, out || r.Op == syntax.DplOut && r.N == nil && a.text == "2"
	}
	if r.Op == syntax.DplIn {
		return w.input(st, r), out
	}
	w.path(st, kindWrite, a)
	return in, true
}
