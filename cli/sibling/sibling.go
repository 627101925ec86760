// Package sibling hands this process over to another program of this release.
package sibling

import (
	"fmt"
	"os"
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

// find looks beside this program only: that one is of the same release. PATH may name a
// directory of the workspace, such as node_modules/.bin, where a command has left its own.
func find(name string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	path := filepath.Join(filepath.Dir(self), name+filepath.Ext(self))
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not beside %s: install it there; "+
			"every release has both, and docs/install.md says how to build it", name, self)
	}
	return path, nil
}
