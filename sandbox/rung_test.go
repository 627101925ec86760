package sandbox

import (
	"slices"
	"strings"
	"testing"
)

func TestAPolicyThatNamesARungIsNeverServedByLess(t *testing.T) {
	base := Policy{Mode: WorkspaceWrite, Network: NetworkDeny, Reads: ReadsPrivate, Require: RequireEnforced, Rung: RungFull}
	with := func(change func(*Policy)) Policy {
		p := base
		change(&p)
		return p
	}
	for name, tc := range map[string]struct {
		policy Policy
		have   string
		want   []string
	}{
		"met":          {base, RungFull, nil},
		"no rung said": {with(func(p *Policy) { p.Rung = "" }), RungNone, nil},
		"weaker":       {base, RungNoUserns, []string{"rung"}},
		"nothing":      {base, RungNone, []string{"rung"}},
		"best effort":  {with(func(p *Policy) { p.Require = RequireBestEffort }), RungNoUserns, []string{"rung", "require"}},
		"off":          {with(func(p *Policy) { p.Mode = Off }), RungFull, []string{"mode"}},
		"network":      {with(func(p *Policy) { p.Network = NetworkAllow }), RungFull, []string{"network"}},
		"no such rung": {with(func(p *Policy) { p.Rung = "best" }), RungFull, []string{"rung"}},
	} {
		var got []string
		for _, m := range tc.policy.below(tc.have) {
			got = append(got, m.Feature)
			if m.Reason == "" || m.Hint == "" {
				t.Errorf("%s: %+v says too little", name, m)
			}
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: missing %v, want %v", name, got, tc.want)
		}
	}
	if base.Key() == with(func(p *Policy) { p.Rung = "" }).Key() {
		t.Error("a policy without the rung would get the same sandbox")
	}
}

// A rung serves only when nothing got through in either mode; what did is named.
func TestARungThatLetsSomethingThroughDoesNotServe(t *testing.T) {
	if m := shortfall(RungFull, allRefused(), allRefused()); m != nil {
		t.Errorf("nothing got through: %+v", m)
	}
	holed := allRefused()
	holed.refused["udp"] = false
	if m := shortfall(RungFull, allRefused(), holed); m == nil || m.Feature != "network" || m.Reason != "on the rung full the self-test got through: udp" {
		t.Errorf("%+v", m)
	}
	broken := facts{failure: &Missing{Feature: rungNeeds[RungFull], Reason: "clone: EPERM", Hint: "a"}}
	if m := shortfall(RungFull, broken, holed); m != broken.failure {
		t.Errorf("%+v", m)
	}
	all := noRung([]Missing{*broken.failure, {Feature: rungNeeds[RungNoUserns], Reason: "ABI 0", Hint: "b"}, *broken.failure})
	if all.Feature != "namespaces" || all.Reason != "clone: EPERM; ABI 0" || all.Hint != "a; or: b" {
		t.Errorf("%+v", all)
	}
}

// Without Landlock a command may signal what holds it, and nothing else.
func TestOnlyWithoutLandlockMayTheHolderBeSignalled(t *testing.T) {
	f := allRefused()
	f.refused["signalThread"] = false
	for rung, serves := range map[string]bool{RungFull: false, RungNoUserns: false, RungNoLandlock: true} {
		f.rung = rung
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
		c := conf{rung: rung, policy: Policy{Mode: WorkspaceWrite}, home: "/h", tmp: "/tmp"}
		if got := strings.Join(c.backend(true, false), "+"); got != want {
			t.Errorf("%s: %s", rung, got)
		}
		if inner := slices.Contains(c.inner(), "/h"); inner != c.namespaced() {
			t.Errorf("%s: the home is inner: %v", rung, inner)
		}
	}
}

// Best effort is no way around it: without a network of its own a command would
// have the host's, or none and not know why.
func TestAProxyIsOnlyCarriedWhereTheNetworkIsTheSandboxsOwn(t *testing.T) {
	for rung, carried := range map[string]bool{RungFull: true, RungNoLandlock: true, RungSeatbelt: true, RungNoUserns: false, RungNone: false} {
		for _, require := range []Require{RequireEnforced, RequireBestEffort} {
			p := Policy{Mode: WorkspaceWrite, Network: NetworkProxy, Require: require}
			m := p.unserved(rung)
			if (len(m) == 0) != carried || !carried && (m[0].Feature != "network" || m[0].Reason == "" || m[0].Hint == "") {
				t.Errorf("%s %s: %+v", rung, require, m)
			}
			p.Mode = Off
			if m := p.unserved(rung); len(m) != 1 || !strings.Contains(m[0].Reason, "off") {
				t.Errorf("off on %s: %+v", rung, m)
			}
			p.Network = NetworkAllow
			if m := p.unserved(rung); len(m) != 0 {
				t.Errorf("allow on %s: %+v", rung, m)
			}
		}
	}
	got := assess(Policy{Mode: WorkspaceWrite, Network: NetworkProxy, Reads: ReadsPrivate}, allRefused())
	if got.Network != LevelEnforced || len(got.Residual) == 0 {
		t.Errorf("%+v", got)
	}
	holed := allRefused()
	holed.refused["tcp"] = false
	p := Policy{Mode: WorkspaceWrite, Network: NetworkProxy, Reads: ReadsPrivate}
	if m := p.missing(assess(p, holed)); len(m) != 1 || m[0].Feature != "network" {
		t.Errorf("TCP got through: %+v", m)
	}
}
