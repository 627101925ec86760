package executor

import (
	"testing"
	"time"
)

// slots is an engine of the same session with another number of slots.
func (r *rig) slots(n int) *Engine {
	c := r.e.conf
	c.Limits.MaxConcurrent = n
	return r.e.With(c)
}

// queue lets a run of e wait for a slot; the channel is closed when it has one.
func (r *rig) queue(e *Engine, waiting int) (*Run, <-chan struct{}) {
	r.t.Helper()
	run, got := newRun(e, sh("true"), r.f, 1), make(chan struct{})
	go func() {
		if _, err := run.acquire(&record{t: r.t}); err == nil {
			close(got)
		}
	}()
	for begin := time.Now(); r.e.Stats().Queued != waiting; time.Sleep(time.Millisecond) {
		if time.Since(begin) > time.Minute {
			r.t.Fatalf("%+v", r.e.Stats())
		}
	}
	return run, got
}

// Slots that were taken when there were more are given back, not handed on, until
// as many run as may.
func TestSlotsThatWereLoweredAreNotHandedOn(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Limits.MaxConcurrent = 3 })
	var old []*Run
	for range 3 {
		run, got := r.queue(r.e, 0)
		<-got
		old = append(old, run)
	}
	one := r.slots(1)
	first, firstGot := r.queue(one, 1)
	second, secondGot := r.queue(one, 2)
	for i := range 2 {
		old[i].release()
		if s := r.e.Stats(); s.Running != 2-i || s.Queued != 2 {
			t.Fatalf("after %d ends: %d run, %d wait", i+1, s.Running, s.Queued)
		}
	}
	old[2].release()
	<-firstGot
	if s := r.e.Stats(); s.Running != 1 || s.Queued != 1 {
		t.Errorf("%d run, %d wait", s.Running, s.Queued)
	}
	first.release()
	<-secondGot
	second.release()
	if s := r.e.Stats(); s.Running != 0 || s.Queued != 0 {
		t.Errorf("%d run, %d wait", s.Running, s.Queued)
	}
}

// When there are more again, all that may run start at the next end.
func TestSlotsThatWereRaisedAreAllGivenOut(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Limits.MaxConcurrent = 1 })
	run, got := r.queue(r.e, 0)
	<-got
	more := r.slots(3)
	_, a := r.queue(r.e, 1)
	b, bGot := r.queue(more, 2)
	c, cGot := r.queue(more, 3)
	run.release()
	<-a
	<-bGot
	<-cGot
	b.release()
	c.release()
}
