package executor

import (
	"context"
	"errors"
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
		r.once.Do(func() { close(r.hard) }) // first: whoever sees the end sees how
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

// hurry sets the grace. Once the command has been asked to end it is only made
// shorter, and still counts from then: nobody who was promised an end waits longer
// for it.
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
