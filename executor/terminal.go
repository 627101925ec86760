package executor

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/pillion-sidecar/pillion/executor/spool"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// Terminal asks for a pseudo-terminal. Sizes are in characters.
type Terminal struct {
	Rows, Cols int
	Term       string // TERM, "" is defaultTerm
}

const (
	defaultTerm = "xterm-256color"
	mostCells   = 10_000 // rows or columns; programs allocate by them
)

// check refuses a size; at is the member that has it.
func (t Terminal) check(at string) error {
	for _, side := range []struct {
		name string
		n    int
	}{{"/rows", t.Rows}, {"/cols", t.Cols}} {
		if side.n < 1 || side.n > mostCells {
			return &ParamError{Path: at + side.name, Expected: fmt.Sprintf("1 to %d", mostCells), Got: strconv.Itoa(side.n)}
		}
	}
	return nil
}

// HasTerminals says whether a Request may ask for one on this platform.
func HasTerminals() bool { return terminals() }

// tty is a terminal as we have it: its output, its input and the end that is the
// command's.
type tty struct {
	screen, keys *os.File
	theirs       *os.File         // nil where console is not
	console      *sandbox.Console // Windows
}

func checkTerminal(r Request) error {
	switch t := r.Terminal; {
	case t == nil:
		return nil
	case r.OnBackground == Leave:
		return &ParamError{Path: "/onBackground", Expected: `"kill": a terminal ends with its command, and takes along what uses it`, Got: `"leave"`}
	case !terminals():
		return &ParamError{Path: "/pty", Expected: "no terminal on this platform", Got: "one"}
	}
	return r.Terminal.check("/pty")
}

// terminal gives the command a pseudo-terminal for all of its stdio.
func (s *step) terminal(c sandbox.Command) (sandbox.Command, error) {
	t, err := s.openScreen()
	if err != nil {
		return c, s.undo(c, err)
	}
	c.Terminal, c.Stdin, c.Console = true, t.theirs, t.console
	s.keep(s.streams[0], t.screen)
	s.stdin = t.keys
	if t.theirs == nil {
		return c, nil
	}
	if c.Stdout, err = spool.Duplicate(t.theirs); err == nil {
		c.Stderr, err = spool.Duplicate(t.theirs)
	}
	if err != nil {
		return c, s.undo(c, err)
	}
	return c, nil
}

// openScreen opens it in the size it has by now.
func (l *life) openScreen() (*tty, error) {
	l.engine.mu.Lock()
	defer l.engine.mu.Unlock()
	t, err := openTerminal(*l.req.Terminal)
	l.screen = t
	return t, err
}

// entry is where the command's input goes.
func (s *step) entry() io.WriteCloser {
	if s.req.Terminal == nil {
		return s.stdin
	}
	return typist{s.stdin}
}

// typist ends a terminal's input as a person does: by Ctrl-D, or what there is
// in its place.
type typist struct{ *os.File }

// Close types it.
func (t typist) Close() error {
	_, _ = t.WriteString(endOfInput)
	if closesKeys {
		return t.File.Close()
	}
	return nil
}

// Resize sets the size of a command's terminal; programs get SIGWINCH. Errors:
// *UnknownError, *TerminalError, *ParamError.
func (e *Engine) Resize(id string, rows, cols int) error {
	t := Terminal{Rows: rows, Cols: cols}
	if err := t.check("/size"); err != nil {
		return err
	}
	run, err := e.find(id)
	switch {
	case err != nil || run == nil:
		return err
	case run.req.Terminal == nil:
		return &TerminalError{ID: id}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if run.screen == nil { // it will start with this size
		run.req.Terminal.Rows, run.req.Terminal.Cols = rows, cols
		return nil
	}
	setSize(run.screen, t) // of one that is gone by now it has no effect
	return nil
}
