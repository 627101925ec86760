//go:build !linux

package spool

import (
	"errors"
	"os"
)

// LinksOpenFiles says that LinkFile names a file that is open.
const LinksOpenFiles = false

// HeldForReading opens the file anew: on Windows most programs can't open one that is open
// for writing.
func HeldForReading(root *os.Root, f *os.File, name string) (*os.File, error) {
	if err := f.Close(); err != nil {
		return nil, err
	}
	return root.Open(name)
}

// LinkFile gives an unlinked file a name that nothing has.
func LinkFile(*os.File, string) error { return errors.ErrUnsupported }
