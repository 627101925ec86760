package inside

import (
	"errors"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/broker"
	"github.com/pillion-sidecar/pillion/sandbox/limits"
	"github.com/pillion-sidecar/pillion/sandbox/mounts"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/proc"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// runner is the state of the restricted thread's loop. Everything happens on
// that one thread: it reads the sidecar's frames, forks, waits, kills and
// answers, so a command costs no wake-up of another thread of ours. It measures
// nothing: see sampler.
type runner struct {
	conn   wire.FDLink
	conf   policy.Conf
	leader int  // the main child, 0 while idle
	pidfd  int  // of the main child until it has been reported
	alone  bool // the tree is gone
	broker *broker.Broker
	hosts  *broker.Hosts
	inner  int                // the ruleset of commands, where it is narrower than ours; else -1
	masks  []string           // paths that the namespace hides
	group  *limits.GroupMeter // nil where there is none

	limiter  limiter
	score    limits.OOMScore
	detached bool // what the main child left may stay
	watched  int  // pidfd of one direct child of what is detached
}

// serve loops until the sidecar's end of the socket is closed, and then ends the
// tree before it returns.
func (r *runner) serve() {
	r.pidfd, r.alone, r.watched = -1, true, -1
	r.send(wire.MsgReady, wire.Ready{Held: limits.PidsHeld(r.conf)})
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
		r.watch()
		if r.detached {
			r.reapDetached(fds[2].Revents != 0)
		}
		if fds[0].Revents == 0 {
			continue
		}
		if r.alone && slices.ContainsFunc(r.masks, mounts.Unmasked) {
			break // what was asked is not read: another runner will be
		}
		f, err := wire.Receive(r.conn)
		if err != nil {
			break
		}
		r.handle(f)
	}
	r.killTree()
}

func (r *runner) handle(f wire.Frame) {
	switch f.Kind {
	case wire.MsgGroup:
		if len(f.FDs) == limits.GroupFiles {
			r.group = limits.NewGroupMeter(f.FDs, r.conf.Policy.Limits)
		}
	case wire.MsgStart:
		r.start(f)
	case wire.MsgSignal:
		var sig int
		if f.Decode(&sig) == nil {
			r.signal(unix.Signal(sig))
		}
	case wire.MsgEnd:
		// Stopped processes can be listed: a fork bomb would leave this thread a
		// thousandth of the processors.
		r.signal(unix.SIGSTOP)
		left := r.leftovers()
		r.limiter.leave(left)
		r.killTree()
		if r.detached {
			r.endDetached()
		}
		r.ended(left)
	case wire.MsgLeave:
		left := r.leftovers()
		r.detached = !r.alone
		r.ended(left)
	}
}

// ended lists what was left, and whether something still is.
func (r *runner) ended(left []proc.Process) {
	r.limiter.conclude(true)
	r.tellViolated()
	out := wire.Ended{Still: !r.alone, Limit: r.limiter.hit}
	for _, l := range left {
		out.Left = append(out.Left, wire.Leftover{PID: l.PID, Name: l.Name})
	}
	r.send(wire.MsgEnded, out)
}

// tellViolated sends what was refused, if anything was.
func (r *runner) tellViolated() {
	if v := r.refused(); v.Total > 0 {
		r.send(wire.MsgRefused, v)
	}
}

// refused takes what the limits and the broker have refused since the last time.
func (r *runner) refused() (v wire.Refused) {
	v.Rows, v.Total = r.limiter.seen.Take()
	rows, total := r.broker.Violations()
	return wire.Refused{Rows: append(v.Rows, rows...), Total: v.Total + total}
}

func (r *runner) start(f wire.Frame) {
	var tells *os.File
	if n := r.files(); len(f.FDs) == n+1 {
		f.FDs, tells = f.FDs[:n], f.FDs[n]
	}
	defer f.Close()
	r.broker.Tells(tells)
	var req wire.Start
	pid, errno := 0, syscall.Errno(unix.EPROTO)
	if f.Decode(&req) == nil && len(f.FDs) == r.files() && r.alone {
		r.broker.Begins(req.Pointed, req.Entry, req.EntryMeta, req.KeepAll)
		if req.Terminal {
			r.broker.Shows(f.FDs[0])
		}
		pid, errno = r.fork(req, f.FDs)
		r.broker.Leads(pid)
	}
	out := wire.Started{Errno: int(errno), PID: pid}
	if errno != 0 {
		r.send(wire.MsgStarted, out)
		return
	}
	r.leader, r.alone = pid, false
	r.beginLimits(req.Path)
	_ = wire.Send(r.conn, wire.MsgStarted, out, r.pidfd)
	if r.conf.Namespaced() {
		// The sidecar reads the child's number in its own namespace off the pidfd,
		// which knows none any more once we have reaped it.
		_, _ = wire.Receive(r.conn) // a sidecar that is gone is noticed by the next read
	}
}

func (r *runner) send(kind byte, message any) {
	_ = wire.Send(r.conn, kind, message) // a sidecar that is gone is noticed by the reader
}
