package mounts

import (
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

func TestOutputsAreShownWhereNothingCanBeRenamed(t *testing.T) {
	l := debian(true).layout("/home/u")
	for _, reads := range []policy.Reads{policy.ReadsPrivate, policy.ReadsAll} {
		l.home = PrivateHome(reads, "/home/u")
		p := policy.Policy{Mode: policy.WorkspaceWrite, Network: policy.NetworkDeny, Reads: reads, Writable: []string{"/srv/p"}, Outputs: "/home/u/.local/state/pillion/outputs/x"}
		steps := strings.Join(planOf(t, l, p), "\n")
		if !strings.Contains(steps, "\ntmpfs /run 0755\n") || !strings.Contains(steps, "\nread /run/pillion-outputs < /home/u/.local/state/pillion/outputs/x") {
			t.Errorf("%s:\n%s", reads, steps)
		}
	}
}
