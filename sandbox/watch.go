package sandbox

import "time"

// watch judges what a command's tree takes, one sample after the other. It is the
// limit where the kernel offers none to an ordinary user. It decides only; the
// runner measures and kills.
type watch struct {
	limits Limits
	held   bool // the kernel itself refuses processes above the limit
	told   bool // and tells when it did; it holds the memory, too

	peak int       // most processes seen
	full time.Time // since when there has been no room for processes
	free int64     // what the first look at the disk found

	denied  bool // the kernel told of a fork that it refused
	starved bool // and of a process it ended for want of memory
}

// usage is one sample.
type usage struct {
	tasks  int
	memory int64
	cpu    time.Duration
	free   int64 // bytes, of the fullest disk; below zero is unknown
}

// fullFor is how long a tree may stay at the limit of processes where the kernel
// holds it: a build that is refused a fork ends or waits, a fork bomb stays.
const fullFor = 2 * time.Second

// judge says which limit a sample is over, "" for none.
func (w *watch) judge(u usage, now time.Time) Limit {
	w.peak = max(w.peak, u.tasks)
	switch {
	case w.crowded(u.tasks, now): // first: a fork bomb that was seen late is over the memory, too
		return LimitProcesses
	case u.memory > w.limits.Memory || w.starved:
		return LimitMemory
	case w.limits.CPU > 0 && u.cpu > w.limits.CPU:
		return LimitCPU
	case w.scarce(u.free):
		return LimitDisk
	}
	return ""
}

func (w *watch) crowded(tasks int, now time.Time) bool {
	switch {
	case !w.held:
		return tasks > w.limits.Processes
	case tasks >= w.limits.Processes && w.full.IsZero():
		w.full = now
	case tasks < w.limits.Processes*3/4: // between two waves of a bomb it is less for a moment
		w.full = time.Time{}
	}
	return !w.full.IsZero() && now.Sub(w.full) >= fullFor
}

// refused says that forks were refused, or probably were where the kernel does not
// tell.
func (w *watch) refused() bool {
	if w.told {
		return w.denied
	}
	return w.peak >= w.limits.Processes
}

// attribution says how that is known.
func (w *watch) attribution() string {
	if w.told {
		return AttributionReported
	}
	return AttributionInferred
}

// scarce compares with the floor, or with half of what there was at first: on a
// disk that is nearly full already, commands that write little still work.
func (w *watch) scarce(free int64) bool {
	if free < 0 {
		return false
	}
	if w.free == 0 {
		w.free = free
	}
	return free < min(w.limits.FreeDisk, w.free/2)
}

// How fast a tree may come to its limit, generously, how often we look at most
// and at least, and what part of the time looking may take.
const (
	fastestFill = 4 << 30 // bytes a second
	fastestFork = 20_000  // processes a second
	soonest     = 20 * time.Millisecond
	latest      = 200 * time.Millisecond
	slowest     = time.Second
	spare       = 10 // times as long as the last look took
	pressed     = 3  // where it is half way to a limit that nothing else holds
)

// next is the time until the next sample: the nearer a limit, the sooner. The look
// itself may get expensive, with many processes; then it is rarer.
func (w *watch) next(u usage, cost time.Duration) time.Duration {
	d, rest := headroom(w.limits.Memory-u.memory, fastestFill), spare*cost
	if !w.held {
		d = min(d, headroom(int64(w.limits.Processes-u.tasks), fastestFork))
		if u.tasks > w.limits.Processes/2 {
			rest = pressed * cost
		}
	}
	d = min(max(d, soonest), latest)
	return max(d, min(rest, slowest))
}

func headroom(left, rate int64) time.Duration {
	return time.Duration(float64(max(left, 0)) / float64(rate) * float64(time.Second))
}
