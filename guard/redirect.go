package guard

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// sent says where a statement's output goes.
type sent struct {
	stdout bool // not to where the statement's own would go
	append bool
	files  []arg
}

// redirects judges where a statement reads from and writes to. It answers the
// statement's input, and where its output goes.
func (w *walker) redirects(st *state, list []*syntax.Redirect, in stream) (stream, sent) {
	var to sent
	for _, r := range list {
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			text, from := w.document(st, r.Hdoc)
			in = through(stream{text: text, from: from})
		case syntax.WordHdoc:
			text, from := w.value(st, r.Word)
			in = through(stream{text: text + "\n", from: from})
		case syntax.DplIn, syntax.DplOut:
			in = w.duplicate(st, r, in, &to)
		case syntax.RdrIn:
			in = w.input(st, r)
		default: // every other one opens for writing, <> too
			a := w.target(st, r)
			w.path(st, kindWrite, a)
			if r.N == nil || r.N.Value == "1" || r.Op == syntax.RdrAll || r.Op == syntax.AppAll {
				to.stdout, to.files = true, append(to.files, a)
				to.append = r.Op == syntax.AppOut || r.Op == syntax.AppAll
			}
		}
	}
	return in, to
}

func (w *walker) target(st *state, r *syntax.Redirect) arg {
	a := w.place(r.Word)
	a.text, a.from = w.value(st, r.Word)
	return a
}

func (w *walker) input(st *state, r *syntax.Redirect) stream {
	a := w.target(st, r)
	if s, ok := w.pipes[a.text]; ok {
		return through(s)
	}
	w.path(st, kindRead, a)
	if s, ok := w.content(st, a.text); ok {
		return through(s)
	}
	return stream{text: unknown, open: a.text != "/dev/null", file: true}
}

// duplicate is <&3 and >&2, or in bash `>& file`.
func (w *walker) duplicate(st *state, r *syntax.Redirect, in stream, to *sent) stream {
	a := w.target(st, r)
	if strings.Trim(a.text, "0123456789") == "" || strings.TrimRight(a.text, "-") == "" || a.text == unknown {
		to.stdout = to.stdout || r.Op == syntax.DplOut && r.N == nil && a.text == "2"
		return in
	}
	if r.Op == syntax.DplIn {
		return w.input(st, r)
	}
	w.path(st, kindWrite, a)
	to.stdout, to.files = true, append(to.files, a)
	return in
}
