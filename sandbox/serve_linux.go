package sandbox

import (
	"errors"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// runner is the state of the restricted thread's loop. Everything happens on
// that one thread: it reads the sidecar's frames, forks, waits, kills and
// answers, so a command costs no wake-up of another thread of ours. It measures
// nothing: see looker.
type runner struct {
	conn   fdLink
	conf   conf
	leader int  // the main child, 0 while idle
	pidfd  int  // of the main child until it has been reported
	alone  bool // the tree is gone
	broker *broker
	masks  []string    // paths that the namespace hides
	group  *groupMeter // nil where there is none

	limiter limiter
	blame   blame
	parked  bool // what the main child left may stay
	watched int  // pidfd of one direct child while parked
}

// serve loops until the sidecar's end of the socket is closed, and then ends the
// tree before it returns.
func (r *runner) serve() {
	r.pidfd, r.alone, r.watched = -1, true, -1
	r.send(msgReady, new(payload).putBool(pidsHeld(r.conf)))
	for {
		fds := []unix.PollFd{
			{Fd: int32(r.conn), Events: unix.POLLIN},
			{Fd: int32(r.pidfd), Events: unix.POLLIN},
			{Fd: int32(r.watched), Events: unix.POLLIN},
			{Fd: int32(r.limiter.wake()), Events: unix.POLLIN},
		}
		if _, err := unix.Poll(fds, r.patience()); err != nil && !errors.Is(err, unix.EINTR) {
			break
		}
		if fds[1].Revents != 0 {
			r.reap()
		}
		r.look()
		if r.parked {
			r.tend(fds[2].Revents != 0)
		}
		if fds[0].Revents == 0 {
			continue
		}
		if r.alone && slices.ContainsFunc(r.masks, unmasked) {
			break // what was asked is not read: another runner will be
		}
		f, err := readFrame(r.conn)
		if err != nil {
			break
		}
		r.handle(f)
	}
	r.killTree()
}

func (r *runner) handle(f frame) {
	p := &payload{b: f.data}
	switch f.kind {
	case msgGroup:
		if len(f.fds) == groupFiles {
			r.group = newGroupMeter(f.fds, r.conf.policy.Limits)
		}
	case msgStart:
		r.start(p, f.fds)
	case msgSignal:
		r.signal(unix.Signal(p.int()))
	case msgEnd:
		// What stands still can be listed: a fork bomb would leave this thread a
		// thousandth of the processors.
		r.signal(unix.SIGSTOP)
		left := r.leftovers()
		r.limiter.leave(left)
		r.killTree()
		if r.parked {
			r.unpark()
		}
		r.ended(left)
	case msgLeave:
		left := r.leftovers()
		r.parked = !r.alone
		r.ended(left)
	}
}

// ended lists what was left, and whether something still is.
func (r *runner) ended(left []proc) {
	r.limiter.settle(true)
	r.tellViolated()
	out := new(payload).putInt(int64(len(left)))
	for _, l := range left {
		out.putInt(int64(l.pid)).putString(l.name)
	}
	r.send(msgEnded, out.putBool(!r.alone).putString(string(r.limiter.hit)))
}

// tellViolated sends what was refused, if anything was.
func (r *runner) tellViolated() {
	if v := r.refused(); v.total > 0 {
		r.send(msgRefused, v.encode())
	}
}

// refused takes what the limits and the broker have refused since the last time.
func (r *runner) refused() (v violated) {
	v.rows, v.total = r.limiter.seen.take()
	if r.broker != nil {
		rows, total := r.broker.seen.take()
		v.rows, v.total = append(v.rows, rows...), v.total+total
	}
	return v
}

func (r *runner) start(p *payload, fds []*os.File) {
	defer func() {
		for _, f := range fds {
			_ = f.Close()
		}
	}()
	req := startRequest{path: p.string(), argv: p.strings(), env: p.strings(), dir: p.string(), dev: p.int(), ino: p.int(), terminal: p.int() == 1}
	if pointed := p.strings(); r.broker != nil {
		r.broker.pointed.Store(&pointed)
	}
	pid, errno := 0, syscall.Errno(unix.EPROTO)
	if p.err == nil && len(fds) == r.files() && r.alone {
		pid, errno = r.fork(req, fds)
	}
	out := new(payload).putInt(int64(errno))
	if errno != 0 {
		r.send(msgStarted, out)
		return
	}
	r.leader, r.alone = pid, false
	r.beginLimits(req.path)
	_ = writeFrame(r.conn, msgStarted, out.putInt(int64(pid)).b, r.pidfd)
	if r.conf.namespaced() {
		// The sidecar reads the child's number in its own namespace off the pidfd,
		// which knows none any more once we have reaped it.
		_, _ = readFrame(r.conn) // a sidecar that is gone is noticed by the next read
	}
}

func (r *runner) send(kind byte, p *payload) {
	_ = writeFrame(r.conn, kind, p.b) // a sidecar that is gone is noticed by the reader
}
