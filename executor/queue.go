package executor

import (
	"slices"
	"time"
)

// acquire waits for one of the MaxConcurrent slots, first come first served. It
// reports whether it had to wait.
func (r *Run) acquire(s Sink) (waited bool, err error) {
	e := r.engine
	e.mu.Lock()
	if e.running < e.conf.Limits.MaxConcurrent && len(e.waiting) == 0 {
		e.running++
		e.mu.Unlock()
		return false, nil
	}
	r.turn = make(chan struct{})
	e.waiting = append(e.waiting, r)
	position := len(e.waiting)
	e.mu.Unlock()
	_ = s.Queued(position) // a client that is gone ends the run by its cause
	select {
	case <-r.turn:
		return true, nil
	case <-r.ctx.Done():
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if i := slices.Index(e.waiting, r); i >= 0 {
		e.waiting = slices.Delete(e.waiting, i, i+1)
	} else {
		e.handOn() // our turn came together with the cancel
	}
	return true, &CancelledError{Phase: "queued", Why: r.reason()}
}

// release gives the slot to the next in line.
func (r *Run) release() {
	r.engine.mu.Lock()
	defer r.engine.mu.Unlock()
	r.engine.handOn()
}

// handOn gives a slot back and lets start who may; the caller holds mu. How many
// may run is the next one's to say: its settings may be newer than those the slot
// was taken under.
func (e *Engine) handOn() {
	e.running--
	for len(e.waiting) > 0 && e.running < e.waiting[0].engine.conf.Limits.MaxConcurrent {
		next := e.waiting[0]
		e.waiting = e.waiting[1:]
		e.running++
		close(next.turn)
	}
}

// maxBurden bounds what the requests of commands that have not ended hold together,
// in bytes. Their number is bounded as well, but a hundred that wait with 10 MiB of
// input each took 1.1 GiB.
const maxBurden = 64 << 20

// burden is what a request holds, in bytes, for as long as its command has not ended.
func (r Request) burden() int64 {
	n := len(r.Command) + len(r.Description) + len(r.Stdin)
	for _, list := range [][]string{r.Argv, r.Commands, r.Sandbox.Writable} {
		for _, s := range list {
			n += len(s)
		}
	}
	for name, value := range r.Env {
		n += len(name)
		if value != nil {
			n += len(*value)
		}
	}
	return int64(n)
}

// busy refuses a command; the caller holds mu, and says more.
func (e *Engine) busy() *BusyError {
	return &BusyError{Running: e.running, Queued: len(e.runs) - e.running, RetryAfter: time.Second}
}

// overburdened refuses one request too many; the caller holds mu.
func (e *Engine) overburdened(more int64) error {
	if e.burden+more <= maxBurden {
		return nil
	}
	err := e.busy()
	err.Burden = e.burden
	return err
}
