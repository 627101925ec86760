//go:build !linux

package prompt

import (
	"errors"
	"os"
)

// Supported says whether the kernel shows it.
const Supported = false

// Blocked is a process that waits.
type Blocked struct {
	PID     int
	Process string
}

// Input is where a command's input comes from.
type Input struct{}

// Of knows an input by the command's end of it.
func Of(*os.File, bool) (Input, error) { return Input{}, errors.ErrUnsupported }

// Kind is how the input is read now, by our end of it.
func (Input) Kind(*os.File) (Kind, bool) { return Line, false }

// Look finds the process below root, or root, that waits for the input.
func (Input) Look(int) (Blocked, bool) { return Blocked{}, false }
