package policy

import (
	"fmt"
	"strings"
	"testing"
)

func TestSandboxNames(t *testing.T) {
	for name, want := range map[string]bool{
		"default": true, "a": true, "A.b_c-9": true, strings.Repeat("x", 64): true,
		"": false, strings.Repeat("x", 65): false, "a b": false, "a/b": false, "é": false, "a\n": false,
	} {
		if ValidName(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
	if bad := (Policy{Mode: ReadOnly, Network: NetworkDeny, Name: "../x"}).Validate(); bad == nil || bad.Feature != "name" {
		t.Errorf("a policy of that name: %+v", bad)
	}
}

// A request without a name and one that spells the default share a sandbox.
func TestNoNameIsTheDefaultName(t *testing.T) {
	a, b := Policy{Mode: ReadOnly}, Policy{Mode: ReadOnly, Name: DefaultName}
	if a.Key() != b.Key() || a.Hash() != b.Hash() || a.SandboxName() != "default" {
		t.Errorf("%q and %q", a.Key(), b.Key())
	}
	if other := (Policy{Mode: ReadOnly, Name: "x"}); other.Key() == a.Key() || other.Hash() == a.Hash() {
		t.Error("another name has the same key")
	}
}

// A program that tries in a loop is one row; rows are bounded, the total is not; what was
// taken is not reported twice.
func TestViolationsOfALoopAreOneRow(t *testing.T) {
	var v Collected
	for i := range 3 * MaxViolations {
		v.Add(Violation{Op: "open", Path: "/same"})
		v.Add(Violation{Op: "open", Path: fmt.Sprint(i)})
	}
	rows, total := v.Take()
	if total != 6*MaxViolations || len(rows) != MaxViolations || rows[0].Count != 3*MaxViolations || rows[1].Count != 1 {
		t.Errorf("%d rows of %d, %+v", len(rows), total, rows[:2])
	}
	if rows, total := v.Take(); len(rows) != 0 || total != 0 {
		t.Errorf("again: %d of %d", len(rows), total)
	}
}
