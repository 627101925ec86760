package journal

import (
	"errors"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// makeWay is find where directories are gone: they are made, and an undo of this one takes
// them away.
func (u *undo) makeWay(path string) (place, error) {
	p, err := u.find(filepath.Dir(path))
	if errors.Is(err, unix.ENOENT) {
		p, err = u.makeWay(filepath.Dir(path))
	}
	if err != nil {
		return place{}, err
	}
	defer p.close()
	if err := u.completes(p, place{}); err != nil {
		return place{}, err
	}
	if u.view != nil {
		p.in.put(p.name, &node{made: record{kind: rmdir, info: Info{Mode: unix.S_IFDIR | 0o755}}})
		return u.find(path)
	}
	if err := u.out.Touch(p.dir, p.at); err != nil {
		return place{}, err
	}
	if err := unix.Mkdirat(p.dir, p.name, 0o755); err != nil {
		return place{}, err
	}
	if err := u.out.Created(p.dir, p.at, p.name); err != nil {
		return place{}, err
	}
	return u.find(path)
}

func (u *undo) makeDir(r record, p place) error {
	st, there := p.stat()
	// An undo that was killed may have made it, and not come to its mode.
	half := u.making == r.path && p.isEmpty()
	switch {
	case there && st.Mode&unix.S_IFMT != unix.S_IFDIR:
		return errOccupied
	case there && !half && !u.opts.Force && !u.is(&st, r) && !u.cutOff:
		if st.Mode == r.info.Mode {
			return nil
		}
		return errOther
	case there && !half && !u.same(&st):
		return nil
	case there && !half:
		u.stands(r, &st, p) // made again by the command, which was killed
		if st.Mode != r.info.Mode {
			return u.remode(r, p)
		}
		return nil
	}
	if err := u.mayBe(r, p, place{}); err != nil {
		return err
	}
	u.Restored++
	if u.view != nil {
		p.in.put(p.name, &node{made: r})
		return nil
	}
	if err := errors.Join(u.out.Touch(p.dir, p.at), u.out.write(record{kind: making, path: r.path})); err != nil {
		return err
	}
	if err := unix.Mkdirat(p.dir, p.name, 0o700); err != nil && !half {
		return err
	}
	dir, err := pin(r, p)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(dir) }()
	if err := unix.Fstat(dir, &st); err != nil {
		return err
	}
	u.stands(r, &st, p)
	if st.Ctim = unix.NsecToTimespec(born(p.dir, p.name)); r.info.Size > 0 {
		u.stays(&st, stamp{r.stamp().ID, r.info.Size})
	}
	if fd, err := files.OpenPlain(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY); err == nil {
		setAttributes(fd, r.kept)
		_ = unix.Close(fd)
	}
	if err := liken(dir, r.info); err != nil {
		return err
	}
	return u.out.Created(p.dir, p.at, p.name)
}

// pin holds what is at a place, if it is of the kind that a record is about: a link that
// was put there meanwhile would lead to another file.
func pin(r record, p place) (int, error) {
	file, err := unix.Openat(p.dir, p.name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	var st unix.Stat_t
	if err = unix.Fstat(file, &st); err == nil && (st.Mode^r.info.Mode)&unix.S_IFMT != 0 {
		err = errOccupied
	}
	if err != nil {
		_ = unix.Close(file)
		return -1, err
	}
	return file, nil
}

// liken gives what is held its owner, mode and times; the owner where we may.
func liken(file int, i Info) error {
	err := unix.Fchownat(file, "", int(i.UID), int(i.GID), unix.AT_EMPTY_PATH)
	if err == unix.EPERM {
		err = nil
	}
	if err == nil && i.Mode&unix.S_IFMT != unix.S_IFLNK {
		err = unix.Chmod(files.Path(file), i.Mode&0o7777)
	}
	if err != nil {
		return err
	}
	return restoreTimes(file, i)
}

func restoreTimes(file int, i Info) error {
	at := []unix.Timespec{unix.NsecToTimespec(i.ATime), unix.NsecToTimespec(i.MTime)}
	return unix.UtimesNanoAt(file, "", at, unix.AT_EMPTY_PATH)
}

// retime gives a directory its times back, after its names.
func (u *undo) retime(r record, p place) error {
	if u.view != nil {
		return nil
	}
	dir, err := pin(r, p)
	if err != nil {
		return nil // there is no such directory any more
	}
	defer func() { _ = unix.Close(dir) }()
	if err := u.out.Touch(dir, r.path); err != nil {
		return err
	}
	return restoreTimes(dir, r.info)
}
