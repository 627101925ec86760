//go:build !unix

package terminal

import (
	"io"
	"os"
)

// Size is unknown: a console is not passed on here, a command gets a stream.
func Size(*os.File) (rows, cols int, ok bool) { return 0, 0, false }

// Raw does nothing here.
func Raw(*os.File) func() { return func() {} }

// EachResize only waits here.
func EachResize(done <-chan struct{}, _ func()) { <-done }

// ReadUntil can't be interrupted here; the process ends with the command.
func ReadUntil(f *os.File, buf []byte, done <-chan struct{}) (int, error) {
	select {
	case <-done:
		return 0, io.EOF
	default:
		return f.Read(buf)
	}
}

// Drain does nothing here: what was typed ahead looks like an answer, so that nobody is
// asked.
func Drain(*os.File) {}

// Columns is unknown: a console may not know escape sequences, so there is no terminal here.
func Columns(*os.File) (n int, ok bool) { return 0, false }

// Foreground is unknown here.
func Foreground(*os.File) bool { return false }
