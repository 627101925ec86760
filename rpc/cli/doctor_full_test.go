package cli

import (
	"testing"

	"github.com/pillion-sidecar/pillion/rpc"
)

// What a command would be refused for is not called full, and nothing else is missed.
func TestFullIsWhatCommandsAreNotRefusedFor(t *testing.T) {
	const enforced, partial, none = "enforced", "partial", "none"
	of := func(backend, tree, read string) rpc.Enforcement {
		return rpc.Enforcement{Available: true, Backend: []string{backend}, FSWrite: enforced, FSRead: read, Network: enforced, ProcessTree: tree}
	}
	for _, tc := range []struct {
		backend, tree, read string
		want                bool
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
	if e := of("seatbelt", enforced, enforced); full(rpc.Enforcement{Backend: e.Backend}) {
		t.Error("what is not available is called full")
	}
}
