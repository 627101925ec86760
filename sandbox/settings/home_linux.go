package settings

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// HomeLinks are what links among the settings in a home lead to: a user who keeps them in
// a repository, and has it open, would obey what a command writes there. Looked at are the
// hidden names of the home, two levels of its .config, and what a session starts.
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
				if end, known := linkEnd(path, 40); known {
					to = append(to, end)
				}
			case e.IsDir() && levels > 0:
				look(path, func(fs.DirEntry) bool { return true }, levels-1)
			}
		}
	}
	look(home, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") }, 0)
	units := []string{".config/systemd/user", ".local/share/systemd/user", ".local/share/dbus-1/services"}
	for _, dir := range append(units, ".config", ".ssh", ".gnupg", ".vim", ".emacs.d") {
		look(filepath.Join(home, dir), func(fs.DirEntry) bool { return true }, 2)
	}
	return to
}

// linkEnd is where a path leads, there or not: what a command makes there is obeyed, too.
// links bounds the way, as the kernel does.
func linkEnd(path string, links int) (string, bool) {
	real, err := files.Real(path)
	if err == nil || links == 0 {
		return real, err == nil
	}
	at := strings.LastIndexByte(path, '/')
	dir, known := linkEnd(path[:max(at, 1)], links-1)
	if !known {
		return "", false
	}
	path = filepath.Join(dir, path[at+1:])
	text, err := files.LinkText(unix.AT_FDCWD, path)
	switch {
	case err != nil:
		return path, true
	case filepath.IsAbs(text):
		return linkEnd(text, links-1)
	}
	return linkEnd(dir+"/"+text, links-1)
}
