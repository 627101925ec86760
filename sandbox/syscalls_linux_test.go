package sandbox

import (
	"runtime"
	"slices"
	"testing"
)

// A misspelt name in the tables would silently not be filtered.
func TestEveryFilteredCallHasANumber(t *testing.T) {
	absent := map[string][]string{
		"amd64": nil,
		"arm64": {
			"iopl", "ioperm", "uselib", "modify_ldt", "chmod", "chown", "lchown", "utime", "utimes", "futimesat",
			"creat", "mkdir", "mknod", "symlink", "link", "rename", "unlink", "rmdir",
		},
	}[runtime.GOARCH]
	nr := syscallNumbers()
	for _, list := range [][]string{deniedCalls, absentCalls, xattrCalls, sysvCalls, metadataCalls, mediatedCalls} {
		for _, n := range list {
			if _, ok := nr[n]; !ok && !slices.Contains(absent, n) {
				t.Errorf("%s has no number on %s", n, runtime.GOARCH)
			}
		}
	}
}
