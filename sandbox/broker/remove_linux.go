package broker

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/protect"
)

func (a *request) unlink(dirfd int32, addr uint64, flags int) error {
	if flags&^unix.AT_REMOVEDIR != 0 {
		return unix.EINVAL
	}
	p, err := a.named(dirfd, addr)
	if err != nil {
		return err
	}
	defer p.close()
	c := protect.Unlink
	if flags != 0 {
		c = protect.Rmdir
	}
	switch {
	case p.isDir() && c == protect.Unlink:
		return unix.EISDIR
	case p.name == ".":
		return unix.EINVAL
	case p.name == "..":
		return unix.ENOTEMPTY
	case p.name == "":
		return unix.EBUSY
	}
	free := a.free(p)
	if c == protect.Rmdir && (!free || a.b.entry.Load() != nil) && !isEmpty(p) {
		return unix.ENOTEMPTY // git tries the directories above what it has removed
	}
	if !free {
		if err := a.judgeExisting(p, c); err != nil {
			return err
		}
	}
	return a.b.removing(p, func() error { return unix.Unlinkat(p.dir, p.tail(), flags) })
}

func isEmpty(p place) bool {
	fd, err := unix.Openat(p.dir, p.name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return true // the kernel says what is wrong
	}
	f := os.NewFile(uintptr(fd), p.name)
	defer f.Close()
	_, err = f.Readdirnames(1)
	return err != nil
}

// judgeExisting judges a change to a name that must be there; what is not can't
// be refused.
func (a *request) judgeExisting(p place, c protect.Change) error {
	obj, err := unix.Openat(p.dir, p.name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(obj) }()
	return a.judge(p.full(), p.dir, obj, c)
}

// truncate changes a file by name; the caller's own size limit counts, not ours.
func (a *request) truncate(addr uint64, size int64) error {
	p, err := a.named(atFDCWD, addr)
	if err != nil {
		return err
	}
	pin, err := a.pin(p, true)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(pin) }()
	path, err := files.RealPath(pin)
	if err != nil {
		return err
	}
	if err := a.judge(path, -1, pin, protect.Write); err != nil {
		return err
	}
	var limit unix.Rlimit
	if err := unix.Prlimit(a.pid, unix.RLIMIT_FSIZE, nil, &limit); err != nil || a.alive() != nil {
		return unix.EPERM
	}
	if size > 0 && uint64(size) > limit.Cur {
		return unix.EFBIG
	}
	own, err := a.own(pin, path, size == 0)
	if err != nil {
		return err
	}
	pin = own
	if err := a.b.writing(pin, path, 0); err != nil {
		return err
	}
	return unix.Truncate(files.Path(pin), size)
}
