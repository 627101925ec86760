package guard

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// sent says where a statement's output goes.
type sent struct {
	stdout bool // not to where the statement's own would go
	stderr bool // it goes to the error output
	merged bool // the error output goes where the output goes
	append bool
	fails  bool // perhaps: a file to read from may be missing
	files  []arg
}

// redirects judges where a statement reads from and writes to. It answers the
// statement's input, and where its output goes.
func (w *walker) redirects(st *state, list []*syntax.Redirect, in stream) (stream, sent) {
	var to sent
	for _, r := range list {
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			text, from := w.document(st, r)
			if r.Op == syntax.DashHdoc {
				text = untabbed(text)
			}
			in = w.opened(r, in, stream{text: text, from: from})
		case syntax.WordHdoc:
			text, from := w.value(st, r.Word)
			in = w.opened(r, in, stream{text: text + "\n", from: from})
		case syntax.DplIn, syntax.DplOut:
			in = w.duplicate(st, r, in, &to)
		case syntax.RdrIn:
			file := w.input(st, r)
			to.fails = to.fails || file.file && file.open
			in = w.opened(r, in, file)
		default: // every other one opens for writing, <> too
			a := w.target(st, r)
			if a.text == "!" { // zsh reads `>! file` as >| file
				w.emit(effect{kind: kindProblem, name: problemOpaque, span: a.span})
			}
			w.path(st, kindWrite, a)
			if slices.Contains(outputs, a.text) && r.Op != syntax.RdrAll && r.Op != syntax.AppAll {
				break // `echo x > /dev/stdout | sh` feeds sh all the same
			}
			if r.N == nil || r.N.Value == "1" || r.Op == syntax.RdrAll || r.Op == syntax.AppAll {
				to.stdout, to.files = true, append(to.files, a)
				to.append = r.Op == syntax.AppOut || r.Op == syntax.AppAll
			}
		}
	}
	if to.fails { // none of them is there then
		for _, r := range list {
			if r.N != nil && w.fds[r.N.Value].open {
				s := w.fds[r.N.Value]
				s.maybe = true
				w.describe(r.N.Value, s)
			}
		}
	}
	return in, to
}

// outputs are names of the standard output.
var outputs = []string{"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}

// opened is a statement's input after one more redirection; what stands behind
// another descriptor is remembered for <&3 and read -u 3.
func (w *walker) opened(r *syntax.Redirect, in, s stream) stream {
	if !s.file && s.text != "" {
		s = through(s)
	}
	if r.N == nil || r.N.Value == "0" {
		return s
	}
	w.describe(r.N.Value, s)
	return in
}

// describe remembers what a descriptor reads. In a branch it may not.
func (w *walker) describe(fd string, s stream) {
	s.maybe = s.maybe || w.branch > 0
	fds := maps.Clone(w.fds)
	if fds == nil {
		fds = map[string]stream{}
	}
	fds[fd] = s
	w.fds = fds
}

// undescribe closes what was opened for one command; exec opens for good.
func (w *walker) undescribe(s *syntax.Stmt, outer map[string]stream) {
	if call, ok := s.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 && call.Args[len(call.Args)-1].Lit() == "exec" {
		return
	}
	for _, r := range s.Redirs {
		if r.N == nil || len(w.fds) == 0 {
			continue
		}
		w.fds = maps.Clone(w.fds)
		if old, ok := outer[r.N.Value]; ok {
			w.fds[r.N.Value] = old
		} else {
			delete(w.fds, r.N.Value)
		}
	}
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

// standard reports a name of the standard input.
func standard(text string) bool {
	return text == "-" || text == "/dev/stdin" || text == "/dev/fd/0" || text == "/proc/self/fd/0"
}

// duplicate is <&3 and >&2, or in bash `>& file`.
func (w *walker) duplicate(st *state, r *syntax.Redirect, in stream, to *sent) stream {
	a := w.target(st, r)
	w.duplicates(r, a.text)
	if strings.Trim(a.text, "0123456789") == "" || strings.TrimRight(a.text, "-") == "" || a.text == unknown {
		switch {
		case r.Op == syntax.DplIn && (r.N == nil || r.N.Value == "0"):
			if a.text != "0" { // exec 3< <(…); sh <&3
				return w.fds[a.text]
			}
		case r.Op == syntax.DplIn && a.text == "0": // exec 3<&0
			w.describe(r.N.Value, in)
		case r.Op == syntax.DplIn && w.fds[a.text].open:
			w.describe(r.N.Value, w.fds[a.text])
		case a.text == "2" && (r.N == nil || r.N.Value == "1"):
			to.stdout, to.stderr = true, true
		case a.text == "1" && r.N != nil && r.N.Value == "2":
			to.merged = true
		}
		return in
	}
	if r.Op == syntax.DplIn {
		return w.input(st, r)
	}
	w.path(st, kindWrite, a)
	to.stdout, to.files = true, append(to.files, a)
	return in
}

// untabbed is a document behind <<-, whose lines lose the tabs they begin with.
func untabbed(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimLeft(lines[i], "\t")
	}
	return strings.Join(lines, "")
}
