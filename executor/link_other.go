//go:build !linux

package executor

import (
	"errors"
	"os"
)

// linksOpenFiles: a file that has no name any more gets none here.
const linksOpenFiles = false

// heldForReading opens the file anew: on Windows most programs can't open one that
// somebody has open for writing.
func heldForReading(root *os.Root, f *os.File, name string) (*os.File, error) {
	if err := f.Close(); err != nil {
		return nil, err
	}
	return root.Open(name)
}

func linkFile(*os.File, string) error { return errors.ErrUnsupported }
