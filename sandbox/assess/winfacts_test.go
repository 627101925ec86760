package assess

import (
	"slices"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

func healthy(rung string, p policy.Policy) (policy.Enforcement, []policy.Missing) {
	e := Of(p, WindowsFacts(rung, p.Mode))
	return e, Lacking(p, e)
}

// What seed and floor of this platform are: nothing is written, the rest is said.
func TestAHealthyWindowsEnforcesReadOnly(t *testing.T) {
	p := policy.Policy{Mode: policy.ReadOnly, Network: policy.NetworkAllow, Reads: policy.ReadsAll}
	e, missing := healthy(policy.RungWriteRestricted, p)
	if e.FSWrite != policy.LevelEnforced || e.ProcessTree != policy.LevelEnforced || e.IPC != policy.LevelEnforced || len(missing) != 0 {
		t.Errorf("%+v, missing %+v", e, missing)
	}
	if e, _ = healthy(policy.RungLowIntegrity, p); e.FSWrite != policy.LevelPartial || !strings.Contains(strings.Join(e.Residual, "\n"), "LocalLow") {
		t.Errorf("without restricting SIDs: %+v", e)
	}
}

func TestWindowsRefusesByNameWhatItCannotGive(t *testing.T) {
	_, missing := healthy(policy.RungWriteRestricted, policy.Policy{Mode: policy.WorkspaceWrite, Network: policy.NetworkDeny, Reads: policy.ReadsPrivate})
	var features []string
	for _, m := range missing {
		features = append(features, m.Feature+" "+m.Reason)
	}
	want := []string{
		"fsWrite this machine gives it partial, not enforced", "fsRead this machine gives it none, not enforced",
		"network this machine gives it none, not enforced",
	}
	if !slices.Equal(features, want) {
		t.Errorf("%q", features)
	}
}

func TestEveryLevelOfWindowsIsTried(t *testing.T) {
	f := WindowsFacts(policy.RungWriteRestricted, policy.ReadOnly)
	for _, c := range []struct{ attempt, level string }{
		{"rename", "fsWrite"},
		{"low", "fsWrite"},
		{"protected", "fsWrite"},
		{"token", "fsWrite"},
		{"admin", "fsWrite"},
		{"daemon", "processTree"},
		{"breakaway", "processTree"},
		{"terminate", "processTree"},
		{"inject", "processTree"},
		{"memory", "processTree"},
		{"section", "ipc"},
	} {
		f.Refused[c.attempt] = false
		e := Of(policy.Policy{Mode: policy.ReadOnly}, f)
		got := map[string]policy.Level{"fsWrite": e.FSWrite, "processTree": e.ProcessTree, "ipc": e.IPC}
		for name, level := range got {
			if (level != policy.LevelEnforced) != (name == c.level) {
				t.Errorf("%s got through: %s %s", c.attempt, name, level)
			}
		}
		f.Refused[c.attempt] = true
	}
}

func TestModeOffOwnsTheTreeByItsJob(t *testing.T) {
	e, _ := healthy(policy.RungWriteRestricted, policy.Policy{Mode: policy.Off})
	if !slices.Equal(e.Backend, []string{"job"}) || e.ProcessTree != policy.LevelPartial || e.FSWrite != policy.LevelNone || !e.Available {
		t.Errorf("%+v", e)
	}
}

func TestWhatWindowsLacksSaysWhatToDo(t *testing.T) {
	_, missing := healthy(policy.RungWriteRestricted, policy.Policy{Mode: policy.ReadOnly, Network: policy.NetworkDeny, Reads: policy.ReadsPrivate})
	for _, m := range missing {
		i := slices.IndexFunc(WindowsLacks, func(l policy.Missing) bool { return l.Feature == m.Feature })
		if i < 0 || WindowsLacks[i].Reason == "" || WindowsLacks[i].Hint == "" {
			t.Errorf("%s is missing and nothing says why", m.Feature)
		}
	}
}
