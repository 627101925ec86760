package inside

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/proc"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// reap reports the main child's end. Usually nothing else of the tree is left
// then, and the same message says so.
func (r *runner) reap() {
	var ws unix.WaitStatus
	var ru unix.Rusage
	if _, err := unix.Wait4(r.leader, &ws, 0, &ru); err != nil {
		return
	}
	_ = unix.Close(r.pidfd)
	r.pidfd = -1
	r.broker.Leads(0)
	r.limiter.ended(ws, true)
	r.reapEnded()
	r.limiter.conclude(r.alone)
	r.tellViolated()
	r.send(wire.MsgExited, wire.Exited{
		Status: int(ws), User: time.Duration(ru.Utime.Nano()), System: time.Duration(ru.Stime.Nano()),
		MaxRSS: ru.Maxrss * 1024, Alone: r.alone, Limit: r.limiter.hit,
	})
}

// reapEnded collects what has ended already, but leaves the main child's status
// to reap. ECHILD is the kernel's word that no descendant is left, however it
// daemonized.
func (r *runner) reapEnded() {
	for r.pidfd < 0 && !r.alone {
		var ws unix.WaitStatus
		pid, err := unix.Wait4(-1, &ws, unix.WNOHANG, nil)
		if pid == 0 && err == nil {
			return
		}
		if err == nil {
			r.limiter.ended(ws, false)
		}
		if r.alone = errors.Is(err, unix.ECHILD); r.alone {
			if err := r.broker.Finish(); err != nil {
				r.fail("broker", err)
				os.Exit(1) // the sidecar then reports a lost sandbox
			}
			r.limiter.meter.RemoveSegments()
		}
	}
}

func (r *runner) leftovers() []proc.Process {
	r.reapEnded()
	if r.alone {
		return nil
	}
	var left []proc.Process
	for _, p := range proc.Below(os.Getpid(), r.mostTold()) {
		if !p.Zombie {
			left = append(left, p)
		}
	}
	return left
}

// mostTold is how many of what a command has left are looked for: those above the limit
// of processes are not needed to know that it is over it.
func (r *runner) mostTold() int {
	if n := r.conf.Policy.Limits.Processes; n > 0 {
		return n + 1
	}
	return proc.MaxBelow
}

// killTree returns when no descendant is left. The first pass is at once; later
// ones back off, for what sits in an uninterruptible call.
func (r *runner) killTree() {
	if r.pidfd >= 0 { // the main child's status is not needed any more
		_ = unix.Close(r.pidfd)
		r.pidfd = -1
		r.broker.Leads(0)
	}
	for wait := 50 * time.Microsecond; ; wait = min(2*wait, 20*time.Millisecond) {
		r.reapEnded()
		if r.alone {
			return
		}
		r.signal(unix.SIGKILL)
		time.Sleep(wait)
	}
}

// signal reaches every process of the tree. This thread shares the commands'
// Landlock domain, whose scope makes kill(-1) mean "everything in the domain":
// one walk of the kernel's own list under its lock, which no fork bomb outruns.
// Without a domain (mode off) the tree is walked through /proc.
func (r *runner) signal(sig unix.Signal) {
	if !r.conf.Sandboxed() {
		proc.SignalTree(sig)
		return
	}
	_ = unix.Kill(-1, sig) // ESRCH: nothing is left to signal
}
