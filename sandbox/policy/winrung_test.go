package policy

import (
	"strings"
	"testing"
)

// A profile whose only protection is isolation wants namespaces.
func TestARungOfWindowsIsNeverFull(t *testing.T) {
	for _, rung := range WindowsRungs {
		if m := (Policy{Mode: ReadOnly, Rung: RungFull}).Below(rung); len(m) != 1 || m[0].Feature != "rung" {
			t.Errorf("%s: %+v", rung, m)
		}
		if m := (Policy{Mode: ReadOnly, Network: NetworkProxy}).Unserved(rung); len(m) != 1 || !strings.Contains(m[0].Reason, "Windows") {
			t.Errorf("%s: %+v", rung, m)
		}
	}
}
