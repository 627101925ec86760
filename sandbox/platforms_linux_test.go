package sandbox

import (
	"slices"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/assess"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// The table says of a rung of Linux what that rung reports.
func TestThePlatformTableIsWhatEachRungReports(t *testing.T) {
	onEveryRung(t, func(t *testing.T, rung string) {
		b := newBench(t)
		for _, mode := range []Mode{ReadOnly, WorkspaceWrite} {
			got := b.m.Tested().Modes[mode]
			want := assess.Of(Policy{Mode: mode, Network: NetworkDeny, Reads: ReadsPrivate}, inGoodHealth(rung, mode))
			if got.FSWrite != want.FSWrite || got.FSRead != want.FSRead || got.Network != want.Network || got.ProcessTree != want.ProcessTree || got.IPC != want.IPC {
				t.Errorf("%s on %s reports %+v, the table says %+v", mode, rung, got, want)
			}
		}
	})
}

// inGoodHealth is what the self-test of a machine in good health finds on a rung.
func inGoodHealth(rung string, mode Mode) assess.Facts {
	switch {
	case rung == RungSeatbelt:
		return assess.SeatbeltFacts()
	case slices.Contains(policy.WindowsRungs, rung):
		return assess.WindowsFacts(rung, mode)
	}
	f := allRefused()
	f.Rung = rung
	f.Refused["signalThread"] = rung != RungNoLandlock
	return f
}
