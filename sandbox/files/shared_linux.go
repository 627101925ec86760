package files

import (
	"os"
	"path/filepath"
)

// Share is what of a directory every user may read, for one who owns it: uid 0 owns the
// shadow file, host keys and the passwords of the network, and needs no capability to read
// them.
type Share struct {
	Open   []string // the fewest paths that leave out every entry other users can't read
	Closed []string // the entries that permissions keep from other users
	All    bool     // there is no such entry
}

// Shared looks at a directory and all below it.
func Shared(dir string) (s Share) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return s
	}
	s.All = true
	var links []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.Type()&os.ModeSymlink != 0 { // it is judged where it ends; certificates have a thousand
			links = append(links, path)
			continue
		}
		info, err := e.Info()
		if err != nil {
			s.All = false
			continue
		}
		s.add(path, info)
	}
	if !s.All { // else one path stands for all: a thousand certificates need no look at each
		s.Open = append(s.Open, linkedFiles(links)...)
	}
	return s
}

func (s *Share) add(path string, info os.FileInfo) {
	below := Share{All: info.Mode().Perm()&0o004 != 0}
	if info.IsDir() && below.All {
		below = Shared(path)
	}
	if below.All {
		below.Open = []string{path}
	}
	if need := map[bool]os.FileMode{true: 0o005, false: 0o004}[info.IsDir()]; info.Mode().Perm()&need != need {
		below.Closed = []string{path}
	}
	s.Open, s.Closed, s.All = append(s.Open, below.Open...), append(s.Closed, below.Closed...), s.All && below.All
}

// linkedFiles are the links to a file that everybody may read; one to a directory
// grants nothing.
func linkedFiles(links []string) (open []string) {
	for _, path := range links {
		if info, err := os.Stat(path); err == nil && !info.IsDir() && info.Mode().Perm()&0o004 != 0 {
			open = append(open, path)
		}
	}
	return open
}
