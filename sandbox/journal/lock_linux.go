package journal

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Lock waits for an undo in the workspace, and returns what lets others.
func (s *Store) Lock() (unlock func()) {
	unlock, _ = s.lock(unix.LOCK_EX)
	return unlock
}

// tryLock is Lock that doesn't wait.
func (s *Store) tryLock() (unlock func(), ok bool) { return s.lock(unix.LOCK_EX | unix.LOCK_NB) }

func (s *Store) lock(how int) (unlock func(), ok bool) {
	dir, err := os.Open(s.dir)
	if err != nil {
		return func() {}, true // there is nothing to undo
	}
	for err = unix.EINTR; err == unix.EINTR; {
		err = unix.Flock(int(dir.Fd()), how)
	}
	return func() { _ = dir.Close() }, err == nil
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
