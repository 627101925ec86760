package sandbox

import (
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// innerZone is the zone of a path whose last parts may name branches of a submodule,
// or else lie in the git directory of another one: a repository may call its
// submodules what it likes, x/refs/heads too. Nothing vets what is born in there, so
// nothing is.
func innerZone(z zone, file string) zone {
	if z.branch == 0 {
		return z
	}
	parts := strings.Split(file, "/")
	for i := len(parts) - z.branch; i < len(parts); i++ {
		if !holdsSettings(strings.Join(parts[:i], "/")) {
			continue
		}
		if inner := gitZone(parts[i:]); !inner.free() {
			inner.climb, inner.bears = z.climb, false
			return inner
		}
	}
	return z
}

// holdsSettings looks at the one file of a git directory that nobody can take away,
// because it is protected: it begins with a section or a comment, and a branch or its
// log with a number or "ref:".
func holdsSettings(dir string) bool {
	fd, err := unix.Open(path.Join(dir, "config"), unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return err != unix.ENOENT && err != unix.ENOTDIR
	}
	defer func() { _ = unix.Close(fd) }()
	var first [1]byte
	n, err := unix.Read(fd, first[:])
	if err == unix.EISDIR {
		return false
	}
	return err != nil || n == 1 && !strings.ContainsRune("0123456789abcdefr", rune(first[0]))
}
