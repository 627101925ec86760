package canary

import (
	"strconv"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/assess"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// windowsSaid is what a canary prints on a healthy machine.
func windowsSaid(f assess.Facts, change map[string]int) string {
	var b strings.Builder
	for _, list := range [][]string{assess.WindowsAttempts.Write, assess.WindowsAttempts.Read, assess.WindowsAttempts.Network, assess.WindowsAttempts.Tree, assess.WindowsAttempts.IPC, assess.WindowsAttempts.Kernel, {"inside"}} {
		for _, a := range list {
			n, ok := change[a]
			if !ok && f.Refused[a] && a != "daemon" {
				n = 5
			}
			b.WriteString(a + " " + strconv.Itoa(n) + "\r\n")
		}
	}
	return b.String() + Alone
}

func TestWhatACanarySaid(t *testing.T) {
	healthy := assess.WindowsFacts(policy.RungWriteRestricted, policy.ReadOnly)
	f, err := ReadWindows(windowsSaid(healthy, map[string]int{"inside": 5}), policy.RungWriteRestricted, policy.ReadOnly, false)
	if err != nil || !f.Refused["write"] || !f.Refused["daemon"] || f.Refused["tcp"] || f.Rung != policy.RungWriteRestricted {
		t.Errorf("%+v %v", f, err)
	}
	for attempt, code := range map[string]int{"write": 0, "rename": 2, "token": 6, "pipe": 231} { // any other error proves nothing
		f, err := ReadWindows(windowsSaid(healthy, map[string]int{"inside": 5, attempt: code}), policy.RungWriteRestricted, policy.ReadOnly, false)
		if err != nil || f.Refused[attempt] {
			t.Errorf("%s %d: %v", attempt, code, err)
		}
	}
	if f, _ := ReadWindows(windowsSaid(healthy, nil), policy.RungWriteRestricted, policy.ReadOnly, false); f.Refused["write"] {
		t.Error("a read-only workspace was written in")
	}
	if _, err := ReadWindows(windowsSaid(healthy, map[string]int{"inside": 5}), policy.RungWriteRestricted, policy.WorkspaceWrite, false); err == nil {
		t.Error("a workspace that can't be written is no sandbox for work")
	}
	if f, _ := ReadWindows(strings.TrimSuffix(windowsSaid(healthy, map[string]int{"inside": 5}), Alone), policy.RungWriteRestricted, policy.ReadOnly, false); f.Refused["daemon"] {
		t.Error("a daemon was left")
	}
	if _, err := ReadWindows("write", policy.RungWriteRestricted, policy.ReadOnly, false); err == nil {
		t.Error("half a line was taken")
	}
}

// Mode off is known by what the canary of another mode saw of the same job.
func TestModeOffClaimsWhatWasSeen(t *testing.T) {
	f := WindowsOff(assess.WindowsFacts(policy.RungLowIntegrity, policy.WorkspaceWrite))
	if !f.Refused["daemon"] || !f.Refused["breakaway"] || f.Refused["write"] || f.Rung != policy.RungLowIntegrity {
		t.Errorf("%+v", f)
	}
	if f = WindowsOff(assess.Facts{Failure: &policy.Missing{}, Refused: map[string]bool{"daemon": true}}); len(f.Refused) != 0 {
		t.Errorf("without a canary: %+v", f)
	}
}
