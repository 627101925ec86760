//go:build unix

package sibling

import (
	"os"

	"golang.org/x/sys/unix"
)

func become(path string, argv []string) (int, error) {
	return 0, &os.PathError{Op: "exec", Path: path, Err: unix.Exec(path, argv, os.Environ())}
}
