package proc

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// Forks sleeps until a process of a tree forks: who is seen with its parent is known
// afterwards, whatever it does. kqueue(2), EVFILT_PROC
type Forks struct {
	queue int
	on    map[int]int64 // who is watched, and when it began
}

// wakeUp is the one event that is ours.
const wakeUp = 1

// NewForks watches no process yet.
func NewForks() (*Forks, error) {
	queue, err := unix.Kqueue()
	if err != nil {
		return nil, err
	}
	unix.CloseOnExec(queue)
	f := &Forks{queue: queue, on: map[int]int64{}}
	if err := f.change(unix.Kevent_t{Ident: wakeUp, Filter: unix.EVFILT_USER, Flags: unix.EV_ADD | unix.EV_CLEAR}); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (f *Forks) change(k unix.Kevent_t) error {
	_, err := unix.Kevent(f.queue, []unix.Kevent_t{k}, nil, nil)
	return err
}

// Watch takes up those that are new, and leaves those that are not among them. One that
// has ended since is not an error.
func (f *Forks) Watch(rows []Row) {
	now := make(map[int]int64, len(rows))
	for _, r := range rows {
		now[r.Pid] = r.Start
		if f.on[r.Pid] != r.Start {
			f.proc(r.Pid, unix.EV_ADD|unix.EV_CLEAR)
		}
	}
	for pid := range f.on {
		if _, still := now[pid]; !still {
			f.proc(pid, unix.EV_DELETE)
		}
	}
	f.on = now
}

func (f *Forks) proc(pid int, what uint16) {
	_ = f.change(unix.Kevent_t{Ident: uint64(pid), Filter: unix.EVFILT_PROC, Flags: what, Fflags: unix.NOTE_FORK})
}

// Wait returns when one forks, when it is woken, or after that time.
func (f *Forks) Wait(most time.Duration) {
	var events [16]unix.Kevent_t
	timeout := unix.NsecToTimespec(most.Nanoseconds())
	_, _ = unix.Kevent(f.queue, nil, events[:], &timeout) // interrupted, it returns too soon: one more look
}

// Wake ends a wait.
func (f *Forks) Wake() {
	_ = f.change(unix.Kevent_t{Ident: wakeUp, Filter: unix.EVFILT_USER, Fflags: unix.NOTE_TRIGGER})
}

func (f *Forks) Close() error { return unix.Close(f.queue) }
