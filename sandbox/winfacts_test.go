package sandbox

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

func healthy(rung string, p Policy) (Enforcement, []Missing) {
	e := assess(p, windowsFacts(rung, p.Mode))
	return e, p.missing(e)
}

// What seed and floor of this platform are: nothing is written, the rest is said.
func TestAHealthyWindowsEnforcesReadOnly(t *testing.T) {
	p := Policy{Mode: ReadOnly, Network: NetworkAllow, Reads: ReadsAll}
	e, missing := healthy(RungWriteRestricted, p)
	if e.FSWrite != LevelEnforced || e.ProcessTree != LevelEnforced || e.IPC != LevelEnforced || len(missing) != 0 {
		t.Errorf("%+v, missing %+v", e, missing)
	}
	if e, _ = healthy(RungLowIntegrity, p); e.FSWrite != LevelPartial || !strings.Contains(strings.Join(e.Residual, "\n"), "LocalLow") {
		t.Errorf("without restricting SIDs: %+v", e)
	}
}

func TestWindowsRefusesByNameWhatItCannotGive(t *testing.T) {
	_, missing := healthy(RungWriteRestricted, Policy{Mode: WorkspaceWrite, Network: NetworkDeny, Reads: ReadsPrivate})
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
	f := windowsFacts(RungWriteRestricted, ReadOnly)
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
		f.refused[c.attempt] = false
		e := assess(Policy{Mode: ReadOnly}, f)
		got := map[string]Level{"fsWrite": e.FSWrite, "processTree": e.ProcessTree, "ipc": e.IPC}
		for name, level := range got {
			if (level != LevelEnforced) != (name == c.level) {
				t.Errorf("%s got through: %s %s", c.attempt, name, level)
			}
		}
		f.refused[c.attempt] = true
	}
}

func TestModeOffOwnsTheTreeByItsJob(t *testing.T) {
	e, _ := healthy(RungWriteRestricted, Policy{Mode: Off})
	if !slices.Equal(e.Backend, []string{"job"}) || e.ProcessTree != LevelPartial || e.FSWrite != LevelNone || !e.Available {
		t.Errorf("%+v", e)
	}
}

// windowsSaid is what a canary prints on a healthy machine.
func windowsSaid(f facts, change map[string]int) string {
	var b strings.Builder
	for _, list := range [][]string{windowsAttempts.write, windowsAttempts.read, windowsAttempts.network, windowsAttempts.tree, windowsAttempts.ipc, windowsAttempts.kernel, {"inside"}} {
		for _, a := range list {
			n, ok := change[a]
			if !ok && f.refused[a] && a != "daemon" {
				n = 5
			}
			b.WriteString(a + " " + strconv.Itoa(n) + "\r\n")
		}
	}
	return b.String() + windowsAlone
}

func TestWhatACanarySaid(t *testing.T) {
	healthy := windowsFacts(RungWriteRestricted, ReadOnly)
	f, err := readWindowsCanary(windowsSaid(healthy, map[string]int{"inside": 5}), RungWriteRestricted, ReadOnly, false)
	if err != nil || !f.refused["write"] || !f.refused["daemon"] || f.refused["tcp"] || f.rung != RungWriteRestricted {
		t.Errorf("%+v %v", f, err)
	}
	for attempt, code := range map[string]int{"write": 0, "rename": 2, "token": 6, "pipe": 231} { // any other error proves nothing
		f, err := readWindowsCanary(windowsSaid(healthy, map[string]int{"inside": 5, attempt: code}), RungWriteRestricted, ReadOnly, false)
		if err != nil || f.refused[attempt] {
			t.Errorf("%s %d: %v", attempt, code, err)
		}
	}
	if f, _ := readWindowsCanary(windowsSaid(healthy, nil), RungWriteRestricted, ReadOnly, false); f.refused["write"] {
		t.Error("a read-only workspace was written in")
	}
	if _, err := readWindowsCanary(windowsSaid(healthy, map[string]int{"inside": 5}), RungWriteRestricted, WorkspaceWrite, false); err == nil {
		t.Error("a workspace that can't be written is no sandbox for work")
	}
	if f, _ := readWindowsCanary(strings.TrimSuffix(windowsSaid(healthy, map[string]int{"inside": 5}), windowsAlone), RungWriteRestricted, ReadOnly, false); f.refused["daemon"] {
		t.Error("a daemon was left")
	}
	if _, err := readWindowsCanary("write", RungWriteRestricted, ReadOnly, false); err == nil {
		t.Error("half a line was taken")
	}
}

// A profile whose only protection is isolation wants namespaces.
func TestARungOfWindowsIsNeverFull(t *testing.T) {
	for _, rung := range windowsRungs {
		if m := (Policy{Mode: ReadOnly, Rung: RungFull}).below(rung); len(m) != 1 || m[0].Feature != "rung" {
			t.Errorf("%s: %+v", rung, m)
		}
		if m := (Policy{Mode: ReadOnly, Network: NetworkProxy}).unserved(rung); len(m) != 1 || !strings.Contains(m[0].Reason, "Windows") {
			t.Errorf("%s: %+v", rung, m)
		}
	}
}

// Mode off is told by what the canary of another mode saw of the same job.
func TestModeOffClaimsWhatWasSeen(t *testing.T) {
	f := offFacts(windowsFacts(RungLowIntegrity, WorkspaceWrite))
	if !f.refused["daemon"] || !f.refused["breakaway"] || f.refused["write"] || f.rung != RungLowIntegrity {
		t.Errorf("%+v", f)
	}
	if f = offFacts(facts{failure: &Missing{}, refused: map[string]bool{"daemon": true}}); len(f.refused) != 0 {
		t.Errorf("without a canary: %+v", f)
	}
}

func TestWhatWindowsLacksSaysWhatToDo(t *testing.T) {
	_, missing := healthy(RungWriteRestricted, Policy{Mode: ReadOnly, Network: NetworkDeny, Reads: ReadsPrivate})
	for _, m := range missing {
		i := slices.IndexFunc(windowsLacks, func(l Missing) bool { return l.Feature == m.Feature })
		if i < 0 || windowsLacks[i].Reason == "" || windowsLacks[i].Hint == "" {
			t.Errorf("%s is missing and nothing says why", m.Feature)
		}
	}
	if release(10, 0, 22631) != "10.0.22631" {
		t.Error(release(10, 0, 22631))
	}
}
