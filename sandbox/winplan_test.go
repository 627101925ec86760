package sandbox

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestATokenIsLessThanTheUsersInEveryMode(t *testing.T) {
	for _, rung := range windowsRungs {
		for _, mode := range []Mode{ReadOnly, WorkspaceWrite} {
			p := planToken(rung, Policy{Mode: mode}, "S-1-5-21-1-2-3-4", "S-1-5-21-9")
			if p.flags&disableMaxPrivilege == 0 || p.integrity != sidLowIntegrity || !slices.Contains(p.denyOnly, "S-1-5-32-544") {
				t.Errorf("%s, %s: %+v", rung, mode, p)
			}
			if p.created != "D:(A;;GA;;;S-1-5-21-9)(A;;GA;;;SY)(A;;GA;;;S-1-5-21-1-2-3-4)" {
				t.Errorf("%s, %s: what a command makes is for %s", rung, mode, p.created)
			}
		}
	}
	if p := planToken(RungWriteRestricted, Policy{Mode: Off}, "a", "b"); p.flags != 0 || p.integrity != "" || p.denyOnly != nil {
		t.Errorf("mode off: %+v", p)
	}
}

// The user's own SID among the restricting ones would undo the restriction.
func TestOnlyTheStrongerRungRestrictsWriting(t *testing.T) {
	p := planToken(RungWriteRestricted, Policy{Mode: ReadOnly}, "own", "user")
	if p.flags&writeRestricted == 0 || !slices.Equal(p.restricting, []string{"own", sidEveryone, sidLogon}) {
		t.Errorf("%+v", p)
	}
	if p = planToken(RungLowIntegrity, Policy{Mode: ReadOnly}, "own", "user"); p.flags&writeRestricted != 0 || p.restricting != nil {
		t.Errorf("%+v", p)
	}
}

func TestAJobHoldsTheLimits(t *testing.T) {
	j := planJob(Policy{Mode: ReadOnly, Limits: Limits{Processes: 7, Memory: 8 << 30, CPU: 3 * time.Second}}, false)
	want := jobPlan{limits: jobKillOnClose | jobDieOnException | jobActiveProcess | jobMemory | jobTime, ui: jobUIAll, processes: 7, memory: 8 << 30, cpu: 30_000_000}
	if j != want {
		t.Errorf("%+v, want %+v", j, want)
	}
	if j = planJob(Policy{Mode: ReadOnly, Limits: Limits{Processes: 7, Memory: 1}}, false); j.limits&jobTime != 0 || j.cpu != 0 {
		t.Errorf("without a limit of CPU time: %+v", j)
	}
	if j = planJob(Policy{Mode: Off}, false); j != (jobPlan{limits: jobKillOnClose | jobDieOnException}) {
		t.Errorf("mode off: %+v", j)
	}
}

// JOB_OBJECT_LIMIT_BREAKAWAY_OK and _SILENT_BREAKAWAY_OK would let a process out.
func TestNothingBreaksAwayFromAJob(t *testing.T) {
	const breakawayOK, silentBreakawayOK = 0x800, 0x1000
	for _, mode := range []Mode{ReadOnly, WorkspaceWrite, Off} {
		if j := planJob(Policy{Mode: mode, Limits: limitsFor(0)}, false); j.limits&(breakawayOK|silentBreakawayOK) != 0 || j.limits&jobKillOnClose == 0 {
			t.Errorf("%s: %#x", mode, j.limits)
		}
	}
}

// A process can't be in two jobs of which one limits the user interface: no command
// would start.
func TestAJobWithinAJobDoesNotLimitTheUserInterface(t *testing.T) {
	p := Policy{Mode: ReadOnly, Limits: limitsFor(0)}
	alone, nested := planJob(p, false), planJob(p, true)
	if alone.ui != jobUIAll || nested.ui != 0 {
		t.Errorf("%#x and %#x", alone.ui, nested.ui)
	}
	nested.ui = alone.ui
	if alone != nested {
		t.Errorf("all else is the same: %+v and %+v", alone, nested)
	}
	said := func(f facts) bool {
		return strings.Contains(strings.Join(assess(p, f).Residual, "\n"), "clipboard")
	}
	f := windowsFacts(RungWriteRestricted, ReadOnly)
	if said(f) {
		t.Error("the clipboard is kept from commands")
	}
	f.backend = windowsBackend(RungWriteRestricted, ReadOnly, true)
	if !said(f) {
		t.Error("nothing says that the clipboard is open")
	}
}
