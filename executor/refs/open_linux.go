package refs

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// openPlain opens a file and never waits: the name may be a FIFO's by now.
func openPlain(path string) (*os.File, error) {
	const flags = os.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY
	f, err := os.OpenFile(path, flags, 0)
	if errors.Is(err, fs.ErrPermission) && show(path) {
		return os.OpenFile(path, flags, 0)
	}
	return f, err
}

// What a command has hidden by its bits would not be compared, and be obeyed once its owner
// has given them back: git asks for that. So the owner gets them back before we look.

// show does so for one name, and says whether it has.
func show(path string) bool {
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC, Resolve: direct})
	if err != nil {
		return false
	}
	defer func() { _ = unix.Close(fd) }()
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || int(st.Uid) != os.Geteuid() {
		return false
	}
	bits := st.Mode&0o7777 | 0o600
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		bits |= 0o700
	}
	return unix.Chmod("/proc/self/fd/"+strconv.Itoa(fd), bits) == nil
}

// showAll does so for the directories that a git directory is in, and for those in it.
// Objects that can't be read are taken back like bad ones.
func showAll(dir string) {
	for i := 1; i < len(dir); i++ {
		if dir[i] != '/' {
			continue
		}
		if _, err := os.Lstat(dir[:i] + "/."); errors.Is(err, fs.ErrPermission) {
			show(dir[:i])
		}
	}
	_ = walkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || !e.IsDir():
			return nil
		case e.Name() == "objects":
			return fs.SkipDir
		}
		if info, err := e.Info(); err == nil && info.Mode()&0o700 != 0o700 {
			show(path)
		}
		return nil
	})
}

// stamp distinguishes a file's versions, also where its times were set: the time of its
// last change can't be set (inode(7)).
type stamp struct {
	Dev, Ino    uint64
	Size        int64
	Mtime, Time unix.Timespec
}

// clockTick is longer than what the kernel takes for one moment: two changes in it may
// have one time.
const clockTick = 100 * time.Millisecond

// stampOf is zero for what is not a file. It is sure where another change would have
// another one.
func stampOf(path string) (s stamp, sure bool) { return stampOfA(unix.S_IFREG, path) }

// stampOfDir distinguishes what a directory has held.
func stampOfDir(path string) (s stamp, sure bool) { return stampOfA(unix.S_IFDIR, path) }

func stampOfA(kind uint32, path string) (s stamp, sure bool) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil || st.Mode&unix.S_IFMT != kind {
		return s, err != nil
	}
	s = stamp{st.Dev, st.Ino, st.Size, st.Mtim, st.Ctim}
	return s, time.Since(time.Unix(st.Ctim.Unix())) > clockTick
}

// handle is a directory, wherever it is moved.
type handle struct{ f *os.File }

func hold(dir string) (h handle) {
	h.f, _ = os.OpenFile(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	return h
}

// now is where it is, or "" if that is not known.
func (h handle) now() (path string) {
	if h.f != nil {
		path, _ = os.Readlink("/proc/self/fd/" + strconv.Itoa(int(h.f.Fd())))
	}
	return path
}

func (h handle) close() { _ = h.f.Close() } // which may be of none
