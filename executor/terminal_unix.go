//go:build unix

package executor

import (
	"errors"
	"io"
	"os"
	"runtime"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/executor/spool"
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
	if t.screen, err = spool.Duplicate(blocking); err != nil {
		return nil, errors.Join(err, theirs.Close())
	}
	if t.keys, err = spool.Duplicate(blocking); err != nil {
		return nil, errors.Join(err, t.screen.Close(), theirs.Close())
	}
	setSize(t, size)
	return t, nil
}

// A terminal that is gone is not an error of setSize.
func setSize(terminal *tty, t Terminal) {
	_ = spool.WithFD(terminal.screen, func(fd int) {
		_ = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(t.Rows), Col: uint16(t.Cols)})
	})
}

// hungUp is the end of a terminal's output: Linux answers EIO when no process has the
// other end open any more.
func hungUp(err error) bool { return errors.Is(err, syscall.EIO) }

// signals are those of signal(7) that mean something to a command.
var signals = map[string]syscall.Signal{
	"interrupt": syscall.SIGINT, "terminate": syscall.SIGTERM, "kill": syscall.SIGKILL, "hangup": syscall.SIGHUP,
	"quit": syscall.SIGQUIT, "usr1": syscall.SIGUSR1, "usr2": syscall.SIGUSR2,
}

func posixName(s syscall.Signal) string { return unix.SignalName(s) }

// copyReady hands every read of f to write, and takes a buffer only while there
// are bytes to put in it: a thousand silent commands cost no buffers. room says how
// many of those that are there may be read, nil is all; where there are none now, write
// gets none, so that it knows. It returns io.EOF at the end of the pipe, errNoRoom where
// none may.
func copyReady(f *os.File, room func(int) int, write func([]byte)) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	for {
		var n int
		var fail error
		err := raw.Read(func(fd uintptr) bool {
			buf := readBuffers.Get().(*[spool.ReadSize]byte)
			defer readBuffers.Put(buf)
			most := len(buf)
			if room != nil {
				if most = available(fd, most); most == 0 {
					write(nil)
					return false
				}
				if most = room(most); most <= 0 {
					fail = errNoRoom
					return true
				}
			}
			n, fail = syscall.Read(int(fd), buf[:most])
			if fail == syscall.EAGAIN {
				write(nil)
				return false // wait until it is readable
			}
			if fail == nil && n > 0 {
				write(buf[:n])
			}
			return true
		})
		switch {
		case err != nil:
			return err
		case fail == syscall.EINTR:
		case fail != nil:
			return fail
		case n == 0:
			return io.EOF
		}
	}
}

// available is how many bytes a read would give, up to a number, 0 if there are none yet.
// Room for more would be taken from another pipe, which then is left for good: a command
// that was silent on stderr could stop its stdout in front of the limit.
func available(fd uintptr, most int) int {
	n, err := 0, error(unix.EINTR)
	for err == unix.EINTR { // a signal says nothing of what has come
		n, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
	}
	if n == 0 && err == nil {
		return 0
	}
	fionread := uint(0x541b) // ioctl_tty(2)
	if runtime.GOOS == "darwin" {
		fionread = 0x4004667f
	}
	n, err = unix.IoctlGetInt(int(fd), fionread)
	if err != nil {
		return most
	}
	return max(1, min(n, most)) // it is read that it has ended
}
