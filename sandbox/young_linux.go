package sandbox

import (
	"path/filepath"

	"golang.org/x/sys/unix"
)

// nursery is what a command made of git directories: it may remove them again, as
// git clone does after an error, and rm -rf. They are known by the object itself, held
// open, so that no rename can pass one off as another. Nothing else depends on it: what
// is forgotten is only protected sooner.
type nursery struct {
	list []newborn
}

type newborn struct {
	fd       int // O_PATH
	dir      int // the directory of a lock; -1 otherwise
	lock     bool
	dev, ino uint64
	name     string // of a lock
}

func (n newborn) close() {
	_ = unix.Close(n.fd)
	if n.dir >= 0 {
		_ = unix.Close(n.dir)
	}
}

// maxYoung bounds the descriptors held for one command.
const maxYoung = 256

func (y *nursery) has(fd int) bool {
	var st unix.Stat_t
	if fd < 0 || len(y.list) == 0 || unix.Fstat(fd, &st) != nil {
		return false
	}
	for _, n := range y.list {
		if n.dev == st.Dev && n.ino == st.Ino {
			return true
		}
	}
	return false
}

// around reports whether the object, or a git directory it lies in, is young.
func (y *nursery) around(z zone, path string, dir, obj int) bool {
	if len(y.list) == 0 {
		return false
	}
	if y.has(obj) {
		return true
	}
	cur, err := dir, error(nil)
	if dir < 0 {
		if cur, err = parentOf(path, obj); err != nil {
			return false
		}
		defer func(fd int) { _ = unix.Close(fd) }(cur)
	}
	for i := 0; i <= z.climb; i++ {
		if y.has(cur) {
			return true
		}
		// Up by descriptors: the parent's path may name another directory by now.
		up, err := unix.Openat(cur, "..", unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			return false
		}
		defer func() { _ = unix.Close(up) }()
		cur = up
	}
	return false
}

// parentOf opens the directory that holds an object under its real path.
func parentOf(path string, obj int) (int, error) {
	dir, err := openPlain(unix.AT_FDCWD, filepath.Dir(path), unix.O_PATH|unix.O_DIRECTORY)
	if err != nil {
		return -1, err
	}
	again, err := unix.Openat(dir, filepath.Base(path), unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err == nil {
		defer func() { _ = unix.Close(again) }()
	}
	if err != nil || !sameFile(again, obj) {
		_ = unix.Close(dir)
		return -1, unix.ENOENT
	}
	return dir, nil
}

// born notes a git directory that a command made, or a lock on the settings of another.
func (a *ask) born(p place, fd int, z zone) error {
	n := newborn{dir: -1}
	if z.lock {
		a.b.dirty.Store(true)
		n = newborn{dir: p.dir, lock: true, name: p.name}
	}
	return a.b.young.add(fd, n)
}

// add takes copies of the descriptors.
func (y *nursery) add(fd int, n newborn) error {
	if len(y.list) >= maxYoung {
		y.forgetRemoved()
	}
	if len(y.list) >= maxYoung {
		return unix.EMFILE
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	n.dev, n.ino = st.Dev, st.Ino
	var err error
	if n.fd, err = unix.Open(fdPath(fd), unix.O_PATH|unix.O_CLOEXEC, 0); err != nil {
		return err
	}
	if n.dir >= 0 {
		if n.dir, err = unix.FcntlInt(uintptr(n.dir), unix.F_DUPFD_CLOEXEC, 0); err != nil {
			_ = unix.Close(n.fd)
			return err
		}
	}
	y.list = append(y.list, n)
	return nil
}

// ended is called when the last process of a command is gone.
func (b *broker) ended() {
	b.settleTexts(true)
	for _, n := range b.young.list {
		if n.lock { // left by a git that was killed; no later command could remove it
			removeIfSame(n.dir, n.name, n.fd)
		}
		n.close()
	}
	b.young.list = nil
	clear(b.added)
	for _, f := range b.waiting {
		_ = unix.Close(f.pin)
	}
	b.waiting = nil
	b.umask.reset()
}

func removeIfSame(dir int, name string, fd int) {
	at, err := unix.Openat(dir, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return // the host has removed it
	}
	defer func() { _ = unix.Close(at) }()
	if sameFile(at, fd) {
		_ = unix.Unlinkat(dir, name, 0)
	}
}

// forgetRemoved lets go of what the command itself has removed again.
func (y *nursery) forgetRemoved() {
	kept := y.list[:0]
	for _, n := range y.list {
		var st unix.Stat_t
		if unix.Fstat(n.fd, &st) == nil && st.Nlink > 0 {
			kept = append(kept, n)
			continue
		}
		n.close()
	}
	y.list = kept
}
