package mcp

import (
	"testing"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// A host may skip its question for a tool that is harmless, so a hint must not
// promise more than every request that the user's policy would grant.
func TestHintsAreThoseOfTheWorstThatIsGranted(t *testing.T) {
	for _, tc := range []struct {
		mode              sandbox.Mode
		network           sandbox.Network
		grants            executor.Grants
		writes, openWorld bool
	}{
		{sandbox.WorkspaceWrite, sandbox.NetworkDeny, executor.Grants{}, true, false},
		{sandbox.ReadOnly, sandbox.NetworkDeny, executor.Grants{}, false, false},
		{sandbox.ReadOnly, sandbox.NetworkDeny, executor.Grants{Write: true}, true, false},
		{sandbox.ReadOnly, sandbox.NetworkDeny, executor.Grants{Off: true}, true, true},
		{sandbox.ReadOnly, sandbox.NetworkProxy, executor.Grants{}, false, true},
		{sandbox.WorkspaceWrite, sandbox.NetworkDeny, executor.Grants{Network: true}, true, true},
		{sandbox.WorkspaceWrite, sandbox.NetworkAllow, executor.Grants{}, true, true},
	} {
		h := execHints(config.Config{Sandbox: sandbox.Policy{Mode: tc.mode, Network: tc.network}, Grants: tc.grants})
		if h.ReadOnlyHint == tc.writes || *h.DestructiveHint != tc.writes || *h.OpenWorldHint != tc.openWorld {
			t.Errorf("%+v: %+v", tc, h)
		}
	}
}
