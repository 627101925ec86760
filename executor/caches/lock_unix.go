//go:build unix

package caches

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// openLock opens path, made if need be, and locks it together with others, or
// alone or not at all.
func openLock(path string, sole bool) (*os.File, error) {
	how := unix.LOCK_SH
	if sole {
		how = unix.LOCK_EX | unix.LOCK_NB
	}
	f, err := os.OpenFile(path, os.O_RDONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := flock(f, how); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// soleLock locks path against all others, or fails at once.
func soleLock(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := flock(f, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// held says that somebody else has what is to be locked.
func held(err error) bool { return errors.Is(err, unix.EWOULDBLOCK) }

func flock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); err != unix.EINTR {
			return os.NewSyscallError("flock", err)
		}
	}
}
