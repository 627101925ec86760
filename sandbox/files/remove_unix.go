//go:build linux || darwin

package files

import (
	"io/fs"
	"os"
	"path/filepath"
)

// RemoveTree also removes directories that a command made unwritable, as Go's
// module cache does. Nothing of the command runs any more, so no link can be
// swapped in while it walks; WalkDir never follows one.
func RemoveTree(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}
