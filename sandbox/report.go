package sandbox

import (
	"os"
	"runtime"
	"time"
)

// newReport describes the machine by what the canaries found.
func newReport(got map[Mode]facts, at time.Time) Report {
	r := Report{
		Platform: runtime.GOOS + "/" + runtime.GOARCH, Kernel: kernelRelease(), Rung: RungNone,
		ProbedAt: at, Container: inContainer(), Modes: map[Mode]Enforcement{},
	}
	for mode, f := range got {
		r.Modes[mode] = assess(Policy{Mode: mode, Network: NetworkDeny, Reads: ReadsPrivate}, f)
	}
	if f := got[WorkspaceWrite]; f.failure != nil {
		r.Degraded = append(r.Degraded, *f.failure)
		return r
	}
	r.Rung = RungNoUserns
	r.Degraded = append(r.Degraded, Missing{
		Feature: "namespaces", Reason: "commands share the host's mount, pid and network namespaces on this rung",
		Hint: "Landlock and seccomp confine them; the residuals name what is left",
	})
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
