package spool

import (
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// LinksOpenFiles says that LinkFile names a file that is open.
const LinksOpenFiles = true

// HeldForReading is the file as it was written: it can still be opened.
func HeldForReading(_ *os.Root, f *os.File, _ string) (*os.File, error) { return f, nil }

// LinkFile gives an unlinked file a name that nothing has. It fails where that one
// had a name before. open(2), O_TMPFILE
func LinkFile(f *os.File, path string) (err error) {
	cerr := WithFD(f, func(fd int) {
		open := "/proc/self/fd/" + strconv.Itoa(fd)
		err = os.NewSyscallError("linkat", unix.Linkat(unix.AT_FDCWD, open, unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW))
	})
	return errors.Join(cerr, err)
}
