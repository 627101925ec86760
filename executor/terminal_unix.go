//go:build unix

package executor

import (
	"errors"
	"os"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

const terminals = true

// openTerminal makes a pseudo-terminal: our end, which never blocks, and the
// command's. pty(7)
func openTerminal(t Terminal) (ours, theirs *os.File, err error) {
	blocking, theirs, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	defer blocking.Close()
	if err := syscall.SetNonblock(int(blocking.Fd()), true); err != nil {
		return nil, nil, errors.Join(os.NewSyscallError("fcntl", err), theirs.Close())
	}
	if ours, err = duplicate(blocking); err != nil {
		return nil, nil, errors.Join(err, theirs.Close())
	}
	setSize(ours, t)
	return ours, theirs, nil
}

// setSize is no error of a terminal that is gone.
func setSize(screen *os.File, t Terminal) {
	_ = withFD(screen, func(fd int) {
		_ = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(t.Rows), Col: uint16(t.Cols)})
	})
}

// withFD lends a file's number; os.File.Fd would make it block.
func withFD(f *os.File, use func(fd int)) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	return raw.Control(func(fd uintptr) { use(int(fd)) })
}

// hungUp is the end of a terminal's output: Linux answers EIO when nobody has the
// other end open any more.
func hungUp(err error) bool { return errors.Is(err, syscall.EIO) }
