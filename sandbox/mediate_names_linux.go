package sandbox

import (
	"golang.org/x/sys/unix"
)

// named resolves the parent of a caller's path for a call that makes or removes
// the name itself and never follows it.
func (a *ask) named(dirfd int32, addr uint64) (place, error) {
	path, err := a.path(addr)
	if err != nil {
		return place{}, err
	}
	return a.parent(dirfd, path)
}

// make judges a new name and makes it.
func (a *ask) make(p place, c change, do func() error) error {
	defer p.close()
	if p.isDir() {
		return unix.EEXIST
	}
	if err := a.judgeNew(p, c); err != nil {
		return err
	}
	a.b.mask(a)
	if err := do(); err != nil || c != changeMkdir {
		return err
	}
	if z := a.zoneOf(p.full()); !z.bears {
		return nil
	}
	fd, err := unix.Openat(p.dir, p.name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil // another thread has removed it again
	}
	defer func() { _ = unix.Close(fd) }()
	if err := a.born(p, fd, c); err != nil {
		_ = unix.Unlinkat(p.dir, p.name, unix.AT_REMOVEDIR)
		return err
	}
	return nil
}

func (a *ask) mkdir(dirfd int32, addr uint64, mode uint32) error {
	p, err := a.named(dirfd, addr)
	if err != nil {
		return err
	}
	return a.make(p, changeMkdir, func() error { return unix.Mkdirat(p.dir, p.name, mode) })
}

func (a *ask) mknod(dirfd int32, addr uint64, mode uint32, dev uint64) error {
	switch mode & unix.S_IFMT {
	case 0, unix.S_IFREG, unix.S_IFIFO, unix.S_IFSOCK:
	default:
		return unix.EPERM // no device is made: Landlock has the same rule
	}
	p, err := a.named(dirfd, addr)
	if err != nil {
		return err
	}
	if p.slash {
		p.close()
		return unix.ENOENT
	}
	return a.make(p, changeSpecial, func() error { return unix.Mknodat(p.dir, p.name, mode, int(dev)) })
}

func (a *ask) symlink(textAddr uint64, dirfd int32, addr uint64) error {
	text, err := a.path(textAddr)
	if err != nil {
		return err
	}
	p, err := a.named(dirfd, addr)
	if err != nil {
		return err
	}
	if p.slash {
		p.close()
		return unix.ENOENT
	}
	return a.make(p, changeSpecial, func() error { return unix.Symlinkat(text, p.dir, p.name) })
}

func (a *ask) unlink(dirfd int32, addr uint64, flags int) error {
	if flags&^unix.AT_REMOVEDIR != 0 {
		return unix.EINVAL
	}
	p, err := a.named(dirfd, addr)
	if err != nil {
		return err
	}
	defer p.close()
	c := changeUnlink
	if flags != 0 {
		c = changeRmdir
	}
	switch {
	case p.isDir() && c == changeUnlink:
		return unix.EISDIR
	case p.name == ".":
		return unix.EINVAL
	case p.name == "..":
		return unix.ENOTEMPTY
	case p.name == "":
		return unix.EBUSY
	}
	if !a.free(p) {
		if err := a.judgeExisting(p, c); err != nil {
			return err
		}
	}
	return unix.Unlinkat(p.dir, p.tail(), flags)
}

// judgeExisting judges a change to a name that must be there; what is not can't
// be refused.
func (a *ask) judgeExisting(p place, c change) error {
	obj, err := unix.Openat(p.dir, p.name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(obj) }()
	return a.judge(p.full(), p.dir, obj, c)
}

