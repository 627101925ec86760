package journal

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// rewrite brings a content back: by another file where the name is the only one, else
// in the file itself, which has to stay the same under its other names.
func (u *undo) rewrite(r record, p place) error {
	st, there := p.stat()
	if !there || !u.is(&st, r) {
		if to, ok := u.follow(r); ok { // another command has moved it
			defer to.close()
			p = to
			st, there = p.stat()
		}
	}
	switch {
	case !there && !u.opts.Force && !u.took[r.path]:
		return errRemoved
	case there && u.left(&st, r) != nil && !u.halfPoured(&st, r, p):
		return u.left(&st, r)
	case there && !u.opts.Force && u.isBefore(&st, r):
		return errUndone
	case r.kept == "":
		return unkept(r.why)
	case !there: // another command has removed it, and what came in its place is gone
		return u.place(r, p)
	case u.view != nil && (st.Nlink < 2 || !u.is(&st, r)):
		return u.place(r, p)
	case st.Nlink < 2 || !u.is(&st, r): // through another file's link something outside would be written to
		var dir, kept unix.Stat_t // the command changed no name in it
		err := unix.Fstat(p.dir, &dir)
		info := infoOf(&dir)
		if before, ok := u.touched[p.at]; ok && unix.Fstatat(int(u.entry.Fd()), r.kept, &kept, unix.AT_SYMLINK_NOFOLLOW) != nil {
			info = before // an undo that has put it back was killed then
		}
		return errors.Join(err, u.place(r, p), restoreTimes(p.dir, info))
	}
	if err := u.mayBe(r, p, p); err != nil {
		return err
	}
	u.Restored++
	if u.view != nil {
		p.in.in(p.name).text = u.kept(r).path()
		u.note(p, r.stamp())
		return nil
	}
	file, err := pin(r, p)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(file) }()
	pouring := st
	pouring.Size = -1
	if err := errors.Join(u.will(&pouring, u.was(&st)), u.out.Writing(file, filepath.Join(p.at, p.name), 1)); err != nil {
		return err
	}
	delete(u.out.seen, files.IDOf(&st)) // a step that comes later keeps what this one puts back
	if err := u.pourBack(r, file); err != nil {
		return err
	}
	err = liken(file, r.info)
	u.note(p, r.stamp())
	return err
}

// follow finds what a record is about where commands have moved it to since.
func (u *undo) follow(r record) (place, bool) {
	for _, path := range slices.Backward(u.moved[files.ID{Dev: r.info.Dev, Ino: r.info.Ino}]) {
		p, err := u.find(path)
		if err != nil {
			continue
		}
		if st, there := p.stat(); there && u.is(&st, r) {
			return p, true
		}
		p.close()
	}
	return place{}, false
}

func (u *undo) pourBack(r record, file int) error {
	from, err := u.openKept(r)
	if err != nil {
		return err
	}
	defer from.Close()
	to, back, err := openOwn(file, unix.O_WRONLY|unix.O_TRUNC, func() error { return nil })
	defer back()
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(to) }()
	return pour(to, int(from.Fd()), r.info.Size)
}

func (u *undo) openKept(r record) (*os.File, error) {
	pin, err := unix.Openat(int(u.entry.Fd()), r.kept, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(pin) }()
	fd, back, err := openOwn(pin, unix.O_RDONLY, func() error { return nil })
	back()
	return os.NewFile(uintptr(fd), r.kept), err
}

// halfPoured says that a file is what an undo left that was killed when it poured back what
// was kept: the beginning of that.
func (u *undo) halfPoured(st *unix.Stat_t, r record, p place) bool {
	if !slices.ContainsFunc(u.half[files.IDOf(st)], func(h half) bool { return h.size < 0 }) {
		return false
	}
	kept, err := u.openKept(r)
	if err != nil {
		return false
	}
	defer kept.Close()
	file, err := os.Open(p.path())
	if err != nil {
		return false
	}
	defer file.Close()
	return isBeginning(file, kept)
}

func isBeginning(of, whole io.Reader) bool {
	var a, b [1 << 15]byte
	for {
		n, end := io.ReadFull(of, a[:])
		if m, _ := io.ReadFull(whole, b[:n]); m < n || !bytes.Equal(a[:n], b[:n]) {
			return false
		}
		if end != nil {
			return end == io.EOF || end == io.ErrUnexpectedEOF
		}
	}
}
