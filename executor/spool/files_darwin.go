package spool

import (
	"errors"
	"math"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// unlinkedFile: macOS makes no file without a name.
func unlinkedFile(dir string) (*os.File, error) { return namedThenUnlinked(dir) }

// noSpace says that a file could not grow or be made because the disk, or the user's
// part of it, is full.
func noSpace(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT)
}

// freeSpace is what may be written on the disk of dir, a great deal where it has no
// end or does not tell.
func freeSpace(dir string) int64 {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil || fs.Blocks == 0 || fs.Bsize == 0 {
		return math.MaxInt64
	}
	size := uint64(fs.Bsize)
	return int64(min(fs.Bavail, math.MaxInt64/size) * size)
}

// OutputPipe makes a pipe whose reading end is ours and non-blocking and whose
// writing end is an ordinary blocking one, as programs expect.
func OutputPipe() (r, w *os.File, err error) { return pipe(0) }

// InputPipe is the same with the writing end ours.
func InputPipe() (r, w *os.File, err error) { return pipe(1) }

// pipe has no pipe2 to use: between its two calls no fork may happen.
func pipe(ours int) (r, w *os.File, err error) {
	var fds [2]int
	syscall.ForkLock.RLock()
	if err = syscall.Pipe(fds[:]); err == nil {
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, os.NewSyscallError("pipe", err)
	}
	if err := syscall.SetNonblock(fds[ours], true); err != nil {
		return nil, nil, errors.Join(os.NewSyscallError("fcntl", err), syscall.Close(fds[0]), syscall.Close(fds[1]))
	}
	return os.NewFile(uintptr(fds[0]), "pipe"), os.NewFile(uintptr(fds[1]), "pipe"), nil
}
