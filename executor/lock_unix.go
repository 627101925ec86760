//go:build unix

package executor

import (
	"os"

	"golang.org/x/sys/unix"
)

// shareLock opens path, made if need be, and locks it together with others.
// Whoever holds it alone may have removed it meanwhile: then there is a new one.
func shareLock(path string) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDONLY|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		if err := flock(f, unix.LOCK_SH); err != nil {
			_ = f.Close()
			return nil, err
		}
		ours, err := f.Stat()
		if err != nil {
			_ = f.Close()
			return nil, err
		}
		if now, err := os.Stat(path); err == nil && os.SameFile(ours, now) {
			return f, nil
		}
		_ = f.Close()
	}
}

// soleLock locks path for nobody else, or fails at once.
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

func flock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); err != unix.EINTR {
			return os.NewSyscallError("flock", err)
		}
	}
}
