package assess

import (
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

func TestTheReportNamesTheGroup(t *testing.T) {
	c := policy.Conf{Rung: policy.RungNoUserns, Policy: policy.Policy{Mode: policy.WorkspaceWrite}}
	if got := strings.Join(c.Backend(false, true), "+"); got != "landlock+seccomp+subreaper+cgroup" {
		t.Error(got)
	}
	if left := limitResiduals(c.Backend(false, true)); left != nil {
		t.Errorf("nothing is left to looking: %q", left)
	}
	if left := limitResiduals(c.Backend(false, false)); len(left) != 2 {
		t.Errorf("both are: %q", left)
	}
}
