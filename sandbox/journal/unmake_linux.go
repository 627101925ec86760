package journal

import (
	"path/filepath"

	"golang.org/x/sys/unix"
)

// host is a Parent for what the undo itself changes.
func (u *undo) host(file string) (int, error) {
	p, err := u.store.find(file)
	return p.dir, err
}

// unmake takes away what the command made, unless it is something else by now.
func (u *undo) unmake(r record, p place) error {
	st, there := p.stat()
	if !there {
		return nil
	}
	dir := st.Mode&unix.S_IFMT == unix.S_IFDIR
	if what, needed := u.needed(p); needed {
		if !u.stuck[what] {
			u.leave(what, errNeeded.Error())
		}
		return errNeeded
	}
	switch {
	case !u.is(&st, r) && dir && u.cutOff && p.isEmpty():
		// An undo that was killed had made it again, and not yet written so.
		return u.remove(p)
	case !u.is(&st, r) && !u.opts.Force:
		return errOccupied
	case !u.is(&st, r) && !dir:
		return u.remove(p)
	case dir:
		_, err := u.unmakeDir(p)
		return err
	}
	if r.kind == created && !u.same(&st) {
		return errChanged
	}
	if r.kind == linked && st.Nlink < 2 && !u.opts.Force { // its other names are gone, or came back as copies
		return errLast
	}
	if r.kind == linked && u.same(&st) { // the link was all that changed it
		u.stays(&st, earlier(u.was(&st), r.stamp()))
	}
	return u.remove(p)
}

func (u *undo) remove(p place) error {
	st, _ := p.stat()
	flags := 0
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		flags = unix.AT_REMOVEDIR
	}
	u.Removed++
	was := u.was(&st)
	u.took[filepath.Join(p.at, p.name)] = true
	if u.view != nil {
		p.in.put(p.name, &node{})
		return nil
	}
	file, err := unix.Openat(p.dir, p.name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(file) }()
	if err := u.will(&st, was); err != nil {
		return err
	}
	unkept := u.out.Unkept
	err = u.out.Attempt(func() error { return u.out.Removing(p.dir, p.at, p.name, u.host) }, func() error {
		if u.out.Unkept > unkept {
			return errKeeps
		}
		return unix.Unlinkat(p.dir, p.name, flags)
	})
	if err != nil {
		u.Removed--
	}
	if err != nil || st.Nlink < 2 || flags != 0 {
		return err
	}
	// Under its other names its change time is another one now.
	if err := unix.Fstat(file, &st); err != nil {
		return err
	}
	u.stays(&st, was)
	return nil
}

// unmakeDir removes a directory of the command's with what is as the command left it. It
// stays, without the command's, where it or something in it was put back.
func (u *undo) unmakeDir(p place) (kept bool, err error) {
	st, there := p.stat()
	kept = there && u.isBack(p, &st)
	if st.Mode&0o700 != 0o700 {
		if err := u.enter(filepath.Join(p.at, p.name)); err != nil {
			return kept, err
		}
	}
	in, names, err := p.list()
	defer in.close()
	if err != nil {
		return kept, err
	}
	git := u.has(in).IsGit(0, "")
	if (git || isPrograms(p.name)) && !u.isWhole(p) {
		why := errShared
		if git {
			why = errNeeded
		}
		u.leave(in.at, why.Error())
		return kept, errFilled
	}
	some, err := u.emptyOf(in, names)
	if kept = kept || some; err != nil {
		return kept, errFilled
	}
	if kept {
		return true, nil
	}
	return false, u.remove(p)
}
