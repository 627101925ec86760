//go:build !linux && !darwin && !windows

package executor

import (
	"errors"
	"math"
	"os"
)

func unlinkedFile(dir string) (*os.File, error) { return namedThenUnlinked(dir) }

func outputPipe() (r, w *os.File, err error) { return os.Pipe() }

func inputPipe() (r, w *os.File, err error) { return os.Pipe() }

func noSpace(error) bool { return false }

func freeSpace(string) int64 { return math.MaxInt64 }

// duplicate is not reached here: no sandbox means no command.
func duplicate(*os.File) (*os.File, error) { return nil, errors.ErrUnsupported }
