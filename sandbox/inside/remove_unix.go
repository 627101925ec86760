//go:build linux || darwin

package inside

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// NewPrefix begins the name of a directory that is not locked yet.
const NewPrefix = "new-"

// RemoveUnlocked reports whether the directory was unlocked; it is gone then.
func RemoveUnlocked(dir string) bool {
	f, err := os.Open(dir)
	if err != nil {
		return true
	}
	defer f.Close()
	if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		return false
	}
	dropGroup(dir)
	files.RemoveTree(dir)
	return true
}
