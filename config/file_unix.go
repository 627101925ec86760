//go:build unix

package config

import (
	"os"
	"syscall"
)

// openPlain does not wait for the writer of a FIFO.
func openPlain(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
}

func writableByOthers(path string, info os.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "its owner is unknown"
	}
	return untrusted(path, info.Mode(), int(st.Uid), os.Getuid())
}
