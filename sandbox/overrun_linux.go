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
	meter *meter  // nil where nothing is limited
	eyes  *looker // who measures
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
		l.eyes = newLooker()
		l.meter = newMeter(r.conf, r.group, l.eyes.unwanted)
		l.watch.held = pidsHeld(r.conf) || r.group != nil
	}
	l.watch = watch{limits: r.conf.policy.Limits, held: l.watch.held, told: r.group != nil}
	l.eyes.settle()
	l.meter.begin()
	l.due = time.Now().Add(l.watch.next(usage{}, 0))
}

// wake is the descriptor that tells of a look, -1 while there is none.
func (l *limiter) wake() int {
	if l.eyes == nil {
		return -1
	}
	return l.eyes.wake
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

// look has a sample taken if it is time, and ends the tree if one says that it is over a
// limit.
func (r *runner) look() {
	l := &r.limiter
	if l.eyes == nil {
		return
	}
	for _, s := range l.eyes.seen() {
		r.consider(s)
	}
	if r.alone || l.due.IsZero() || time.Now().Before(l.due) {
		return
	}
	l.due = time.Now().Add(latest)
	l.eyes.look(l.meter, l.watch.limits)
}

func (r *runner) consider(s sighting) {
	l, now := &r.limiter, time.Now()
	if r.alone || l.due.IsZero() {
		return
	}
	if s.last {
		l.due = now.Add(max(soonest, min(spare*s.cost, slowest)))
	}
	if !s.ok {
		return
	}
	if s.last {
		l.due = now.Add(l.watch.next(s.usage, s.cost))
	}
	l.ask()
	if hit := l.watch.judge(s.usage, now); hit != "" {
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
