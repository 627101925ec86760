package settings

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// HomeLinks are what links among the settings in a home lead to: a user who keeps them in
// a repository, and has it open, would obey what a command writes there. Looked at are the
// hidden names of the home and two levels of its .config.
func HomeLinks(home string) (to []string) {
	left := maxNear
	var look func(dir string, wanted func(fs.DirEntry) bool, levels int)
	look = func(dir string, wanted func(fs.DirEntry) bool, levels int) {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if left--; left < 0 {
				return
			}
			path := filepath.Join(dir, e.Name())
			switch {
			case !wanted(e):
			case e.Type()&fs.ModeSymlink != 0:
				if real, err := files.Real(path); err == nil {
					to = append(to, real)
				}
			case e.IsDir() && levels > 0:
				look(path, func(fs.DirEntry) bool { return true }, levels-1)
			}
		}
	}
	look(home, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") }, 0)
	for _, dir := range []string{".config", ".ssh", ".gnupg", ".vim", ".emacs.d"} {
		look(filepath.Join(home, dir), func(fs.DirEntry) bool { return true }, 2)
	}
	return to
}
