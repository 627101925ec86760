package executor

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// unlinkedFile is a file without a name from the start, where the file system
// can do that (open(2), O_TMPFILE).
func unlinkedFile(dir string) (*os.File, error) {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return namedThenUnlinked(dir)
	}
	return os.NewFile(uintptr(fd), "spool"), nil
}

// outputPipe makes a pipe whose reading end is ours and non-blocking and whose
// writing end is an ordinary blocking one, as programs expect.
func outputPipe() (r, w *os.File, err error) {
	return pipe(0)
}

// inputPipe is the same with the writing end ours.
func inputPipe() (r, w *os.File, err error) {
	return pipe(1)
}

func pipe(ours int) (r, w *os.File, err error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	if err := syscall.SetNonblock(fds[ours], true); err != nil {
		return nil, nil, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(fds[0]), "pipe"), os.NewFile(uintptr(fds[1]), "pipe"), nil
}

// duplicate makes a second descriptor of the same open file, in the same mode.
func duplicate(f *os.File) (second *os.File, err error) {
	cerr := withFD(f, func(old int) {
		fd, derr := unix.FcntlInt(uintptr(old), unix.F_DUPFD_CLOEXEC, 3)
		if err = os.NewSyscallError("fcntl", derr); err == nil {
			second = os.NewFile(uintptr(fd), f.Name())
		}
	})
	return second, errors.Join(cerr, err)
}
