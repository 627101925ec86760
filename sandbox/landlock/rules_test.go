package landlock

import (
	"slices"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

func TestCachesAreWritableInEveryMode(t *testing.T) {
	for _, mode := range []policy.Mode{policy.ReadOnly, policy.WorkspaceWrite} {
		c := policy.Conf{Rung: policy.RungNoUserns, Policy: policy.Policy{Mode: mode, Caches: []string{"/c"}}, Home: "/h", Tmp: "/t"}
		_, private := c.Roots()
		if !slices.Contains(Rules(c, nil), rule{"/c", Write}) || !slices.Contains(private, "/c") {
			t.Errorf("%s: %v, %v", mode, Rules(c, nil), private)
		}
	}
}

func TestRulesGiveWritesOnlyInWriteMode(t *testing.T) {
	p := policy.Policy{Mode: policy.ReadOnly, Writable: []string{"/ws"}}
	for _, r := range Rules(policy.Conf{Rung: policy.RungNoUserns, Policy: p, Home: "/h", Tmp: "/t"}, nil) {
		if r.Access == Write && r.Path != "/h" && r.Path != "/t" {
			t.Errorf("read-only grants writes to %s", r.Path)
		}
	}
	p.Mode = policy.WorkspaceWrite
	granted := false
	for _, r := range Rules(policy.Conf{Rung: policy.RungNoUserns, Policy: p, Home: "/h", Tmp: "/t"}, nil) {
		granted = granted || r == rule{"/ws", Write}
	}
	if !granted {
		t.Error("workspace-write grants no write to the workspace")
	}
}
