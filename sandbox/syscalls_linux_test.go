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
	for _, list := range [][]string{deniedCalls, absentCalls, xattrCalls, readXattrCalls, sysvCalls, metadataCalls, mediatedCalls} {
		for _, n := range list {
			if _, ok := nr[n]; !ok && !slices.Contains(absent, n) {
				t.Errorf("%s has no number on %s", n, runtime.GOARCH)
			}
		}
	}
}

// What is above the newest call of the table was not looked at when the table was made.
func TestTheNewestCallIsTheTables(t *testing.T) {
	if got := newestOf(syscallNumbers()); got != 469 { // file_setattr, Linux 6.17
		t.Errorf("%d is new: what does it do that the sandbox must know of?", got)
	}
}
