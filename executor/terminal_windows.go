package executor

import (
	"errors"
	"os"
	"syscall"

	"github.com/pillion-sidecar/pillion/executor/spool"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// terminals: Windows has them since version 1809.
func terminals() bool { return sandbox.HasConsoles() }

// A console's input ends by Ctrl-Z and Enter. Closing the pipe would end the console
// with all that runs in it.
const (
	endOfInput = "\x1a\r"
	closesKeys = false
)

// openTerminal makes a console between two pipes of ours.
func openTerminal(size Terminal) (*tty, error) {
	theirKeys, keys, err := spool.InputPipe()
	if err != nil {
		return nil, err
	}
	screen, theirScreen, err := spool.OutputPipe()
	if err != nil {
		return nil, errors.Join(err, theirKeys.Close(), keys.Close())
	}
	console, err := sandbox.OpenConsole(theirKeys, theirScreen, size.Rows, size.Cols)
	_, _ = theirKeys.Close(), theirScreen.Close() // it has handles of its own
	if err != nil {
		return nil, errors.Join(err, keys.Close(), screen.Close())
	}
	return &tty{screen: screen, keys: keys, console: console}, nil
}

// A terminal that is gone is not an error of setSize.
func setSize(terminal *tty, t Terminal) { _ = terminal.console.Resize(t.Rows, t.Cols) }

// hungUp: the pipe just ends.
func hungUp(error) bool { return false }

// signals: Windows has none that a program could handle. Both end every process of
// the command at once; Ctrl-C can be typed into a terminal.
var signals = map[string]syscall.Signal{"terminate": syscall.SIGTERM, "kill": syscall.SIGKILL}

func posixName(s syscall.Signal) string {
	switch s {
	case syscall.SIGTERM:
		return "SIGTERM"
	case syscall.SIGKILL:
		return "SIGKILL"
	}
	return s.String()
}

// copyReady hands every read of f to write; room says how many bytes may be read at
// a time, nil is as many as there are. It returns io.EOF at the end, errNoRoom where none may.
func copyReady(f *os.File, room func(int) int, write func([]byte)) error {
	buf := readBuffers.Get().(*[spool.ReadSize]byte)
	defer readBuffers.Put(buf)
	for {
		most := len(buf)
		if room != nil {
			if most = room(most); most <= 0 {
				return errNoRoom
			}
		}
		n, err := f.Read(buf[:most])
		if n > 0 {
			write(buf[:n])
		}
		if err != nil {
			return err
		}
	}
}
