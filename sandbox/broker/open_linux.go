package broker

import (
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/protect"
)

// reply is what a call gets. A fd is handed over and then closed here.
type reply struct {
	fd    int
	val   int64 // what the call returns, where that is not a descriptor
	flags int   // O_CLOEXEC
	later bool  // a FIFO: answered when its other end is there
	goOn  bool  // let the kernel do it; only for calls without a path
}

var done = reply{fd: -1}

const accessMode = unix.O_ACCMODE

func (a *request) openCall(dirfd int32, addr uint64, flags int, mode uint32) (reply, error) {
	path, err := a.path(addr)
	if err != nil {
		return done, err
	}
	p, err := a.parent(dirfd, path)
	if err != nil {
		return done, err
	}
	return a.openAt(p, flags, mode)
}

// openAt opens the name, following links itself: the kernel never follows one
// here, so what is opened is what was judged. It closes p.
func (a *request) openAt(p place, flags int, mode uint32) (reply, error) {
	defer func() { p.close() }()
	a.opens = true
	w := walker{request: a}
	for tries := 0; ; tries++ {
		if flags&unix.O_CREAT != 0 && p.slash {
			return done, unix.EISDIR
		}
		if flags&unix.O_CREAT != 0 && !p.isDir() {
			fd, err := a.create(p, flags, mode)
			if err == nil {
				return reply{fd: fd, flags: flags & unix.O_CLOEXEC}, nil
			}
			if err != unix.EEXIST || flags&unix.O_EXCL != 0 {
				return done, err
			}
		}
		pin, text, err := w.final(p)
		if err != nil {
			if err == unix.ENOENT && flags&unix.O_CREAT != 0 && tries < maxLinks {
				continue // it was removed between the two
			}
			return done, err
		}
		if text == "" {
			if p.slash {
				flags |= unix.O_DIRECTORY
			}
			return a.openPinned(pin, flags, mode)
		}
		if flags&unix.O_NOFOLLOW != 0 && !p.slash {
			return done, unix.ELOOP
		}
		next, err := w.follow(p, text)
		if err != nil {
			return done, err
		}
		p = next
	}
}

// final opens what the name is, or reads it as a link.
func (w *walker) final(p place) (int, string, error) {
	if p.name == "" {
		fd, err := w.start(p.dir, "")
		return fd, "", err
	}
	if p.name == ".." {
		fd, err := unix.Openat(p.dir, "..", unix.O_PATH|unix.O_CLOEXEC, 0)
		return fd, "", err
	}
	return w.step(p.dir, p.name)
}

// create makes a file where nothing is. EEXIST: there is something.
func (a *request) create(p place, flags int, mode uint32) (int, error) {
	if err := a.judgeNew(p, protect.Create); err != nil {
		return -1, err
	}
	a.b.mask(a)
	if kind := a.kind; kind != protect.TextFree {
		if files.Exists(p.dir, p.name) {
			return -1, unix.EEXIST
		}
		return a.openText(p, kind, flags, mode&0o777)
	}
	fd := -1
	err := a.b.making(p, func() (err error) {
		fd, err = unix.Openat(p.dir, p.name, flags|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, mode&0o7777)
		return err
	})
	if err != nil {
		return -1, err
	}
	if e, _ := a.b.keeps(p.full()); e != nil && flags&accessMode != unix.O_RDONLY {
		e.Opened(fd, p.full())
	}
	if z := a.zoneOf(p); z.Lock {
		if err := a.madeGit(p, fd, z); err != nil {
			_ = unix.Unlinkat(p.dir, p.name, 0)
			_ = unix.Close(fd)
			return -1, err
		}
	}
	return fd, nil
}

