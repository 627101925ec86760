//go:build unix

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// columns is how wide a terminal is; 0: it doesn't say. f is none if ok is false.
func columns(f *os.File) (n int, ok bool) {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, false
	}
	return int(size.Col), true
}

// foreground reports whether the terminal is this process's to write on: a job in
// the background shares it with whatever is in front.
func foreground(f *os.File) bool {
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
