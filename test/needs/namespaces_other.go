//go:build !linux

package needs

import "testing"

// Namespaces skips a test of what only user namespaces can give.
func Namespaces(t testing.TB) {
	t.Helper()
	Missing(t, "user namespaces", "Linux has them")
}

// HasNamespaces reports whether there are any.
func HasNamespaces() bool { return false }
