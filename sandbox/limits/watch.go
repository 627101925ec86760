package limits

import (
	"time"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// Watch judges what a command's tree takes, one sample after the other. It is the
// limit where the kernel offers none to an ordinary user. It decides only; the
// runner measures and kills.
type Watch struct {
	Limits policy.Limits
	Held   bool // the kernel itself refuses processes above the limit
	Told   bool // and says when it did; it holds the memory, too

	Peak int       // most processes seen
	full time.Time // since when there has been no room for processes
	free int64     // what the first look at the disk found

	Denied  bool // the kernel reported a fork that it refused
	Starved bool // and of a process it ended for want of memory
}

// Usage is one sample.
type Usage struct {
	Tasks  int
	Memory int64
	CPU    time.Duration
	Free   int64 // bytes, of the fullest disk; below zero is unknown
}

// fullFor is how long a tree may stay at the limit of processes where the kernel
// holds it: a build that is refused a fork ends or waits, a fork bomb stays.
const fullFor = 2 * time.Second

// Judge says which limit a sample is over, "" for none.
func (w *Watch) Judge(u Usage, now time.Time) policy.Limit {
	w.Peak = max(w.Peak, u.Tasks)
	switch {
	case w.crowded(u.Tasks, now): // first: a fork bomb that was seen late is over the memory, too
		return policy.LimitProcesses
	case u.Memory > w.Limits.Memory || w.Starved:
		return policy.LimitMemory
	case w.Limits.CPU > 0 && u.CPU > w.Limits.CPU:
		return policy.LimitCPU
	case w.scarce(u.Free):
		return policy.LimitDisk
	}
	return ""
}

func (w *Watch) crowded(tasks int, now time.Time) bool {
	switch {
	case !w.Held:
		return tasks > w.Limits.Processes
	case tasks >= w.Limits.Processes && w.full.IsZero():
		w.full = now
	case tasks < w.Limits.Processes*3/4: // between two waves of a bomb it is less for a moment
		w.full = time.Time{}
	}
	return !w.full.IsZero() && now.Sub(w.full) >= fullFor
}

// Refused says that forks were refused, or probably were where the kernel does not
// tell.
func (w *Watch) Refused() bool {
	if w.Told {
		return w.Denied
	}
	return w.Peak >= w.Limits.Processes
}

// Attribution says how that is known.
func (w *Watch) Attribution() string {
	if w.Told {
		return policy.AttributionReported
	}
	return policy.AttributionInferred
}

// scarce compares with the floor, or with half of what there was at first: on a
// disk that is nearly full already, commands that write little still work.
func (w *Watch) scarce(free int64) bool {
	if free < 0 {
		return false
	}
	if w.free == 0 {
		w.free = free
	}
	return free < min(w.Limits.FreeDisk, w.free/2)
}

// How fast a tree may come to its limit, generously, how often we look at most
// and at least, and what part of the time looking may take.
const (
	fastestFill = 4 << 30 // bytes a second
	fastestFork = 20_000  // processes a second
	Soonest     = 20 * time.Millisecond
	Latest      = 200 * time.Millisecond
	Slowest     = time.Second
	Spare       = 10 // times as long as the last look took
	pressed     = 3  // where it is half way to a limit that nothing else holds
)

// Next is the time until the next sample: the nearer a limit, the sooner. The look
// itself may get expensive, with many processes; then it is rarer.
func (w *Watch) Next(u Usage, cost time.Duration) time.Duration {
	d, rest := headroom(w.Limits.Memory-u.Memory, fastestFill), Spare*cost
	if !w.Held {
		d = min(d, headroom(int64(w.Limits.Processes-u.Tasks), fastestFork))
		if u.Tasks > w.Limits.Processes/2 {
			rest = pressed * cost
		}
	}
	d = min(max(d, Soonest), Latest)
	return max(d, min(rest, Slowest))
}

func headroom(left, rate int64) time.Duration {
	return time.Duration(float64(max(left, 0)) / float64(rate) * float64(time.Second))
}
