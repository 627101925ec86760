package shell

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// queues remembers a statement that reads from a fifo; it is walked again with
// what is written there: `sh < p & echo 'rm -rf /' > p`.
func (w *Walker) queues(st *State, s *syntax.Stmt) {
	if len(w.Fifos) == 0 || s.Cmd == nil {
		return
	}
	for _, r := range s.Redirs {
		if r.Op != syntax.RdrIn || r.Word == nil {
			continue
		}
		name, known := plain(r.Word)
		if !known || !w.Fifos[name] {
			continue
		}
		at, cmd, then := w.At, s.Cmd, st.Subshell()
		w.sinks[name] = func(in effect.Stream) {
			defer w.Stand(at)()
			w.command(then, cmd, in)
		}
	}
}

// sent says where a statement's output goes.
type sent struct {
	stdout bool // not to where the statement's own would go
	stderr bool // it goes to the error output
	merged bool // the error output goes where the output goes
	append bool
	fails  bool // perhaps: a file to read from may be missing
	files  []effect.Arg
}

// redirects judges where a statement reads from and writes to. It answers the
// statement's input, and where its output goes.
func (w *Walker) redirects(st *State, list []*syntax.Redirect, in effect.Stream) (effect.Stream, sent) {
	var to sent
	for _, r := range list {
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			text, from := w.document(st, r)
			if r.Op == syntax.DashHdoc {
				text = untabbed(text)
			}
			in = w.opened(r, in, effect.Stream{Text: text, From: from})
		case syntax.WordHdoc:
			text, from := w.value(st, r.Word)
			in = w.opened(r, in, effect.Stream{Text: text + "\n", From: from})
		case syntax.DplIn, syntax.DplOut:
			in = w.duplicate(st, r, in, &to)
		case syntax.RdrIn:
			file := w.input(st, r)
			to.fails = to.fails || file.File && file.Open
			in = w.opened(r, in, file)
		default: // every other one opens for writing, <> too
			a := w.target(st, r)
			if a.Text == "!" { // zsh reads `>! file` as >| file
				w.Emit(effect.Effect{Kind: effect.Problem, Name: effect.ProblemOpaque, Span: a.Span})
			}
			w.Path(st, effect.Write, a)
			if slices.Contains(outputs, a.Text) && r.Op != syntax.RdrAll && r.Op != syntax.AppAll {
				break // `echo x > /dev/stdout | sh` feeds sh all the same
			}
			if r.N == nil || r.N.Value == "1" || r.Op == syntax.RdrAll || r.Op == syntax.AppAll {
				to.stdout, to.files = true, append(to.files, a)
				to.append = r.Op == syntax.AppOut || r.Op == syntax.AppAll
			} else {
				w.describe(r.N.Value, effect.Stream{To: a.Text})
			}
		}
	}
	if to.fails { // none of them is there then
		for _, r := range list {
			if r.N != nil && w.fds[r.N.Value].Open {
				s := w.fds[r.N.Value]
				s.Maybe = true
				w.describe(r.N.Value, s)
			}
		}
	}
	return in, to
}

// outputs are names of the standard output.
var outputs = []string{"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}

// opened is a statement's input after one more redirection; another descriptor's is
// remembered for <&3 and read -u 3.
func (w *Walker) opened(r *syntax.Redirect, in, s effect.Stream) effect.Stream {
	if !s.File && s.Text != "" {
		s = effect.Through(s)
	}
	if r.N == nil || r.N.Value == "0" {
		return s
	}
	w.describe(r.N.Value, s)
	return in
}

// describe remembers what a descriptor reads. In a branch it may not.
func (w *Walker) describe(fd string, s effect.Stream) {
	s.Maybe = s.Maybe || w.branch > 0
	w.fds = maps.Clone(w.fds)
	put(&w.fds, fd, s)
}

// undescribe closes what was opened for one command; exec opens for good.
func (w *Walker) undescribe(s *syntax.Stmt, outer map[string]effect.Stream) {
	if call := callOf(s); call != nil && call.Args[len(call.Args)-1].Lit() == "exec" {
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

func (w *Walker) target(st *State, r *syntax.Redirect) effect.Arg {
	a := w.place(r.Word)
	a.Text, a.From = w.value(st, r.Word)
	return a
}

func (w *Walker) input(st *State, r *syntax.Redirect) effect.Stream {
	a := w.target(st, r)
	if s, ok := w.Pipes[a.Text]; ok {
		return effect.Through(s)
	}
	w.Path(st, effect.Read, a)
	if s, ok := w.Content(st, a.Text); ok {
		return effect.Through(s)
	}
	return effect.Stream{Text: effect.Unknown, Open: a.Text != "/dev/null", File: true}
}

// Standard reports a name of the standard input.
func Standard(text string) bool {
	return text == "-" || text == "/dev/stdin" || text == "/dev/fd/0" || text == "/proc/self/fd/0"
}

// duplicate is <&3 and >&2, or in bash `>& file`.
func (w *Walker) duplicate(st *State, r *syntax.Redirect, in effect.Stream, to *sent) effect.Stream {
	a := w.target(st, r)
	w.duplicates(r, a.Text)
	if strings.Trim(a.Text, "0123456789") == "" || strings.TrimRight(a.Text, "-") == "" || a.Text == effect.Unknown {
		switch {
		case r.Op == syntax.DplIn && (r.N == nil || r.N.Value == "0"):
			if a.Text != "0" { // exec 3< <(…); sh <&3
				return w.fds[a.Text]
			}
		case r.Op == syntax.DplIn && a.Text == "0": // exec 3<&0
			w.describe(r.N.Value, in)
		case r.Op == syntax.DplIn && w.fds[a.Text].Open,
			w.fds[a.Text].To != "" && r.N != nil && r.N.Value != "1": // exec 4>&3
			w.describe(r.N.Value, w.fds[a.Text])
		case w.fds[a.Text].To != "": // exec 3> >(sh); echo … >&3
			to.stdout, to.append, to.files = true, true, append(to.files, a.Instead(w.fds[a.Text].To, nil))
		case a.Text == "2" && (r.N == nil || r.N.Value == "1"):
			to.stdout, to.stderr = true, true
		case a.Text == "1" && r.N != nil && r.N.Value == "2":
			to.merged = true
		}
		return in
	}
	if r.Op == syntax.DplIn {
		return w.input(st, r)
	}
	w.Path(st, effect.Write, a)
	to.stdout, to.files = true, append(to.files, a)
	return in
}

// untabbed is a document after <<-, whose lines lose the tabs they begin with.
func untabbed(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimLeft(lines[i], "\t")
	}
	return strings.Join(lines, "")
}
