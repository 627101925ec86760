package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// RemoveTree also removes what is read-only, as git's objects are, on file systems
// where RemoveAll can't. Nothing of a command runs any more, so that no link can be
// swapped in while it walks; WalkDir never follows one.
func RemoveTree(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	var dirs []string
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, _ error) error {
		switch {
		case d == nil:
		case d.IsDir():
			dirs = append(dirs, path)
		case os.Remove(path) != nil && d.Type().IsRegular():
			_ = os.Chmod(path, 0o600)
			_ = os.Remove(path)
		}
		return nil
	})
	for _, d := range slices.Backward(dirs) {
		_ = os.Remove(d)
	}
}
