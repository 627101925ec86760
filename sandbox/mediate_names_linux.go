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
	if err := a.judgeLink(p, text); err != nil {
		p.close()
		return err
	}
	return a.make(p, changeSpecial, func() error { return unix.Symlinkat(text, p.dir, p.name) })
}
