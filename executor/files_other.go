//go:build !linux

package executor

import (
	"errors"
	"os"
)

func unlinkedFile(dir string) (*os.File, error) { return namedThenUnlinked(dir) }

func outputPipe() (r, w *os.File, err error) { return os.Pipe() }

func inputPipe() (r, w *os.File, err error) { return os.Pipe() }

// duplicate is not reached here: no sandbox means no command.
func duplicate(*os.File) (*os.File, error) { return nil, errors.ErrUnsupported }
