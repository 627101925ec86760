package sandbox

import (
	"math"
	"sync/atomic"
	"time"
)

// janitor ends what has been idle for too long. It sleeps until the earliest of
// what was reminded; commands that follow each other closely never wake it.
type janitor struct {
	stop chan struct{} // closed by Manager.Close
	wake chan struct{}
	next *atomic.Int64 // when it wakes next
}

const never = math.MaxInt64

func newJanitor() janitor {
	j := janitor{stop: make(chan struct{}), wake: make(chan struct{}, 1), next: new(atomic.Int64)}
	j.next.Store(never)
	return j
}

// remind makes sure that it looks again at that time; zero is never.
func (j janitor) remind(at time.Time) {
	if at.IsZero() || at.UnixNano() >= j.next.Load() {
		return
	}
	select {
	case j.wake <- struct{}{}:
	default: // it is about to look
	}
}

// keepTidy is the janitor's work, until Close.
func (m *Manager) keepTidy() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-m.idle.stop:
			return
		case <-m.idle.wake:
		case <-timer.C:
		}
		m.idle.next.Store(never) // what is reminded while we look is not forgotten
		next := m.tidy(time.Now())
		if next.IsZero() {
			timer.Stop()
			continue
		}
		m.idle.next.Store(next.UnixNano())
		timer.Reset(time.Until(next))
	}
}

// tidy looks into every sandbox and says when to look again.
func (m *Manager) tidy(now time.Time) time.Time {
	var next time.Time
	for _, s := range m.all() {
		if due := s.box.tidy(now); !due.IsZero() && (next.IsZero() || due.Before(next)) {
			next = due
		}
	}
	return next
}

func (m *Manager) all() []*Sandbox {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []*Sandbox
	for _, s := range m.sandboxes {
		all = append(all, s)
	}
	return all
}

// idleTimes say how long unused things are kept.
type idleTimes struct {
	runner  time.Duration // a runner beyond the first one of its sandbox
	sandbox time.Duration // a sandbox's processes, where it holds none of a command
}

// A process of ours costs a few MiB of memory; starting one again costs a command
// some milliseconds.
var defaultIdle = idleTimes{runner: time.Minute, sandbox: 30 * time.Minute}

// due is when a sandbox has something to end: oldest is when the first of its idle
// runners became so, last when the sandbox was used, or zero while it is. Zero is
// never.
func (t idleTimes) due(idle int, oldest, last time.Time) time.Time {
	var due time.Time
	if idle > 1 {
		due = oldest.Add(t.runner)
	}
	if end := last.Add(t.sandbox); !last.IsZero() && (due.IsZero() || end.Before(due)) {
		due = end
	}
	return due
}
