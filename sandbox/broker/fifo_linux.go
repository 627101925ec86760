package broker

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// fifo is an open for writing that waits for a reader. The broker can't wait in
// the kernel for it, so it tries again until the other end or the caller's death.
type fifo struct {
	n     notification
	pin   int
	flags int
}

// maxWaiting bounds the descriptors held by such opens.
const maxWaiting = 256

func (b *Broker) wait(a *request, pin, flags int) (reply, error) {
	if len(b.waiting) >= maxWaiting {
		return done, unix.EMFILE
	}
	b.dirty.Store(true)
	b.waiting = append(b.waiting, fifo{*a.n, pin, flags})
	return reply{fd: -1, later: true}, nil
}

// retryInterval is how long a writer may wait after its reader has come.
const retryInterval = 2 * time.Millisecond

// ready tries the waiting opens and reports whether a new call is there.
func (b *Broker) ready() bool {
	kept := b.waiting[:0]
	for _, f := range b.waiting {
		if !b.waits(f.n.id) {
			_ = unix.Close(f.pin)
			continue
		}
		fd, err := unix.Open(files.Path(f.pin), f.flags|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if err == unix.ENXIO {
			kept = append(kept, f)
			continue
		}
		if err == nil {
			err = unix.SetNonblock(fd, false)
		}
		_ = unix.Close(f.pin)
		b.send(f.n.id, reply{fd: fd, flags: f.flags & unix.O_CLOEXEC}, err)
	}
	b.waiting = kept
	if len(b.waiting) == 0 {
		return true
	}
	fds := []unix.PollFd{{Fd: int32(b.listener), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, int(retryInterval/time.Millisecond))
	return err == nil && n > 0
}
