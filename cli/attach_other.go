//go:build !unix

package cli

import (
	"io"
	"os"
)

// A console is not passed on here: a command gets a stream.
func terminalSize(*os.File) (rows, cols int, ok bool) { return 0, 0, false }

func rawTerminal(*os.File) func() { return func() {} }

func eachResize(done <-chan struct{}, _ func()) { <-done }

// readUntil can't be interrupted here; the process ends with the command.
func readUntil(f *os.File, buf []byte, done <-chan struct{}) (int, error) {
	select {
	case <-done:
		return 0, io.EOF
	default:
		return f.Read(buf)
	}
}

// drain does nothing here: what was typed ahead can't be told from an answer, so that
// nobody is asked.
func drain(*os.File) {}
