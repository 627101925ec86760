package executor

import "slices"

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
