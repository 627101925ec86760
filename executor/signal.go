package executor

import (
	"maps"
	"slices"
)

// Signals are the names that Signal knows here, in alphabetical order.
func Signals() []string { return slices.Sorted(maps.Keys(signals)) }

// Signal sends a signal to every process of a command's tree; unlike Cancel it is
// no reason for its end. It reports whether there was one to send it to. Errors:
// *SignalError, *UnknownError.
func (e *Engine) Signal(id, name string) (delivered bool, err error) {
	sig, known := signals[name]
	if !known {
		return false, &SignalError{Name: name, Supported: Signals()}
	}
	run, err := e.find(id)
	if run == nil {
		return false, err
	}
	e.mu.Lock()
	p := run.proc
	e.mu.Unlock()
	return p != nil && p.Signal(sig) == nil, nil
}

// Write puts a write into its place in a command's input; Write.Wait tells what
// became of it. It never waits itself. Errors: *UnknownError, *StdinError,
// *StdinFullError.
func (e *Engine) Write(id string, w *Write) error {
	run, err := e.find(id)
	switch {
	case err != nil:
		return err
	case run == nil:
		w.finish()
		return nil
	case run.input == nil:
		return &StdinError{ID: id}
	}
	return run.input.admit(id, w)
}

// find is the command of that id; nil without an error is one that has ended.
func (e *Engine) find(id string) (*Run, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if run, ok := e.runs[id]; ok {
		return run, nil
	}
	if e.shelf.knows(id) {
		return nil, nil
	}
	return nil, &UnknownError{ID: id}
}

// CancelAll stops every command that waits or runs, and says how many it was the
// first to stop.
func (e *Engine) CancelAll() (signalled int) {
	e.mu.Lock()
	runs := slices.Clone(e.order)
	e.mu.Unlock()
	for _, r := range runs {
		if _, did := r.Cancel(Cancelled, false); did {
			signalled++
		}
	}
	return signalled
}
