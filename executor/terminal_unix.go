//go:build unix

package executor

import (
	"errors"
	"os"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

func terminals() bool { return true }

const (
	endOfInput = "\x04" // VEOF. termios(3)
	closesKeys = true
)

// openTerminal makes a pseudo-terminal: our end, which never blocks, and the
// command's. pty(7)
func openTerminal(size Terminal) (*tty, error) {
	blocking, theirs, err := pty.Open()
	if err != nil {
		return nil, err
	}
	defer blocking.Close()
	if err := syscall.SetNonblock(int(blocking.Fd()), true); err != nil {
		return nil, errors.Join(os.NewSyscallError("fcntl", err), theirs.Close())
	}
	t := &tty{theirs: theirs}
	if t.screen, err = duplicate(blocking); err != nil {
		return nil, errors.Join(err, theirs.Close())
	}
	if t.keys, err = duplicate(blocking); err != nil {
		return nil, errors.Join(err, t.screen.Close(), theirs.Close())
	}
	setSize(t, size)
	return t, nil
}

// setSize is no error of a terminal that is gone.
func setSize(terminal *tty, t Terminal) {
	_ = withFD(terminal.screen, func(fd int) {
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
