package sandbox

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox/assess"
	"github.com/pillion-sidecar/pillion/sandbox/proc"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// newReport describes the machine by what the canaries found.
func newReport(got findings, at time.Time) Report {
	r := Report{
		Platform: runtime.GOOS + "/" + runtime.GOARCH, Kernel: proc.KernelRelease(), Rung: got.rung,
		ProbedAt: at, Container: inContainer(), Modes: map[Mode]Enforcement{},
	}
	for mode, f := range got.facts {
		r.Modes[mode] = assess.Of(Policy{Mode: mode, Network: NetworkDeny, Reads: ReadsPrivate}, f)
	}
	missed := got.missed
	if got.rung == RungNone {
		missed = nil
		for _, mode := range []Mode{WorkspaceWrite, Off} {
			if f := got.facts[mode].Failure; f != nil {
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

// The self-test takes some ten milliseconds, most of an editor's start. Its last
// outcome is kept so that initialize can be answered while the new one runs. It
// decides nothing there: commands wait for the new one. A process for one command takes
// a recent outcome for its own, see Options.Recall.

func lastTestPath(o Options) string { return filepath.Join(o.StateDir, "self-test"+o.Program) }

// keptTest is what is kept of a test.
type keptTest struct {
	Machine, At, Rung, Group string
	Facts                    map[Mode]assess.Facts
	Missed                   []Missing
}

// saveLast keeps a successful test; a failed one is worth repeating.
func saveLast(o Options, got findings, at time.Time) {
	key := machineKey()
	if key == "" || got.rung == RungNone {
		_ = os.Remove(lastTestPath(o))
		return
	}
	kept := keptTest{key, at.Format(time.RFC3339Nano), got.rung, got.group, got.facts, got.missed}
	_ = os.WriteFile(lastTestPath(o), wire.Encode(kept), 0o600) // without it the next start waits for its test, no more
}

// lastTest is the outcome of the last test.
type lastTest struct {
	found  findings
	report Report
}

// loadLast reads the last test's outcome, if it still describes this machine. A file that
// another sidecar is just writing, or that was cut off, can't be decoded.
func loadLast(o Options) (lastTest, bool) {
	b, err := os.ReadFile(lastTestPath(o))
	var kept keptTest
	if err != nil || wire.Decode(b, &kept) != nil || kept.Machine == "" || kept.Machine != machineKey() {
		return lastTest{}, false
	}
	at, err := time.Parse(time.RFC3339Nano, kept.At)
	if err != nil {
		return lastTest{}, false
	}
	got := findings{rung: kept.Rung, group: kept.Group, facts: kept.Facts, missed: kept.Missed}
	return lastTest{got, newReport(got, at)}, true
}

// recallTime is how long an outcome may stand for a test of one's own.
const recallTime = time.Hour

// recent is about clocks that were set back, too.
func (l lastTest) recent() bool {
	age := time.Since(l.report.ProbedAt)
	return age >= 0 && age < recallTime
}

// doubt ends the use of a remembered outcome, and says whether there was one: what it
// promised was refused, so that only a test knows what there is.
func (m *Manager) doubt() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !m.closed && m.recalls.Swap(false)
}
