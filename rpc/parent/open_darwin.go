package parent

import (
	"errors"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// Open asks the kernel for the end of that process. It is the process that has
// the number now: a later one with the same number is another. kqueue(2), EVFILT_PROC
func Open(pid int) (wait func() bool, stop func(), err error) {
	queue, err := unix.Kqueue()
	if err != nil {
		return nil, nil, os.NewSyscallError("kqueue", err)
	}
	unix.CloseOnExec(queue)
	w := &parentWait{queue: queue}
	for _, k := range []unix.Kevent_t{
		{Ident: stopWaiting, Filter: unix.EVFILT_USER, Flags: unix.EV_ADD},
		{Ident: uint64(pid), Filter: unix.EVFILT_PROC, Flags: unix.EV_ADD | unix.EV_ONESHOT, Fflags: unix.NOTE_EXIT},
	} {
		if _, err := unix.Kevent(queue, []unix.Kevent_t{k}, nil, nil); err != nil {
			return nil, nil, errors.Join(os.NewSyscallError("kevent", err), unix.Close(queue))
		}
	}
	return w.wait, w.stop, nil
}

// stopWaiting is the one event that is ours.
const stopWaiting = 1

// parentWait closes its queue when wait returns; until then stop may use it.
type parentWait struct {
	mu    sync.Mutex
	queue int
	over  bool
}

// wait says whether the process has ended; it is called once.
func (w *parentWait) wait() bool {
	defer w.close()
	var events [1]unix.Kevent_t
	for {
		n, err := unix.Kevent(w.queue, nil, events[:], nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return false
		case n > 0:
			return events[0].Filter == unix.EVFILT_PROC
		}
	}
}

func (w *parentWait) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	_ = unix.Close(w.queue)
}

func (w *parentWait) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.over {
		_, _ = unix.Kevent(w.queue, []unix.Kevent_t{{Ident: stopWaiting, Filter: unix.EVFILT_USER, Fflags: unix.NOTE_TRIGGER}}, nil, nil)
	}
}
