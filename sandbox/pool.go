package sandbox

import "time"

// idleTimes say how long what nobody uses is kept.
type idleTimes struct {
	runner  time.Duration // a runner beyond the first one of its sandbox
	sandbox time.Duration // a sandbox's processes, where it holds none of a command
}

// A process of ours costs a few MiB of memory; starting one again costs a command
// some milliseconds.
var defaultIdle = idleTimes{runner: time.Minute, sandbox: 30 * time.Minute}

// due is when a sandbox has something to end: oldest is when the first of its idle
// runners became so, last when the sandbox was used, or zero while it is. Zero is
// never.
func (t idleTimes) due(idle int, oldest, last time.Time) time.Time {
	var due time.Time
	if idle > 1 {
		due = oldest.Add(t.runner)
	}
	if end := last.Add(t.sandbox); !last.IsZero() && (due.IsZero() || end.Before(due)) {
		due = end
	}
	return due
}
