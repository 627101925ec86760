package proc

import (
	"errors"
	"sync"
	"syscall"
	"time"
)

// Tree is everything of one command, or of a sandbox. macOS has nothing that holds
// processes together as a pid namespace does, and kqueue follows no children any more
// (NOTE_TRACK is gone); so we look, and look again until nothing is left.
type Tree struct {
	Marks *Marks // nil where nothing is confined

	mu     sync.Mutex
	Family *family
}

// NewTree is that of a process; m knows the processes in its sandbox.
func NewTree(root int, m *Marks) *Tree {
	return &Tree{Marks: m, Family: NewFamily(root, startOf(root))}
}

// Look finds who is there.
func (t *Tree) Look() ([]Row, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	table, err := Table()
	if err != nil {
		return nil, err
	}
	if t.Marks == nil {
		return t.Family.look(table, nil), nil
	}
	return t.Family.look(table, t.Marks.Has), nil
}

// Signal sends it to every process. macOS has no pidfd: a number could be another
// process's by now, had ten thousands of processes begun since we looked.
func (t *Tree) Signal(sig syscall.Signal) (sent []Row, err error) {
	rows, err := t.Look()
	errs := []error{err}
	for _, r := range rows {
		if err := syscall.Kill(r.Pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
			errs = append(errs, err)
		}
	}
	return rows, errors.Join(errs...)
}

// stopRounds bounds how often everybody is stopped before the killing begins.
const stopRounds = 8

// Kill ends all of it. A tree that forks faster than we kill is stopped first: who is
// stopped forks no more.
func (t *Tree) Kill() error {
	for last, round := -1, 0; round < stopRounds; round++ {
		rows, err := t.Signal(syscall.SIGSTOP)
		if err != nil || len(rows) == last {
			break // who can't be stopped may still be killed
		}
		last = len(rows)
	}
	_, err := t.Signal(syscall.SIGKILL)
	return err
}

// End kills until nothing is left.
func (t *Tree) End(most time.Duration) error {
	for until := time.Now().Add(most); ; time.Sleep(time.Millisecond) {
		rows, err := t.Look()
		if err == nil && len(rows) == 0 {
			return nil
		}
		if time.Now().After(until) {
			return errors.Join(ErrStillThere, err)
		}
		_ = t.Kill() // what it could not do is seen at the next look
	}
}