func (a *ask) rename(olddir int32, oldAddr uint64, newdir int32, newAddr uint64, flags uint) error {
	const known = unix.RENAME_NOREPLACE | unix.RENAME_EXCHANGE
	if flags&^known != 0 || flags == known {
		return unix.EINVAL
	}
	from, err := a.named(olddir, oldAddr)
	if err != nil {
		return err
	}
	defer from.close()
	to, err := a.named(newdir, newAddr)
	if err != nil {
		return err
	}
	defer to.close()
	if from.isDir() || to.isDir() {
		return unix.EBUSY
	}
	if a.free(from) && a.free(to) {
		return unix.Renameat2(from.dir, from.tail(), to.dir, to.tail(), flags)
	}
	if flags == 0 && !from.slash && !to.slash && a.replaceConfig(from, to) {
		return nil
	}
	if err := a.judgeMove(from, to); err != nil {
		return err
	}
	if flags&unix.RENAME_EXCHANGE != 0 {
		if err := a.judgeMove(to, from); err != nil {
			return err
		}
	} else if flags&unix.RENAME_NOREPLACE != 0 {
		var st unix.Stat_t
		if unix.Fstatat(to.dir, to.name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil {
			return unix.EEXIST
		}
	}
	return unix.Renameat2(from.dir, from.tail(), to.dir, to.tail(), flags)
}

// judgeMove judges one direction: away from the old name, and to the new one.
func (a *ask) judgeMove(from, to place) error {
	obj, err := unix.Openat(from.dir, from.name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(obj) }()
	var st unix.Stat_t
	if err := unix.Fstat(obj, &st); err != nil {
		return err
	}
	away, onto := changeFrom, changeTo
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		away, onto = changeDirFrom, changeDirTo
	case unix.S_IFREG:
	default:
		onto = changeSpecial
	}
	if err := a.judge(from.full(), from.dir, obj, away); err != nil {
		return err
	}
	return a.judge(to.full(), to.dir, -1, onto)
}

// link makes a hard link. An unnamed file (O_TMPFILE) gets its name through
// /proc/self/fd, where the descriptor is the caller's.
func (a *ask) link(olddir int32, oldAddr uint64, newdir int32, newAddr uint64, flags int) error {
	if flags&^(unix.AT_SYMLINK_FOLLOW|unix.AT_EMPTY_PATH) != 0 {
		return unix.EINVAL
	}
	pin, err := a.linkSource(olddir, oldAddr, flags)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(pin) }()
	path, err := realPath(pin)
	if err != nil {
		return err
	}
	if err := a.judge(path, -1, pin, changeFrom); err != nil {
		return err
	}
	to, err := a.named(newdir, newAddr)
	if err != nil {
		return err
	}
	if to.slash {
		to.close()
		return unix.ENOENT
	}
	return a.make(to, changeSpecial, func() error {
		return unix.Linkat(unix.AT_FDCWD, fdPath(pin), to.dir, to.name, unix.AT_SYMLINK_FOLLOW)
	})
}

func (a *ask) linkSource(dirfd int32, addr uint64, flags int) (int, error) {
	path, err := a.path(addr)
	if err != nil {
		return -1, err
	}
	if path == "" && flags&unix.AT_EMPTY_PATH != 0 {
		return a.base(dirfd)
	}
	p, err := a.parent(dirfd, path)
	if err != nil {
		return -1, err
	}
	return a.pin(p, flags&unix.AT_SYMLINK_FOLLOW != 0)
}

// pin opens what the name is, following links or not. It closes p.
func (a *ask) pin(p place, follow bool) (int, error) {
	defer func() { p.close() }()
	w := walker{ask: a}
	for {
		if !follow && !p.slash && !p.isDir() {
			return unix.Openat(p.dir, p.name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		}
		fd, text, err := w.final(p)
		if err != nil || text == "" {
			return fd, err
		}
		next, err := w.from(p.dir, text)
		if err != nil {
			return -1, err
		}
		next.slash = next.slash || p.slash
		p.close()
		p = next
	}
}

func (a *ask) truncate(addr uint64, size int64) error {
	p, err := a.named(atFDCWD, addr)
	if err != nil {
		return err
	}
	pin, err := a.pin(p, true)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(pin) }()
	path, err := realPath(pin)
	if err != nil {
		return err
	}
	if err := a.judge(path, -1, pin, changeWrite); err != nil {
		return err
	}
	var limit unix.Rlimit
	if err := unix.Prlimit(a.pid, unix.RLIMIT_FSIZE, nil, &limit); err != nil || a.alive() != nil {
		return unix.EPERM
	}
	if size > 0 && uint64(size) > limit.Cur {
		return unix.EFBIG
	}
	return unix.Truncate(fdPath(pin), size)
}
