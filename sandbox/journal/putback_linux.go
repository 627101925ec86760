package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// putBack gives a name the file that it had.
func (u *undo) putBack(r record, p place) error {
	if st, there := p.stat(); there {
		other, undone := u.other(&st, r)
		// Of what was kept as a copy the number is free, and somebody's new file may have it.
		other = other || st.Ino == r.info.Ino && p.born() > r.info.CTime
		if other && undone {
			return errUndone
		}
		if !other && u.is(&st, r) { // it was never removed, or is back
			if u.same(&st) { // to keep it was all that changed it
				u.note(p, r.stamp())
			}
			return nil
		}
		if !u.opts.Force {
			return errOccupied
		}
	}
	if r.kept == "" {
		return unkept(r.why)
	}
	return u.place(r, p)
}

// kept is what was kept, if an undo has not put it back.
func (u *undo) kept(r record) place {
	p := place{dir: int(u.entry.Fd()), at: u.entry.Name(), name: r.kept}
	if u.view != nil {
		p.in = u.view.at(p.at)
	}
	return p
}

// becomes moves something in a dry run.
func (p place) becomes(to place) {
	to.in.put(to.name, p.in.in(p.name))
	p.in.put(p.name, &node{})
}

// place moves what was kept to a name; who looks there sees the old or the new one.
func (u *undo) place(r record, p place) error {
	kept := u.kept(r)
	st, there := kept.stat()
	if !there {
		return nil // an undo before this one has put it back
	}
	if err := u.mayBe(r, p, kept); err != nil {
		return err
	}
	now, there := p.stat()
	if there && now.Mode&unix.S_IFMT == unix.S_IFDIR {
		return errOccupied
	}
	u.Restored++
	if u.view != nil {
		u.stands(r, &st, p)
		kept.becomes(p)
		u.note(p, r.stamp())
		return nil
	}
	err, unkept := u.out.Touch(p.dir, p.at), u.out.Unkept
	if there {
		err = errors.Join(err, u.will(&now, u.was(&now)), u.out.Removing(p.dir, p.at, p.name, u.host))
	}
	if err == nil && u.out.Unkept > unkept {
		err = errKeeps
	}
	err = errors.Join(err, u.will(&st, r.stamp()))
	if err != nil {
		return err
	}
	u.stands(r, &st, p)
	err = unix.Renameat(int(u.entry.Fd()), r.kept, p.dir, p.name)
	if err == unix.EXDEV {
		err = u.carry(r, p)
	}
	if err != nil {
		return err
	}
	u.note(p, r.stamp())
	if st.Nlink > 1 { // it has other names, under which it is not new
		file, err := unix.Openat(p.dir, p.name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		defer func() { _ = unix.Close(file) }()
		return u.out.Linked(p.dir, p.at, p.name, file, r.info.CTime)
	}
	return u.out.restored(p)
}

// restored is Created for what was kept, which is nobody's own: a step that comes later, and
// takes it away again, keeps it.
func (e *Entry) restored(p place) error {
	err := e.Created(p.dir, p.at, p.name)
	st, _ := p.stat()
	delete(e.own, files.IDOf(&st))
	return err
}

// carry is place where the journal is on another file system.
func (u *undo) carry(r record, p place) error {
	file, err := unix.Openat(int(u.entry.Fd()), r.kept, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(file) }()
	var st unix.Stat_t
	if err := unix.Fstat(file, &st); err != nil {
		return err
	}
	// An entry that is in the directory itself makes the copy, and moves it.
	name := carried + strconv.Itoa(os.Getpid())
	if err := u.out.write(record{kind: making, path: filepath.Join(p.at, name)}); err != nil {
		return err
	}
	at := &Entry{dir: p.dir, log: p.dir, own: owned{}, seen: map[files.ID]uint8{}, gone: map[string]bool{}, fixed: name}
	var copied record
	if err := at.copy(&copied, &st, file); err != nil || copied.kept == "" {
		return errors.Join(err, errors.New(copied.why))
	}
	err = unix.Fstatat(p.dir, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	if err = errors.Join(err, u.will(&st, r.stamp())); err == nil {
		u.stands(r, &st, p)
		err = unix.Renameat(p.dir, name, p.dir, p.name)
	}
	if err != nil {
		return errors.Join(err, unix.Unlinkat(p.dir, name, 0))
	}
	return unix.Unlinkat(int(u.entry.Fd()), r.kept, 0)
}

// carried begins the name of what is copied to where it comes back.
const carried = ".pillion-undo-"
