package files

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// OpenPlain opens a path that has no link in it, the last name included: who may
// write above it could otherwise choose what is granted, or where it is mounted.
func OpenPlain(at int, name string, flags uint64) (int, error) {
	fd, err := unix.Openat2(at, name, &unix.OpenHow{
		Flags: flags | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	})
	if err != nil {
		return -1, fmt.Errorf("open %s: %w", name, err)
	}
	return fd, nil
}
