//go:build unix

package spool

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// namedThenUnlinked is an unlinked file for systems and file systems without
// O_TMPFILE.
func namedThenUnlinked(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "spool-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// WithFD lends a file's number; os.File.Fd would make it block.
func WithFD(f *os.File, use func(fd int)) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	return raw.Control(func(fd uintptr) { use(int(fd)) })
}

// Duplicate makes a second descriptor of the same open file, in the same mode.
func Duplicate(f *os.File) (second *os.File, err error) {
	cerr := WithFD(f, func(old int) {
		fd, derr := unix.FcntlInt(uintptr(old), unix.F_DUPFD_CLOEXEC, 3)
		if err = os.NewSyscallError("fcntl", derr); err == nil {
			second = os.NewFile(uintptr(fd), f.Name())
		}
	})
	return second, errors.Join(cerr, err)
}
