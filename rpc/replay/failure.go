package replay

import (
	"fmt"
	"strings"
)

// Failure is a statement that did not hold.
type Failure struct {
	File   string
	Line   int
	Title  string // of the scenario
	Want   string // the statement
	Got    string
	Frames []string // the last ones, oldest first
	Stderr string
}

func (f *Failure) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d: %s\n  expected: %s\n  got:      %s\n", f.File, f.Line, f.Title,
		indent(f.Want), indent(f.Got))
	for _, fr := range f.Frames {
		fmt.Fprintf(&b, "  frame %s\n", fr)
	}
	if f.Stderr != "" {
		fmt.Fprintf(&b, "  stderr: %s\n", indent(f.Stderr))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Unmet says why a scenario can't run here.
type Unmet struct{ Need, Reason string }

func (u *Unmet) Error() string { return "needs " + u.Need + ": " + u.Reason }

func indent(s string) string {
	return strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n            ")
}

const (
	lastFrames = 12
	lastStderr = 4000
)

// failure describes what went wrong at a statement.
func (r *run) failure(line int, want string, err error) *Failure {
	f := &Failure{File: r.s.File, Line: line, Title: r.s.Title, Want: want, Got: err.Error()}
	if r.client == nil {
		return f
	}
	all, _, _ := r.client.inbox.snapshot(0)
	for _, m := range all[max(0, len(all)-lastFrames):] {
		at := m.At.Sub(r.begun).Milliseconds()
		mark := " "
		if m.Index == r.cursor {
			mark = ">" // what follows was not looked at or did not fit
		}
		f.Frames = append(f.Frames, fmt.Sprintf("%s%4d %6d ms %s", mark, m.Index, at, short(m.Raw)))
	}
	f.Stderr = r.client.peer.Stderr()
	f.Stderr = f.Stderr[max(0, len(f.Stderr)-lastStderr):]
	return f
}
