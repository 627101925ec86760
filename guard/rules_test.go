package guard

import "testing"

func TestOrdinaryToolsAreAllowed(t *testing.T) {
	for _, command := range list(t, "rules-ordinary.txt") {
		if v := judge(command); v.Decision != Allow {
			t.Errorf("%q: %s", command, describe(v))
		}
	}
}

func TestDangerousToolsAreGated(t *testing.T) {
	for _, command := range list(t, "rules-dangerous.txt") {
		if v := judge(command); v.Decision == Allow {
			t.Errorf("allowed: %q", command)
		}
	}
}
