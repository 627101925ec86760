package broker

import (
	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/protect"
)

// madeDirs is what a command made of git directories: it may remove them again, as
// git clone does after an error, and rm -rf. They are known by the object itself, held
// open, so that no rename can pass one off as another. Nothing else depends on it: what
// is forgotten is only protected sooner.
type madeDirs struct {
	list []madeDir
}

type madeDir struct {
	fd       int // O_PATH
	dir      int // the directory of a lock; -1 otherwise
	lock     bool
	dev, ino uint64
	name     string // of a lock
}

func (n madeDir) close() {
	_ = unix.Close(n.fd)
	if n.dir >= 0 {
		_ = unix.Close(n.dir)
	}
}

// maxMade bounds the descriptors held for one command.
const maxMade = 256

func (y *madeDirs) has(fd int) bool {
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

// holds reports whether the object, or a git directory it lies in, was made by the command.
func (y *madeDirs) holds(z protect.Zone, path string, dir, obj int) bool {
	if len(y.list) == 0 {
		return false
	}
	if y.has(obj) {
		return true
	}
	cur, err := dir, error(nil)
	if dir < 0 {
		if cur, err = files.Parent(path, obj); err != nil {
			return false
		}
		defer func(fd int) { _ = unix.Close(fd) }(cur)
	}
	for i := 0; i <= z.Climb; i++ {
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

// madeGit notes a git directory that a command made, or a lock on the settings of another.
func (a *request) madeGit(p place, fd int, z protect.Zone) error {
	n := madeDir{dir: -1}
	if z.Lock {
		a.b.dirty.Store(true)
		n = madeDir{dir: p.dir, lock: true, name: p.name}
	}
	return a.b.made.add(fd, n)
}

// add takes copies of the descriptors.
func (y *madeDirs) add(fd int, n madeDir) error {
	if len(y.list) >= maxMade {
		y.forgetRemoved()
	}
	if len(y.list) >= maxMade {
		return unix.EMFILE
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	n.dev, n.ino = st.Dev, st.Ino
	var err error
	if n.fd, err = unix.Open(files.Path(fd), unix.O_PATH|unix.O_CLOEXEC, 0); err != nil {
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
func (b *Broker) ended() {
	b.takeTexts(true)
	_ = b.entry.Swap(nil).End(b.hosts.parent) // a log without an end is read as one that was cut off
	for _, n := range b.made.list {
		if n.lock { // left by a git that was killed; no later command could remove it
			removeIfSame(n.dir, n.name, n.fd)
		}
		n.close()
	}
	b.made.list = nil
	clear(b.added)
	for _, f := range b.waiting {
		_ = unix.Close(f.pin)
	}
	b.waiting = nil
	b.bound.forget()
	b.connects.giveUp()
	b.umask.reset()
}

func removeIfSame(dir int, name string, fd int) {
	at, err := unix.Openat(dir, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return // the host has removed it
	}
	defer func() { _ = unix.Close(at) }()
	if files.Same(at, fd) {
		_ = unix.Unlinkat(dir, name, 0)
	}
}

// forgetRemoved lets go of what the command itself has removed again.
func (y *madeDirs) forgetRemoved() {
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
