package protocol

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestPointersWithinAnArrayOfChecks(t *testing.T) {
	for p, want := range map[jsontext.Pointer]jsontext.Pointer{
		"":                       "",
		"/checks":                "/checks",
		"/checks/3":              "",
		"/checks/3/timeoutMs":    "/timeoutMs",
		"/checks/12/env/checks":  "/env/checks",
		"/env/A":                 "/env/A",
		"/sandbox/checks/1/mode": "/sandbox/checks/1/mode",
	} {
		if got := withinCheck(p); got != want {
			t.Errorf("%q: %q, want %q", p, got, want)
		}
	}
	for p, want := range map[jsontext.Pointer]bool{
		"/checks/0/timeoutMs": true, "/checks/0/env/A": true, "/timeoutMs": false, "/env/A": false,
		"/checks/0": false, "/checks/0/stdin": false, "/checks": false,
	} {
		if CheckNull(p) != want {
			t.Errorf("null at %q: %v", p, !want)
		}
	}
}
