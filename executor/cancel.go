package executor

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"
)

// cause carries a Reason through context.WithCancelCause.
type cause Reason

func (c cause) Error() string { return string(c) }

// Cancel records why the run ends, unless something came first, and starts
// ending it: SIGTERM to the whole tree, SIGKILL after the grace or at once with
// force. It returns when that is under way, not when the tree is dead.
func (r *Run) Cancel(why Reason, force bool) (State, bool) {
	r.engine.mu.Lock()
	state := r.state
	r.engine.mu.Unlock()
	if state == StateFinished {
		return state, false
	}
	first := r.ctx.Err() == nil
	if force {
		r.once.Do(func() { close(r.hard) }) // first: those who see the end see how
	}
	r.cancel(cause(why))
	r.press(why)
	return state, first || force
}

// reason is the first recorded cause, "" while there is none.
func (r *Run) reason() Reason {
	var c cause
	if errors.As(context.Cause(r.ctx), &c) {
		return Reason(c)
	}
	return ""
}

// hurry sets the grace. Once the command has been asked to end it is only made shorter,
// and still counts from then: nobody waits longer for an end that was promised.
func (r *Run) hurry(d time.Duration) {
	r.engine.mu.Lock()
	defer r.engine.mu.Unlock()
	if r.ctx.Err() != nil && int64(d) >= r.grace.Load() {
		return
	}
	r.grace.Store(int64(d))
	select {
	case r.shorter <- struct{}{}:
	default:
	}
}

// stopped is the error of a run that was stopped before it started.
func (r *Run) stopped(phase string) error {
	if r.ctx.Err() != nil {
		return &CancelledError{Phase: phase, Why: r.reason()}
	}
	return nil
}

// Signals are the names that Signal knows here, in alphabetical order.
func Signals() []string { return slices.Sorted(maps.Keys(signals)) }

// Signal sends a signal to every process of a command's tree; unlike Cancel it doesn't set
// the reason for its end. It reports whether there was one to send it to. Errors:
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

// Write puts a write into its place in a command's input; Write.Wait says what happened to
// it. It never waits itself. Errors: *UnknownError, *StdinError,
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
