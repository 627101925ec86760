//go:build unix

package audit

import (
	"os"

	"golang.org/x/sys/unix"
)

// soleLock locks path, made if need be, against all others, or fails at once.
func soleLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err {
		case nil:
			return f, nil
		case unix.EINTR:
		default:
			_ = f.Close()
			return nil, os.NewSyscallError("flock", err)
		}
	}
}
