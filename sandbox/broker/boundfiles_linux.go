package broker

import (
	"slices"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// boundFiles are the sockets that this command has bound by a path, held open so that
// no other file gets their numbers.
type boundFiles struct {
	list []boundFile
}

type boundFile struct {
	id  files.ID
	pin int
}

// maxBound bounds the descriptors; who binds more is known by its network.
const maxBound = 64

func (f *boundFiles) add(p place) {
	pin, err := unix.Openat(p.dir, p.name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	var st unix.Stat_t
	if len(f.list) >= maxBound || unix.Fstat(pin, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFSOCK {
		_ = unix.Close(pin)
		return
	}
	f.list = append(f.list, boundFile{files.IDOf(&st), pin})
}

func (f *boundFiles) has(id files.ID) bool {
	return slices.ContainsFunc(f.list, func(b boundFile) bool { return b.id == id })
}

// socketIDs are the sockets at these paths: what was granted, and is mounted there, stays
// the same whatever the host does with the name.
func socketIDs(paths []string) (ids []files.ID) {
	for _, p := range paths {
		var st unix.Stat_t
		if unix.Lstat(p, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFSOCK {
			ids = append(ids, files.IDOf(&st))
		}
	}
	return ids
}

func (f *boundFiles) forget() {
	for _, b := range f.list {
		_ = unix.Close(b.pin)
	}
	f.list = nil
}