// openPinned opens what is already held by an O_PATH descriptor, which it closes.
func (a *request) openPinned(pin, flags int, mode uint32) (reply, error) {
	keep := false
	defer func() {
		if !keep {
			_ = unix.Close(pin)
		}
	}()
	path, err := files.RealPath(pin)
	if err != nil {
		return done, err
	}
	// Only then: settings that are replaced in between would have a name that no file has,
	// "config (deleted)", and still a link.
	var st unix.Stat_t
	if err := unix.Fstat(pin, &st); err != nil {
		return done, err
	}
	if st.Nlink == 0 { // a name is gone, and what the kernel says in its place is not a name
		path = strings.TrimSuffix(path, " (deleted)")
	}
	what := protect.Write
	switch kind := st.Mode & unix.S_IFMT; {
	case flags&unix.O_TMPFILE == unix.O_TMPFILE:
		return a.openUnnamed(pin, path, flags, mode)
	case kind == unix.S_IFDIR:
		return done, unix.EISDIR
	case kind == unix.S_IFLNK: // held open by the caller itself, through /proc/self/fd
		return done, unix.ELOOP
	case flags&unix.O_DIRECTORY != 0:
		return done, unix.ENOTDIR
	case kind == unix.S_IFCHR && st.Rdev == ttyDevice:
		return a.openTerminal(flags)
	}
	if flags&accessMode == unix.O_RDONLY && flags&unix.O_TRUNC == 0 {
		what = 0 // a lock file opened for reading, say
	}
	if err := a.judge(path, -1, pin, what); err != nil {
		return done, err
	}
	if kind := a.kind; kind != protect.TextFree && what != 0 {
		return a.openTextOf(path, pin, kind, flags)
	}
	if what != 0 {
		own, err := a.own(pin, path, flags&unix.O_TRUNC != 0)
		if err != nil {
			return done, err
		}
		pin = own
		if err := a.b.writing(pin, path, 1); err != nil {
			return done, err
		}
	}
	r, err := a.reopen(pin, flags, st.Mode&unix.S_IFMT)
	keep = r.later
	return r, err
}

// openTextOf opens the copy of a text that is there.
func (a *request) openTextOf(path string, pin int, kind protect.TextKind, flags int) (reply, error) {
	dir, err := files.Parent(path, pin)
	if err != nil {
		return done, err
	}
	defer func() { _ = unix.Close(dir) }()
	p := place{dir: dir, path: filepath.Dir(path), name: base(path)}
	fd, err := a.openText(p, kind, flags, 0)
	return reply{fd: fd, flags: flags & unix.O_CLOEXEC}, err
}

// reopen opens a pinned object itself, whatever its name is by now. The broker
// must never block: FIFOs and devices are asked without waiting.
func (a *request) reopen(pin, flags int, kind uint32) (reply, error) {
	flags &^= unix.O_CREAT | unix.O_EXCL | unix.O_NOFOLLOW
	ask := flags | unix.O_CLOEXEC | unix.O_NOCTTY
	waits := flags&unix.O_NONBLOCK == 0 && (kind == unix.S_IFIFO || kind == unix.S_IFCHR)
	if waits {
		ask |= unix.O_NONBLOCK
	}
	fd, err := unix.Openat(files.OwnFDs(), strconv.Itoa(pin), ask, 0)
	if waits && kind == unix.S_IFIFO && flags&accessMode == unix.O_WRONLY && err == unix.ENXIO {
		return a.b.wait(a, pin, flags)
	}
	if err != nil {
		return done, err
	}
	if waits {
		if err := unix.SetNonblock(fd, false); err != nil {
			_ = unix.Close(fd)
			return done, err
		}
	}
	return reply{fd: fd, flags: flags & unix.O_CLOEXEC}, nil
}

func (a *request) openUnnamed(dir int, path string, flags int, mode uint32) (reply, error) {
	if err := a.judge(path+"/tmp_0", dir, -1, protect.Create); err != nil {
		return done, err
	}
	a.b.mask(a)
	fd, err := unix.Openat(dir, ".", flags|unix.O_CLOEXEC, mode&0o7777)
	return reply{fd: fd, flags: flags & unix.O_CLOEXEC}, err
}
