package spool

import (
	"errors"
	"math"
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

// noSpace says that a file could not grow or be made because the disk, or the user's
// part of it, is full.
func noSpace(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT)
}

// freeSpace is what may be written on the disk of dir, a great deal where it has no
// end or does not tell.
func freeSpace(dir string) int64 {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil || fs.Blocks == 0 {
		return math.MaxInt64
	}
	return int64(min(fs.Bavail, math.MaxInt64/uint64(fs.Bsize))) * fs.Bsize
}

// OutputPipe makes a pipe whose reading end is ours and non-blocking and whose
// writing end is an ordinary blocking one, as programs expect.
func OutputPipe() (r, w *os.File, err error) {
	return pipe(0)
}

// InputPipe is the same with the writing end ours.
func InputPipe() (r, w *os.File, err error) {
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
