package mounts

import (
	"strings"
	"testing"
)

// Outside of a pid namespace of its own a fresh /proc would be the host's, and
// what is mounted would be mounted on the host.
func TestBuildRootAndMountProcRefuseOutsideOfNamespaces(t *testing.T) {
	if _, err := BuildRoot(Plan{}); err == nil || !strings.Contains(err.Error(), "pid namespace") {
		t.Errorf("buildRoot: %v", err)
	}
	if err := MountProc(); err == nil || !strings.Contains(err.Error(), "pid namespace") {
		t.Errorf("mountProc: %v", err)
	}
}
