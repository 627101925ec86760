// Package long is how a test says that it takes seconds: go test -short leaves it out,
// and `make quick` with it.
package long

import "testing"

// Test skips a test that takes too long for -short.
func Test(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes seconds; it runs without -short")
	}
}
