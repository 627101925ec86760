package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// maxStray bounds what is looked at in a private home, and clockGrain how much older than
// the clock a file's time may be: the kernel stamps by its tick.
const (
	maxStray   = 2000
	clockGrain = 20 * time.Millisecond
)

// Stray are the files that were written to the private home since then, named from there.
// Files that programs keep for themselves below a name that begins with a dot are left
// out: a person doesn't look for them. Commands may still be changing the tree, so no link
// is followed out of it.
func (s *Sandbox) Stray(since time.Time) (names []string) {
	if dir := s.box.store(); dir != "" {
		return stray(dir, since)
	}
	return nil
}

func stray(dir string, since time.Time) (names []string) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	for dirs, room := []string{"."}, maxStray; len(dirs) > 0 && room > 0; dirs = dirs[1:] {
		d, err := root.OpenFile(dirs[0], os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may be a FIFO by now
		if err != nil {
			continue
		}
		list, _ := d.ReadDir(room) // it may hold any number
		_ = d.Close()
		room -= len(list)
		for _, e := range list {
			path := filepath.Join(dirs[0], e.Name())
			switch {
			case strings.HasPrefix(e.Name(), "."):
			case e.IsDir():
				dirs = append(dirs, path)
			case e.Type().IsRegular():
				if info, err := e.Info(); err == nil && info.ModTime().After(since.Add(-clockGrain)) {
					names = append(names, path)
				}
			}
		}
	}
	slices.Sort(names)
	return names
}
