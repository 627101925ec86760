package inside

import (
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/limits"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/proc"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// limiter is a runner's part that watches the command that runs.
type limiter struct {
	watch   limits.Watch
	meter   *limits.Meter // nil where nothing is limited
	sampler *sampler      // who measures
	due     time.Time
	hit     policy.Limit
	seen    policy.Collected
	name    string // the main child's program
	ports   *ports // nil where commands have no network of their own
	told    []policy.Port
}

// beginLimits starts the watch of a new command.
func (r *runner) beginLimits(program string) {
	l := &r.limiter
	l.hit, l.name, l.due = "", filepath.Base(program), time.Time{}
	if !r.conf.Sandboxed() {
		return
	}
	if l.meter == nil {
		l.sampler = newSampler()
		l.meter = limits.NewMeter(r.conf, r.group, l.sampler.unwanted)
		l.watch.Held = limits.PidsHeld(r.conf) || r.group != nil
	}
	l.watch = limits.Watch{Limits: r.conf.Policy.Limits, Held: l.watch.Held, Told: r.group != nil}
	l.sampler.forget()
	l.meter.Begin()
	l.told = nil
	if r.conf.OwnNetwork() {
		l.ports = &ports{}
	}
	l.due = time.Now().Add(l.watch.Next(limits.Usage{}, 0))
}

// wake is the descriptor that asks for a look, -1 while there is none.
func (l *limiter) wake() int {
	if l.sampler == nil {
		return -1
	}
	return l.sampler.wake
}

// patience is how long the runner may sleep, in poll(2)'s milliseconds.
func (r *runner) patience() int {
	wait := time.Duration(-1)
	if !r.alone && !r.limiter.due.IsZero() {
		wait = max(time.Until(r.limiter.due), 0)
	}
	if r.detached && (wait < 0 || wait > reapEvery) {
		wait = reapEvery
	}
	if wait < 0 {
		return -1
	}
	return int(wait/time.Millisecond) + 1
}

// watch has a sample taken if it is time, and ends the tree if one says that it is over a
// limit.
func (r *runner) watch() {
	l := &r.limiter
	if l.sampler == nil {
		return
	}
	for _, s := range l.sampler.taken() {
		r.consider(s)
	}
	if r.alone || l.due.IsZero() || time.Now().Before(l.due) {
		return
	}
	l.due = time.Now().Add(limits.Latest)
	l.sampler.take(l.meter, l.watch.Limits, l.ports)
}

func (r *runner) consider(s sample) {
	l, now := &r.limiter, time.Now()
	if r.alone || l.due.IsZero() {
		return
	}
	if s.last {
		l.due = now.Add(max(limits.Soonest, min(limits.Spare*s.cost, limits.Slowest)))
	}
	if !s.ok {
		return
	}
	if s.last {
		l.due = now.Add(l.watch.Next(s.usage, s.cost))
		r.tellPorts(s.ports)
	}
	l.ask()
	if hit := l.watch.Judge(s.usage, now); hit != "" {
		r.exceed(hit)
	}
}

// tellPorts says on what the command listens, when that has changed.
func (r *runner) tellPorts(now []policy.Port) {
	if !slices.Equal(now, r.limiter.told) {
		r.limiter.told = now
		r.send(wire.MsgListens, now)
	}
}

// ask reads what the kernel reports of its own limits, where it does.
func (l *limiter) ask() {
	if l.meter == nil || l.meter.Group == nil {
		return
	}
	l.watch.Denied = l.meter.Group.Refusals() > 0 || l.watch.Denied
	l.watch.Starved = l.meter.Group.OutOfMemory() || l.watch.Starved
}

// exceed ends the tree. The first limit names the reason; what outlives the first
// signal, because it was just being born, gets the next.
func (r *runner) exceed(hit policy.Limit) {
	if l := &r.limiter; l.hit == "" {
		l.hit = hit
		l.add(policy.LimitViolation(hit, policy.AttributionReported), "")
	}
	r.signal(unix.SIGKILL)
}

// ended looks at a process that was reaped: one that wrote more than a file may
// hold was killed by the kernel. Where a shell has waited for that one, only its
// exit code is left to tell. setrlimit(2), the shell's "Exit Status"
func (l *limiter) ended(ws unix.WaitStatus, main bool) {
	name, how := "", policy.AttributionReported
	switch {
	case l.meter == nil:
		return // nothing was limited
	case ws.Signaled() && ws.Signal() == syscall.SIGXFSZ:
	case main && ws.Exited() && ws.ExitStatus() == 128+int(syscall.SIGXFSZ):
		how = policy.AttributionInferred
	default:
		return
	}
	if main && l.hit == "" {
		l.hit = policy.LimitFileSize
	}
	if main && how == policy.AttributionReported {
		name = l.name
	}
	l.add(policy.LimitViolation(policy.LimitFileSize, how), name)
}

// leave judges what the main child left: a fork bomb's first process is over at once, and
// the limit of processes is why the rest of it got no further. A few daemons of a build
// that was refused a fork are not a bomb.
func (l *limiter) leave(left []proc.Process) {
	if l.meter == nil {
		return
	}
	l.ask()
	l.watch.Peak = max(l.watch.Peak, len(left))
	if l.hit == "" && l.watch.Refused() && len(left) >= l.watch.Limits.Processes/4 {
		l.hit = policy.LimitProcesses
		l.add(policy.LimitViolation(policy.LimitProcesses, policy.AttributionReported), "")
	}
}

func (l *limiter) add(v policy.Violation, process string) {
	v.Process = process
	l.seen.Add(v)
}

// conclude says what only the end shows: that the kernel has ended a part of the command,
// or that it lived with a refusal.
func (l *limiter) conclude(over bool) {
	if l.meter == nil || l.hit != "" {
		return
	}
	l.ask()
	switch {
	case l.watch.Starved:
		l.hit = policy.LimitMemory
		l.add(policy.LimitViolation(policy.LimitMemory, policy.AttributionReported), "")
	case over && l.watch.Refused():
		l.add(policy.LimitViolation(policy.LimitProcesses, l.watch.Attribution()), "")
	}
}
