package journal

import (
	"errors"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

func (u *undo) remode(r record, p place) error {
	return u.adjust(r, p, func(file int) error { return u.out.Changing(file, r.path) }, func(file int) error { return liken(file, r.info) })
}

func (u *undo) reattribute(r record, p place) error {
	return u.adjust(r, p, func(file int) error { return u.out.Attribute(file, r.path, r.to) }, func(file int) error {
		if value, had := strings.CutPrefix(r.kept, "="); had {
			return unix.Setxattr(files.Path(file), r.to, []byte(value), 0)
		}
		err := unix.Removexattr(files.Path(file), r.to)
		if err == unix.ENODATA {
			return nil
		}
		return err
	})
}

// adjust changes what a file is besides its content.
func (u *undo) adjust(r record, p place, keep, do func(file int) error) error {
	st, there := p.stat()
	if !there {
		return errRemoved
	}
	dir := st.Mode&unix.S_IFMT == unix.S_IFDIR
	switch {
	case !dir && st.Nlink > 1 && !u.is(&st, r): // one of another file's names, which may be outside
		return errOccupied
	case u.left(&st, r) != nil:
		return u.left(&st, r)
	}
	u.Restored++
	if u.view != nil {
		if !dir {
			u.note(p, r.stamp())
		}
		return nil
	}
	file, err := pin(r, p)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(file) }()
	after := st
	after.Mtim = unix.NsecToTimespec(r.info.MTime)
	if err := errors.Join(u.will(&st, u.was(&st)), u.will(&after, u.was(&st)), keep(file)); err != nil {
		return err
	}
	err = do(file)
	if !dir {
		u.note(p, r.stamp())
	} else if err == nil && r.kind != attr {
		delete(u.shut, r.path)
	}
	return err
}

// left says why what is there is not what the command left of what a record is about. The
// change time of a directory is that of the names in it: its mode counts.
func (u *undo) left(st *unix.Stat_t, r record) error {
	dir, now := st.Mode&unix.S_IFMT == unix.S_IFDIR, st.Mode
	if before, entered := u.shut[r.path]; entered {
		now = before.Mode
	}
	was, told := u.final[r.stamp().ID]
	switch {
	case u.opts.Force:
	case !u.is(st, r):
		return errOccupied
	case !dir && !u.same(st), dir && r.kind == mode && told && now != was.Mode && now != r.info.Mode:
		return errChanged
	}
	return nil
}
