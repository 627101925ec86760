package broker

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// A file of the workspace may have another name outside, in a store that other projects
// use: package managers and cp -al make such hard links. What a command writes changes
// the workspace's name only, which gets a file of its own first.

// maxOwned is the size up to which a file is copied: other calls wait meanwhile.
const maxOwned = 256 << 20

// own gives a name of the workspace a file of its own, if the one it has may have other
// names, and returns it held open. Names that the command made itself stay names of one
// file.
func (a *request) own(pin int, path string, empty bool) (int, error) {
	var st unix.Stat_t
	if err := unix.Fstat(pin, &st); err != nil {
		return -1, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG || !a.b.guarded(path) {
		return pin, nil
	}
	if err := a.nameless(pin, path, &st); err != nil {
		return -1, err
	}
	if st.Nlink < 2 || a.b.linked[files.IDOf(&st)] {
		return pin, nil
	}
	if empty {
		st.Size = 0
	}
	if st.Size > maxOwned {
		return -1, a.deny(&refusal{path, "hard link", "none: its other names may be somebody else's; copy it first", unix.EROFS})
	}
	dir, err := files.Parent(path, pin)
	if err != nil {
		return -1, err
	}
	defer func() { _ = unix.Close(dir) }()
	name := filepath.Base(path)
	copied := func(f *os.File) error { return copyOf(int(f.Fd()), pin, st.Size) }
	err = a.b.replacing(dir, filepath.Dir(path), name, func() error { return replaceBy(dir, name, st.Mode, copied) })
	if err != nil {
		return -1, err
	}
	fresh, err := unix.Openat(dir, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	_ = unix.Close(pin)
	return fresh, nil
}

// ownInode is own for what is not a write: chmod 777 in one project would open the file of
// a store to everybody.
func (a *request) ownInode(pin int) (int, error) {
	var st unix.Stat_t
	path, err := files.RealPath(pin)
	if err == nil {
		err = unix.Fstat(pin, &st)
	}
	if err != nil {
		return pin, err
	}
	fresh, err := a.own(pin, path, false)
	if err == nil && fresh != pin { // its content is as old as it was
		_ = unix.UtimesNanoAt(fresh, "", []unix.Timespec{st.Atim, st.Mtim}, unix.AT_EMPTY_PATH) // or as new
	}
	return fresh, err
}

// nameless refuses to change what was removed here and has another name: it can't get a
// file of its own, and the name may be the one by which an undo brings it back. A file that
// the command made and linked has other names of its own.
func (a *request) nameless(pin int, path string, st *unix.Stat_t) error {
	if st.Nlink == 0 || !strings.HasSuffix(path, " (deleted)") || !a.b.guarded(path) {
		return nil
	}
	if e := a.b.entry.Load(); a.b.linked[files.IDOf(st)] && (e == nil || e.Made(st)) {
		return nil
	}
	dir, err := files.Parent(path, pin)
	if err != nil { // nor is it a file's that is called so
		return a.deny(&refusal{path, "hard link", "none: its name is gone, and it has another one", unix.EROFS})
	}
	return unix.Close(dir)
}

func copyOf(to, pin int, size int64) error {
	if size == 0 {
		return nil
	}
	from, err := unix.Open(files.Path(pin), unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(from) }()
	if unix.IoctlFileClone(to, from) == nil {
		return nil
	}
	for size > 0 {
		n, err := unix.CopyFileRange(from, nil, to, nil, int(size), 0)
		if err != nil || n == 0 {
			return err
		}
		size -= int64(n)
	}
	return nil
}

// maxLinked bounds how many files with several names are remembered as a command's own.
const maxLinked = 65_536

func (b *Broker) notesLink(pin int) {
	var st unix.Stat_t
	if unix.Fstat(pin, &st) != nil || st.Nlink > 2 && !b.linked[files.IDOf(&st)] || len(b.linked) >= maxLinked {
		return
	}
	b.linked[files.IDOf(&st)] = true
}
