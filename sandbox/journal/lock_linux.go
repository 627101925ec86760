package journal

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Lock waits for an undo in the workspace, and returns what lets others.
func (s *Store) Lock() (unlock func()) {
	dir, err := os.Open(s.dir)
	if err != nil {
		return func() {} // there is nothing to undo
	}
	for err = unix.EINTR; err == unix.EINTR; {
		err = unix.Flock(int(dir.Fd()), unix.LOCK_EX)
	}
	return func() { _ = dir.Close() }
}

// runs says that an entry is still written.
func (s *Store) runs(name string) bool {
	log, err := os.Open(filepath.Join(s.dir, name, logName))
	if err != nil {
		return false
	}
	defer log.Close()
	return unix.Flock(int(log.Fd()), unix.LOCK_SH|unix.LOCK_NB) == unix.EWOULDBLOCK
}
