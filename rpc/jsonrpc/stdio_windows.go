package jsonrpc

import (
	"os"

	"golang.org/x/sys/windows"
)

func privateStdio() (in, out *os.File, err error) {
	if in, err = private(os.Stdin, "stdin"); err != nil {
		return nil, nil, err
	}
	if out, err = private(os.Stdout, "stdout"); err != nil {
		return nil, nil, err
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, nil, err
	}
	if err := windows.SetStdHandle(windows.STD_INPUT_HANDLE, windows.Handle(null.Fd())); err != nil {
		return nil, nil, err
	}
	os.Stdin, os.Stdout = null, os.Stderr
	return in, out, windows.SetStdHandle(windows.STD_OUTPUT_HANDLE, windows.Handle(os.Stderr.Fd()))
}

// private is a handle that no child inherits.
func private(f *os.File, name string) (*os.File, error) {
	self := windows.CurrentProcess()
	var h windows.Handle
	err := windows.DuplicateHandle(self, windows.Handle(f.Fd()), self, &h, 0, false, windows.DUPLICATE_SAME_ACCESS)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(h), name), nil
}
