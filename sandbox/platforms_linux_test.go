package sandbox

import "testing"

// The table says of a rung of Linux what that rung reports.
func TestThePlatformTableIsWhatEachRungReports(t *testing.T) {
	onEveryRung(t, func(t *testing.T, rung string) {
		b := newBench(t)
		for _, mode := range []Mode{ReadOnly, WorkspaceWrite} {
			got := b.m.Tested().Modes[mode]
			want := assess(Policy{Mode: mode, Network: NetworkDeny, Reads: ReadsPrivate}, inGoodHealth(rung, mode))
			if got.FSWrite != want.FSWrite || got.FSRead != want.FSRead || got.Network != want.Network || got.ProcessTree != want.ProcessTree || got.IPC != want.IPC {
				t.Errorf("%s on %s reports %+v, the table says %+v", mode, rung, got, want)
			}
		}
	})
}
