// Package sibling hands this process over to another program of this release.
package sibling

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Run becomes the program name: its arguments, standard streams, signals and exit code
// are those of this process. On Unix it returns only an error.
func Run(name string, args []string) (exitCode int, err error) {
	path, err := find(name)
	if err != nil {
		return 0, err
	}
	return become(path, append([]string{name}, args...))
}

// find looks beside this program first: that one is of the same release.
func find(name string) (string, error) {
	self, err := os.Executable()
	if err == nil {
		path := filepath.Join(filepath.Dir(self), name+filepath.Ext(self))
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, nil
		}
	}
	path, err := exec.LookPath(name)
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("%s is neither beside %s nor on PATH: install it there; "+
			"every release has both, and docs/install.md says how to build it", name, self)
	}
	return path, err
}
