package policy

import (
	"slices"
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
		for _, m := range tc.policy.Below(tc.have) {
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
