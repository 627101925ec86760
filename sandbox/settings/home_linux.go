package settings

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// HomeLinks are what links among the settings in a home lead to: somebody who keeps
// them in a repository, and has it open, would obey what a command writes there. Looked
// at are the hidden names of the home and two levels of its .config.
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
				to = append(to, leadsTo(path)...)
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

// leadsTo is where a link leads, as a path without links; none if nothing is there.
func leadsTo(link string) []string {
	fd, err := unix.Open(link, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer func() { _ = unix.Close(fd) }()
	path, err := files.RealPath(fd)
	if err != nil {
		return nil
	}
	return []string{path}
}
