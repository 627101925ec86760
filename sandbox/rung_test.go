package sandbox

import (
	"slices"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/assess"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// A rung serves only when nothing got through in either mode; what did is named.
func TestARungThatLetsSomethingThroughDoesNotServe(t *testing.T) {
	if m := shortfall(RungFull, allRefused(), allRefused()); m != nil {
		t.Errorf("nothing got through: %+v", m)
	}
	holed := allRefused()
	holed.Refused["udp"] = false
	if m := shortfall(RungFull, allRefused(), holed); m == nil || m.Feature != "network" || m.Reason != "on the rung full the self-test got through: udp" {
		t.Errorf("%+v", m)
	}
	broken := assess.Facts{Failure: &Missing{Feature: rungNeeds[RungFull], Reason: "clone: EPERM", Hint: "a"}}
	if m := shortfall(RungFull, broken, holed); m != broken.Failure {
		t.Errorf("%+v", m)
	}
	all := noRung([]Missing{*broken.Failure, {Feature: rungNeeds[RungNoUserns], Reason: "ABI 0", Hint: "b"}, *broken.Failure})
	if all.Feature != "namespaces" || all.Reason != "clone: EPERM; ABI 0" || all.Hint != "a; or: b" {
		t.Errorf("%+v", all)
	}
}

// Without Landlock a command may signal what holds it, and nothing else.
func TestOnlyWithoutLandlockMayTheHolderBeSignalled(t *testing.T) {
	f := allRefused()
	f.Refused["signalThread"] = false
	for rung, serves := range map[string]bool{RungFull: false, RungNoUserns: false, RungNoLandlock: true} {
		f.Rung = rung
		if m := shortfall(rung, f); (m == nil) != serves {
			t.Errorf("%s: %+v", rung, m)
		}
	}
}

// What is in force on a rung, and which directories are only there.
func TestARungIsWhatItsMechanismsAre(t *testing.T) {
	for rung, want := range map[string]string{
		RungFull:       "userns+mounts+pidns+pid_max+netns+landlock+seccomp",
		RungNoLandlock: "userns+mounts+pidns+pid_max+netns+seccomp",
		RungNoUserns:   "landlock+seccomp+subreaper",
	} {
		c := policy.Conf{Rung: rung, Policy: Policy{Mode: WorkspaceWrite}, Home: "/h", Tmp: "/tmp"}
		if got := strings.Join(c.Backend(true, false), "+"); got != want {
			t.Errorf("%s: %s", rung, got)
		}
		if inner := slices.Contains(c.Inner(), "/h"); inner != c.Namespaced() {
			t.Errorf("%s: the home is inner: %v", rung, inner)
		}
	}
}
