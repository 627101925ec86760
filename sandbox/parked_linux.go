package sandbox

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// A runner whose command left something on purpose is parked: it waits until all
// of that has ended by itself, says so, and is ready again.

// reapEvery is how often a parked runner collects what ended below the child it
// watches.
const reapEvery = time.Second

// tend collects what has ended. It watches one direct child at a time: a tree is
// not empty before that has ended, and whatever was deeper has become a direct
// child by then.
func (r *runner) tend(ended bool) {
	r.reapEnded()
	if r.alone {
		r.unpark()
		r.send(msgEmpty, new(payload))
		return
	}
	if !ended && r.watched >= 0 {
		return
	}
	r.unwatch()
	for _, pid := range children(os.Getpid()) {
		if fd, err := unix.PidfdOpen(pid, 0); err == nil {
			r.watched = fd
			return
		}
	}
}

// unpark also forgets what was refused to processes whose command is long over: it
// must not count against the next one.
func (r *runner) unpark() {
	r.parked = false
	r.refused()
	r.unwatch()
}

func (r *runner) unwatch() {
	if r.watched >= 0 {
		_ = unix.Close(r.watched)
		r.watched = -1
	}
}
