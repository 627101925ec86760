package executor

import (
	"errors"
	"os"
)

const terminals = false

func openTerminal(Terminal) (ours, theirs *os.File, err error) {
	return nil, nil, errors.ErrUnsupported
}

func setSize(*os.File, Terminal) {}

func hungUp(error) bool { return false }
