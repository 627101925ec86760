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
	return do()
}

func (a *ask) mkdir(dirfd int32, addr uint64, mode uint32) error {
	p, err := a.named(dirfd, addr)
	if err != nil {
		return err
	}
	return a.make(p, changeMkdir, func() error { return unix.Mkdirat(p.dir, p.name, mode) })
}

func (a *ask) mknod(dirfd int32, addr uint64, mode uint32, dev uint64) error {
	c := changeNode
	switch mode & unix.S_IFMT {
	case 0, unix.S_IFREG:
		c = changeCreate
	case unix.S_IFIFO, unix.S_IFSOCK:
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
	if text == probeText && a.probes(p) {
		defer p.close()
		return unix.Symlinkat(text, p.dir, p.name)
	}
	return a.make(p, changeSymlink, func() error { return unix.Symlinkat(text, p.dir, p.name) })
}

// probeText is where the link leads with which git init tries whether links work, and
// then removes: to nothing, for no file of this name can be made there. (init-db.c)
const probeText = "testing"

func (a *ask) probes(p place) bool {
	z := a.zoneOf(p)
	return probeName().MatchString(p.name) && z.rule != "" && z.data()
}

var probeName = compiled(`^t\w{6}$`)
