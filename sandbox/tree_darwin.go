package sandbox

import (
	"errors"
	"sync"
	"syscall"
	"time"
)

// tree is everything of one command, or of a sandbox. macOS has nothing that holds
// processes together as a pid namespace does, and kqueue follows no children any more
// (NOTE_TRACK is gone); so we look, and look again until nothing is left.
type tree struct {
	marks *marks // nil where nothing is confined

	mu     sync.Mutex
	family *family
}

func newTree(root int, m *marks) *tree {
	return &tree{marks: m, family: newFamily(root, startOf(root))}
}

// look finds who is there.
func (t *tree) look() ([]procRow, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	table, err := processTable()
	if err != nil {
		return nil, err
	}
	if t.marks == nil {
		return t.family.look(table, nil), nil
	}
	return t.family.look(table, t.marks.has), nil
}

// signal sends it to every process. macOS has no pidfd: a number could be somebody
// else's by now, had ten thousands of processes begun since we looked.
func (t *tree) signal(sig syscall.Signal) (sent []procRow, err error) {
	rows, err := t.look()
	errs := []error{err}
	for _, r := range rows {
		if err := syscall.Kill(r.pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
			errs = append(errs, err)
		}
	}
	return rows, errors.Join(errs...)
}

// stopRounds bounds how often everybody is stopped before the killing begins.
const stopRounds = 8

// kill ends all of it. A tree that forks faster than we kill is stopped first: who is
// stopped forks no more.
func (t *tree) kill() error {
	for last, round := -1, 0; round < stopRounds; round++ {
		rows, err := t.signal(syscall.SIGSTOP)
		if err != nil || len(rows) == last {
			break // who can't be stopped may still be killed
		}
		last = len(rows)
	}
	_, err := t.signal(syscall.SIGKILL)
	return err
}

var errStillThere = errors.New("processes are left that can't be ended")

// end kills until nothing is left.
func (t *tree) end(most time.Duration) error {
	for until := time.Now().Add(most); ; time.Sleep(time.Millisecond) {
		rows, err := t.look()
		if err == nil && len(rows) == 0 {
			return nil
		}
		if time.Now().After(until) {
			return errors.Join(errStillThere, err)
		}
		_ = t.kill() // what it could not do is seen at the next look
	}
}
