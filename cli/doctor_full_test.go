package cli

import (
	"testing"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// What a command would be refused for is not called full, and nothing else is missed.
func TestFullIsWhatCommandsAreNotRefusedFor(t *testing.T) {
	const enforced, partial, none = "enforced", "partial", "none"
	of := func(backend string, tree, read sandbox.Level) protocol.Enforcement {
		return protocol.Enforcement{Available: true, Backend: []string{backend}, FSWrite: enforced, FSRead: read, Network: enforced, ProcessTree: tree}
	}
	for _, tc := range []struct {
		backend    string
		tree, read sandbox.Level
		want       bool
	}{
		{"landlock", enforced, enforced, true},
		{"landlock", partial, enforced, false},
		{"seatbelt", enforced, enforced, true},
		{"seatbelt", partial, enforced, true},
		{"seatbelt", none, enforced, false},
		{"seatbelt", partial, partial, false},
	} {
		if got := full(of(tc.backend, tc.tree, tc.read)); got != tc.want {
			t.Errorf("%+v: %v", tc, got)
		}
	}
	if e := of("seatbelt", enforced, enforced); full(protocol.Enforcement{Backend: e.Backend}) {
		t.Error("what is not available is called full")
	}
}
