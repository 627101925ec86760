package policy

import "testing"

func TestOtherOutputsAreAnotherSandbox(t *testing.T) {
	if (Policy{Outputs: "/a"}).Key() == (Policy{Outputs: "/b"}).Key() {
		t.Error("two sessions' outputs in one sandbox")
	}
	if bad := (Policy{Mode: ReadOnly, Network: NetworkDeny, Outputs: "a/../b"}).Validate(); bad == nil {
		t.Error("a relative path")
	}
}
