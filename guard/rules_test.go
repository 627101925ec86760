package guard

import (
	"testing"

	"github.com/pillion-sidecar/pillion/guard/rule"
)

func TestOrdinaryToolsAreAllowed(t *testing.T) {
	for _, command := range list(t, "rules-ordinary.txt") {
		if v := judge(command); v.Decision != rule.Allow {
			t.Errorf("%q: %s", command, describe(v))
		}
	}
}

func TestDangerousToolsAreGated(t *testing.T) {
	for _, command := range list(t, "rules-dangerous.txt") {
		if v := judge(command); v.Decision == rule.Allow {
			t.Errorf("allowed: %q", command)
		}
	}
}
