package wintoken

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox/assess"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

func TestATokenIsLessThanTheUsersInEveryMode(t *testing.T) {
	for _, rung := range policy.WindowsRungs {
		for _, mode := range []policy.Mode{policy.ReadOnly, policy.WorkspaceWrite} {
			p := PlanToken(rung, policy.Policy{Mode: mode}, "S-1-5-21-1-2-3-4", "S-1-5-21-9")
			if p.flags&disableMaxPrivilege == 0 || p.integrity != sidLowIntegrity || !slices.Contains(p.denyOnly, "S-1-5-32-544") {
				t.Errorf("%s, %s: %+v", rung, mode, p)
			}
			if p.created != "D:(A;;GA;;;S-1-5-21-9)(A;;GA;;;SY)(A;;GA;;;S-1-5-21-1-2-3-4)" {
				t.Errorf("%s, %s: what a command makes is for %s", rung, mode, p.created)
			}
		}
	}
	if p := PlanToken(policy.RungWriteRestricted, policy.Policy{Mode: policy.Off}, "a", "b"); p.flags != 0 || p.integrity != "" || p.denyOnly != nil {
		t.Errorf("mode off: %+v", p)
	}
}

// The user's own SID among the restricting ones would undo the restriction.
func TestOnlyTheStrongerRungRestrictsWriting(t *testing.T) {
	p := PlanToken(policy.RungWriteRestricted, policy.Policy{Mode: policy.ReadOnly}, "own", "user")
	if p.flags&writeRestricted == 0 || !slices.Equal(p.restricting, []string{"own", sidEveryone, sidLogon}) {
		t.Errorf("%+v", p)
	}
	if p = PlanToken(policy.RungLowIntegrity, policy.Policy{Mode: policy.ReadOnly}, "own", "user"); p.flags&writeRestricted != 0 || p.restricting != nil {
		t.Errorf("%+v", p)
	}
}

func TestAJobHoldsTheLimits(t *testing.T) {
	j := PlanJob(policy.Policy{Mode: policy.ReadOnly, Limits: policy.Limits{Processes: 7, Memory: 8 << 30, CPU: 3 * time.Second}}, false)
	want := JobPlan{Limits: jobKillOnClose | jobDieOnException | jobActiveProcess | jobMemory | jobTime, UI: jobUIAll, Processes: 7, Memory: 8 << 30, CPU: 30_000_000}
	if j != want {
		t.Errorf("%+v, want %+v", j, want)
	}
	if j = PlanJob(policy.Policy{Mode: policy.ReadOnly, Limits: policy.Limits{Processes: 7, Memory: 1}}, false); j.Limits&jobTime != 0 || j.CPU != 0 {
		t.Errorf("without a limit of CPU time: %+v", j)
	}
	if j = PlanJob(policy.Policy{Mode: policy.Off}, false); j != (JobPlan{Limits: jobKillOnClose | jobDieOnException}) {
		t.Errorf("mode off: %+v", j)
	}
}

// JOB_OBJECT_LIMIT_BREAKAWAY_OK and _SILENT_BREAKAWAY_OK would let a process out.
func TestNothingBreaksAwayFromAJob(t *testing.T) {
	const breakawayOK, silentBreakawayOK = 0x800, 0x1000
	for _, mode := range []policy.Mode{policy.ReadOnly, policy.WorkspaceWrite, policy.Off} {
		if j := PlanJob(policy.Policy{Mode: mode, Limits: policy.LimitsFor(0)}, false); j.Limits&(breakawayOK|silentBreakawayOK) != 0 || j.Limits&jobKillOnClose == 0 {
			t.Errorf("%s: %#x", mode, j.Limits)
		}
	}
}

// A process can't be in two jobs of which one limits the user interface: no command
// would start.
func TestAJobWithinAJobDoesNotLimitTheUserInterface(t *testing.T) {
	p := policy.Policy{Mode: policy.ReadOnly, Limits: policy.LimitsFor(0)}
	alone, nested := PlanJob(p, false), PlanJob(p, true)
	if alone.UI != jobUIAll || nested.UI != 0 {
		t.Errorf("%#x and %#x", alone.UI, nested.UI)
	}
	nested.UI = alone.UI
	if alone != nested {
		t.Errorf("all else is the same: %+v and %+v", alone, nested)
	}
	said := func(f assess.Facts) bool {
		return strings.Contains(strings.Join(assess.Of(p, f).Residual, "\n"), "clipboard")
	}
	f := assess.WindowsFacts(policy.RungWriteRestricted, policy.ReadOnly)
	if said(f) {
		t.Error("the clipboard is kept from commands")
	}
	f.Backend = assess.WindowsBackend(policy.RungWriteRestricted, policy.ReadOnly, true)
	if !said(f) {
		t.Error("nothing says that the clipboard is open")
	}
}
