package inside

import (
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/proc"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// A runner whose command left something on purpose waits until all
// of that has ended by itself, says so, and is ready again.

// reapEvery is how often such a runner collects what ended below the child it
// watches.
const reapEvery = time.Second

// reapDetached collects what has ended. It watches one direct child at a time: a tree is
// not empty before that has ended, and whatever was deeper has become a direct
// child by then.
func (r *runner) reapDetached(ended bool) {
	r.reapEnded()
	if r.alone {
		r.endDetached()
		r.send(wire.MsgEmpty, nil)
		return
	}
	if !ended && r.watched >= 0 {
		return
	}
	r.unwatch()
	for _, pid := range proc.Children(os.Getpid()) {
		if fd, err := unix.PidfdOpen(pid, 0); err == nil {
			r.watched = fd
			return
		}
	}
}

// endDetached also forgets what was refused to processes whose command is long over: it
// must not count against the next one.
func (r *runner) endDetached() {
	r.detached = false
	r.refused()
	r.unwatch()
}

func (r *runner) unwatch() {
	if r.watched >= 0 {
		_ = unix.Close(r.watched)
		r.watched = -1
	}
}
