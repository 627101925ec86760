package sandbox

import (
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// limiter is a runner's part that watches the command that runs.
type limiter struct {
	watch watch
	meter *meter // nil where nothing is limited
	due   time.Time
	hit   Limit
	seen  violations
	name  string // the main child's program
}

// beginLimits starts the watch of a new command.
func (r *runner) beginLimits(program string) {
	l := &r.limiter
	l.hit, l.name, l.due = "", filepath.Base(program), time.Time{}
	if !r.conf.confined() {
		return
	}
	if l.meter == nil {
		l.meter = newMeter(r.conf, r.group, r.urgent)
		l.watch.held = pidsHeld(r.conf) || r.group != nil
	}
	l.watch = watch{limits: r.conf.policy.Limits, held: l.watch.held, told: r.group != nil}
	l.meter.begin()
	l.due = time.Now().Add(l.watch.next(usage{}, 0))
}

// urgent says that the sidecar wants something, or that the main child has ended:
// a look at thousands of processes gives way to both.
func (r *runner) urgent() bool {
	fds := []unix.PollFd{{Fd: int32(r.conn), Events: unix.POLLIN}, {Fd: int32(r.pidfd), Events: unix.POLLIN}}
	n, _ := unix.Poll(fds, 0)
	return n > 0
}

// patience is how long the runner may sleep, in poll(2)'s milliseconds.
func (r *runner) patience() int {
	wait := time.Duration(-1)
	if !r.alone && !r.limiter.due.IsZero() {
		wait = max(time.Until(r.limiter.due), 0)
	}
	if r.parked && (wait < 0 || wait > reapEvery) {
		wait = reapEvery
	}
	if wait < 0 {
		return -1
	}
	return int(wait/time.Millisecond) + 1
}

// look takes a sample if it is time, and ends the tree if it is over a limit.
func (r *runner) look() {
	l := &r.limiter
	if r.alone || l.due.IsZero() || time.Now().Before(l.due) {
		return
	}
	began := threadTime()
	u, ok := l.meter.sample(l.watch.limits.Memory)
	cost, now := threadTime()-began, time.Now()
	l.due = now.Add(soonest)
	if !ok {
		return
	}
	l.due = now.Add(l.watch.next(u, cost))
	l.ask()
	if hit := l.watch.judge(u, now); hit != "" {
		r.exceed(hit)
	}
}

// threadTime is what this thread has used of a processor. It does not count the
// time that a look waits for one: a fork bomb makes that long, and with a pause to
// match it would have a second to itself. clock_gettime(2)
func threadTime() time.Duration {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts) // fails for unknown clocks only
	return time.Duration(ts.Nano())
}

// ask hears what the kernel tells of its own limits, where it does.
func (l *limiter) ask() {
	if l.meter == nil || l.meter.group == nil {
		return
	}
	l.watch.denied = l.meter.group.refusals() > 0 || l.watch.denied
	l.watch.starved = l.meter.group.outOfMemory() || l.watch.starved
}

// exceed ends the tree. The first limit names the reason; what outlives the first
// signal, because it was just being born, gets the next.
func (r *runner) exceed(hit Limit) {
	if l := &r.limiter; l.hit == "" {
		l.hit = hit
		l.add(overrun(hit, AttributionReported), "")
	}
	r.signal(unix.SIGKILL)
}

// ended looks at a process that was reaped: one that wrote more than a file may
// hold was killed by the kernel. Where a shell has waited for that one, only its
// exit code is left to tell. setrlimit(2), the shell's "Exit Status"
func (l *limiter) ended(ws unix.WaitStatus, main bool) {
	name, how := "", AttributionReported
	switch {
	case l.meter == nil:
		return // nothing was limited
	case ws.Signaled() && ws.Signal() == syscall.SIGXFSZ:
	case main && ws.Exited() && ws.ExitStatus() == 128+int(syscall.SIGXFSZ):
		how = AttributionInferred
	default:
		return
	}
	if main && l.hit == "" {
		l.hit = LimitFileSize
	}
	if main && how == AttributionReported {
		name = l.name
	}
	l.add(overrun(LimitFileSize, how), name)
}

// leave judges what the main child left: a fork bomb's first process is over at
// once, and the limit of processes is why the rest of it got no further. A few
// daemons of a build that was refused a fork are no bomb.
func (l *limiter) leave(left []proc) {
	if l.meter == nil {
		return
	}
	l.ask()
	l.watch.peak = max(l.watch.peak, len(left))
	if l.hit == "" && l.watch.refused() && len(left) >= l.watch.limits.Processes/4 {
		l.hit = LimitProcesses
		l.add(overrun(LimitProcesses, AttributionReported), "")
	}
}

func (l *limiter) add(v Violation, process string) {
	v.Process = process
	l.seen.add(v)
}

// settle says what only the end tells: that the kernel has ended a part of the
// command, or that it lived with a refusal.
func (l *limiter) settle(over bool) {
	if l.meter == nil || l.hit != "" {
		return
	}
	l.ask()
	switch {
	case l.watch.starved:
		l.hit = LimitMemory
		l.add(overrun(LimitMemory, AttributionReported), "")
	case over && l.watch.refused():
		l.add(overrun(LimitProcesses, l.watch.attribution()), "")
	}
}
