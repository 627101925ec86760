package broker

import (
	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/protect"
)

// link makes a hard link. An unnamed file (O_TMPFILE) gets its name through
// /proc/self/fd, where the descriptor is the caller's.
func (a *request) link(olddir int32, oldAddr uint64, newdir int32, newAddr uint64, flags int) error {
	if flags&^(unix.AT_SYMLINK_FOLLOW|unix.AT_EMPTY_PATH) != 0 {
		return unix.EINVAL
	}
	pin, err := a.linkSource(olddir, oldAddr, flags)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(pin) }()
	path, err := files.RealPath(pin)
	if err != nil {
		return err
	}
	if err := a.judge(path, -1, pin, protect.RenameFrom); err != nil {
		return err
	}
	to, err := a.named(newdir, newAddr)
	if err != nil {
		return err
	}
	var st unix.Stat_t
	if err = unix.Fstat(pin, &st); err == nil {
		err = a.crosses(path, to.full(), st.Mode)
	}
	if err == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK {
		var text string
		if text, err = files.LinkText(pin, ""); err == nil {
			err = a.judgeLink(to, text)
		}
	}
	if to.slash {
		err = unix.ENOENT
	}
	if err != nil {
		to.close()
		return err
	}
	return a.makes(to, takes(st.Mode, protect.Hardlink, protect.RenameDirTo), func() error {
		return a.b.linking(to, pin, func() error {
			err := unix.Linkat(unix.AT_FDCWD, files.Path(pin), to.dir, to.name, unix.AT_SYMLINK_FOLLOW)
			if err == nil {
				a.b.notesLink(pin)
			}
			return err
		})
	})
}

func (a *request) linkSource(dirfd int32, addr uint64, flags int) (int, error) {
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
func (a *request) pin(p place, follow bool) (int, error) {
	defer func() { p.close() }()
	w := walker{request: a}
	for {
		if !follow && !p.slash && !p.isDir() {
			return unix.Openat(p.dir, p.name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		}
		fd, text, err := w.final(p)
		if err == nil && text == "" && p.slash {
			return directory(fd)
		}
		if err != nil || text == "" {
			return fd, err
		}
		next, err := w.follow(p, text)
		if err != nil {
			return -1, err
		}
		p = next
	}
}

// directory takes what a path leads to that ends in a slash.
func directory(fd int) (int, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR {
		return fd, nil
	}
	_ = unix.Close(fd)
	return -1, unix.ENOTDIR
}
