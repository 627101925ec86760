package broker

import (
	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/protect"
)

// named resolves the parent of a caller's path for a call that makes or removes
// the name itself and never follows it.
func (a *request) named(dirfd int32, addr uint64) (place, error) {
	path, err := a.path(addr)
	if err != nil {
		return place{}, err
	}
	return a.parent(dirfd, path)
}

// make judges a new name and makes it.
func (a *request) make(p place, c protect.Change, do func() error) error {
	return a.makes(p, c, func() error { return a.b.making(p, do) })
}

// makes is make for what do keeps itself.
func (a *request) makes(p place, c protect.Change, do func() error) error {
	defer p.close()
	if p.isDir() {
		return unix.EEXIST
	}
	if err := a.judgeNew(p, c); err != nil {
		return err
	}
	a.b.mask(a)
	return do()
}

func (a *request) mkdir(dirfd int32, addr uint64, mode uint32) error {
	p, err := a.named(dirfd, addr)
	if err != nil {
		return err
	}
	return a.make(p, protect.Mkdir, func() error { return unix.Mkdirat(p.dir, p.name, mode) })
}

func (a *request) mknod(dirfd int32, addr uint64, mode uint32, dev uint64) error {
	c := protect.Node
	switch mode & unix.S_IFMT {
	case 0, unix.S_IFREG:
		c = protect.Create
	case unix.S_IFIFO:
	case unix.S_IFSOCK:
		c = protect.Socket
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
	return a.make(p, c, func() error { return unix.Mknodat(p.dir, p.name, mode, int(dev)) })
}

func (a *request) symlink(textAddr uint64, dirfd int32, addr uint64) error {
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
	if protect.IsLinkProbe(text, p.name) && a.zoneOf(p).InData() {
		defer p.close()
		return a.b.making(p, func() error { return unix.Symlinkat(text, p.dir, p.name) })
	}
	return a.make(p, protect.Symlink, func() error { return unix.Symlinkat(text, p.dir, p.name) })
}
