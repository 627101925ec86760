package proc

import "testing"

func TestReleaseIsAVersion(t *testing.T) {
	if got := release(10, 0, 22631); got != "10.0.22631" {
		t.Error(got)
	}
}
