package assess

import (
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// Best effort is not a way around it: without a network of its own a command would have
// the host's, or none and not know why.
func TestAProxyIsOnlyCarriedWhereTheNetworkIsTheSandboxsOwn(t *testing.T) {
	for rung, carried := range map[string]bool{policy.RungFull: true, policy.RungNoLandlock: true, policy.RungSeatbelt: true, policy.RungNoUserns: false, policy.RungNone: false} {
		for _, require := range []policy.Require{policy.RequireEnforced, policy.RequireBestEffort} {
			p := policy.Policy{Mode: policy.WorkspaceWrite, Network: policy.NetworkProxy, Require: require}
			m := p.Unserved(rung)
			if (len(m) == 0) != carried || !carried && (m[0].Feature != "network" || m[0].Reason == "" || m[0].Hint == "") {
				t.Errorf("%s %s: %+v", rung, require, m)
			}
			p.Mode = policy.Off
			if m := p.Unserved(rung); len(m) != 1 || !strings.Contains(m[0].Reason, "off") {
				t.Errorf("off on %s: %+v", rung, m)
			}
			p.Network = policy.NetworkAllow
			if m := p.Unserved(rung); len(m) != 0 {
				t.Errorf("allow on %s: %+v", rung, m)
			}
		}
	}
	got := Of(policy.Policy{Mode: policy.WorkspaceWrite, Network: policy.NetworkProxy, Reads: policy.ReadsPrivate}, allRefused())
	if got.Network != policy.LevelEnforced || len(got.Residual) == 0 {
		t.Errorf("%+v", got)
	}
	holed := allRefused()
	holed.Refused["tcp"] = false
	p := policy.Policy{Mode: policy.WorkspaceWrite, Network: policy.NetworkProxy, Reads: policy.ReadsPrivate}
	if m := Lacking(p, Of(p, holed)); len(m) != 1 || m[0].Feature != "network" {
		t.Errorf("TCP got through: %+v", m)
	}
}
