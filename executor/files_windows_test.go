package executor

import "testing"

func TestWindowsHasTerminals(t *testing.T) {
	if !terminals() {
		t.Error("no terminals")
	}
}
