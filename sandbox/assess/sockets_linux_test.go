package assess

import (
	"slices"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

func TestEverySocketOfThePolicyIsInTheReport(t *testing.T) {
	p := policy.Policy{Mode: policy.WorkspaceWrite, Network: policy.NetworkDeny, Sockets: []string{"/run/docker.sock", "/run/agent"}}
	f := allRefused()
	f.Rung = policy.RungFull
	for _, s := range p.Sockets {
		if got := Of(p, f).Residual; !slices.ContainsFunc(got, func(r string) bool { return strings.Contains(r, "connect to "+s+",") }) {
			t.Errorf("%s is not in %q", s, got)
		}
	}
	f.Rung = policy.RungNoUserns
	if got := Of(p, f).Residual; !strings.Contains(strings.Join(got, "\n"), "no socket of the host") {
		t.Errorf("%q", got)
	}
}
