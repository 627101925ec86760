package journal

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// runs says that somebody still writes an entry.
func (s *Store) runs(name string) bool {
	log, err := os.Open(filepath.Join(s.dir, name, logName))
	if err != nil {
		return false
	}
	defer log.Close()
	return unix.Flock(int(log.Fd()), unix.LOCK_SH|unix.LOCK_NB) == unix.EWOULDBLOCK
}
