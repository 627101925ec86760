package sandbox

import (
	"os"
	"runtime"
	"slices"
	"time"
)

// newReport describes the machine by what the canaries found.
func newReport(got survey, at time.Time) Report {
	r := Report{
		Platform: runtime.GOOS + "/" + runtime.GOARCH, Kernel: kernelRelease(), Rung: got.rung,
		ProbedAt: at, Container: inContainer(), Modes: map[Mode]Enforcement{},
	}
	for mode, f := range got.facts {
		r.Modes[mode] = assess(Policy{Mode: mode, Network: NetworkDeny, Reads: ReadsPrivate}, f)
	}
	if got.rung == RungNone {
		for _, mode := range []Mode{WorkspaceWrite, Off} {
			if f := got.facts[mode].failure; f != nil && !slices.Contains(r.Degraded, *f) {
				r.Degraded = append(r.Degraded, *f)
			}
		}
		return r
	}
	r.Degraded = append(r.Degraded, got.missed...)
	return r
}

// inContainer is a hint for people, never a decision.
func inContainer() bool {
	for _, f := range []string{"/.dockerenv", "/run/.containerenv"} {
		if _, err := os.Stat(f); err == nil {
			return true
		}
	}
	return os.Getenv("container") != ""
}
