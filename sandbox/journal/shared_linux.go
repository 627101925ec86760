package journal

import (
	"errors"
	"strings"
)

// A directory whose name begins with a dot is a program's own, and what is in it belongs
// together: a revision in Mercurial's store builds on those that the command has added to
// the same files. So where others have written to what the command wrote to, all of the
// directory stays as it is. Of git more is known, see needed.

var errShared = errors.New("others have changed what the command has written in it, and what is in it belongs together")

func isPrograms(name string) bool {
	return strings.HasPrefix(name, ".") && !strings.EqualFold(name, ".git")
}

// programs is the directory of a program that a path is in, "" if there is none.
func (s *Store) programs(path string) string {
	root, below := s.rootOf(path)
	if !below {
		return ""
	}
	at := strings.TrimSuffix(root, "/")
	names := strings.Split(path[len(at)+1:], "/")
	for _, name := range names[:len(names)-1] {
		if at += "/" + name; strings.EqualFold(name, ".git") {
			return ""
		}
		if isPrograms(name) {
			return at
		}
	}
	return ""
}

// shared says that others have written to a file in a program's directory, or replaced it,
// since the command wrote to it.
func (u *undo) shared(dir string) bool {
	records := u.shares[dir]
	delete(u.shares, dir) // asked once: what is taken back has changed, too
	for _, r := range records {
		p, err := u.find(r.path)
		if err != nil {
			continue
		}
		st, there := p.stat()
		shared := there && u.left(&st, r) != nil && !u.halfPoured(&st, r, p)
		p.close()
		if shared {
			return true
		}
	}
	return false
}
