package executor

import (
	"errors"

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
	theirKeys, keys, err := inputPipe()
	if err != nil {
		return nil, err
	}
	screen, theirScreen, err := outputPipe()
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

// setSize is no error of a terminal that is gone.
func setSize(terminal *tty, t Terminal) { _ = terminal.console.Resize(t.Rows, t.Cols) }

// hungUp: the pipe just ends.
func hungUp(error) bool { return false }
