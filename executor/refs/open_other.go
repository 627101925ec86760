//go:build !linux

package refs

import (
	"errors"
	"os"
)

// openPlain opens a file.
func openPlain(path string) (*os.File, error) { return os.Open(path) }

// showAll: see Linux.
func showAll(string) {}

// stamp can't tell a file's versions apart here.
type stamp struct{ Size int64 }

func stampOf(string) (s stamp, sure bool)    { return s, false }
func stampOfDir(string) (s stamp, sure bool) { return s, false }

// handle follows nothing here.
type handle struct{}

func hold(string) (h handle) { return h }
func (handle) now() string   { return "" }
func (handle) close()        {}

// Nothing is watched here, so nothing is put back.
func put(string, string, string) error       { return errors.ErrUnsupported }
func remove(string, string) error            { return errors.ErrUnsupported }
func moveAside(string, string, string) error { return errors.ErrUnsupported }
