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
	missed := got.missed
	if got.rung == RungNone {
		missed = nil
		for _, mode := range []Mode{WorkspaceWrite, Off} {
			if f := got.facts[mode].failure; f != nil {
				missed = append(missed, *f)
			}
		}
	}
	for _, m := range missed { // two rungs, or two modes, may lack the same
		if !slices.Contains(r.Degraded, m) {
			r.Degraded = append(r.Degraded, m)
		}
	}
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
