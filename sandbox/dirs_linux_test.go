package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// On a busy machine a process that is being started for another box kept the lock
// for longer than was waited, and the directory stayed until the next start.
func TestADirectoryIsRemovedWhenALateStarterLetsGoOfIt(t *testing.T) {
	dir, lock, err := newPrivateDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	starter, err := unix.FcntlInt(lock.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		t.Fatal(err)
	}
	_ = lock.Close()
	time.AfterFunc(400*time.Millisecond, func() { _ = unix.Close(starter) })
	removeOwn(dir)
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is still there: %v", dir, err)
	}
}

// With no descriptor left each command that wanted a sandbox left a directory, which
// stayed until another sidecar was started.
func TestADirectoryThatCannotBeLockedIsRemoved(t *testing.T) {
	var err error
	base := t.TempDir()
	withFiles(t, 3, func() { _, _, err = newPrivateDir(base) })
	left, listed := os.ReadDir(base)
	if !Exhausted(err) || listed != nil || len(left) > 0 {
		t.Errorf("%v, left %v (%v)", err, left, listed)
	}
}
