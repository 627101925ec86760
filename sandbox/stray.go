package sandbox

import (
	"io/fs"
	"os"
	"strings"
	"time"
)

// maxStray bounds what is looked at in a private home, and clockGrain how much older than
// the clock a file's time may be: the kernel stamps by its tick.
const (
	maxStray   = 2000
	clockGrain = 20 * time.Millisecond
)

// Stray are the files that were written to the private home since then, named from there.
// What programs keep for themselves below a name that begins with a dot is left out: a
// person looks for none of it. Commands may still be changing the tree, so no link is
// followed out of it.
func (s *Sandbox) Stray(since time.Time) (names []string) {
	dir := s.box.store()
	if dir == "" {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	seen := 0
	_ = fs.WalkDir(root.FS(), ".", func(path string, e fs.DirEntry, err error) error {
		seen++
		switch {
		case seen > maxStray:
			return fs.SkipAll
		case err != nil:
			return nil
		case path != "." && strings.HasPrefix(e.Name(), "."):
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !e.Type().IsRegular():
			return nil
		}
		if info, err := e.Info(); err == nil && info.ModTime().After(since.Add(-clockGrain)) {
			names = append(names, path)
		}
		return nil
	})
	return names
}
