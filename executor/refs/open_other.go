//go:build !linux

package refs

import (
	"errors"
	"os"
)

// openPlain opens a file.
func openPlain(path string) (*os.File, error) { return os.Open(path) }

// stamp can't tell a file's versions apart here.
func stamp(string) string { return "" }

// Nothing is watched here, so nothing is put back.
func put(string, string, string) error       { return errors.ErrUnsupported }
func remove(string, string) error            { return errors.ErrUnsupported }
func moveAside(string, string, string) error { return errors.ErrUnsupported }
