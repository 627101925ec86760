package journal

import (
	"errors"

	"golang.org/x/sys/unix"
)

func (u *undo) moveBack(r record, to place) error {
	st, there := to.stat()
	if !there || !u.is(&st, r) {
		if from, err := u.reach(r.path, u.find); err == nil {
			defer from.close()
			if st, there := from.stat(); there && u.is(&st, r) {
				return nil // it was never moved, or is back
			}
		}
		return errors.New(r.to + " is not there any more")
	}
	if !u.unchanged(&st) {
		return errChanged
	}
	from, err := u.reach(r.path, u.find)
	if err != nil {
		return err
	}
	defer from.close()
	if err := u.mayBe(r, from, to); err != nil {
		return err
	}
	if st, there := from.stat(); there {
		if !u.opts.Force || st.Mode&unix.S_IFMT == unix.S_IFDIR {
			return errOccupied
		}
		if err := u.remove(from); err != nil {
			return err
		}
	}
	u.took[r.to] = true
	return u.move(to, r.to, from, r.path, r.stamp())
}

func (u *undo) changeBack(r record, a place) error {
	b, err := u.reach(r.to, u.find)
	if err != nil {
		return err
	}
	defer b.close()
	atA, aThere := a.stat()
	atB, bThere := b.stat()
	second := r
	second.info.Ino, second.info.CTime = uint64(r.info.Size), r.info.MTime
	first, last := bThere && u.is(&atB, r), aThere && u.is(&atA, second)
	if err := errors.Join(u.mayBe(r, a, b), u.mayBe(r, b, a)); err != nil {
		return err
	}
	switch {
	case first && !u.unchanged(&atB), last && !u.unchanged(&atA):
		return errChanged
	case first && last:
		u.Restored += 2
		wasA, wasB := earlier(u.was(&atB), r.stamp()), earlier(u.was(&atA), second.stamp())
		if u.view != nil {
			nodeA, nodeB := a.in.in(a.name), b.in.in(b.name)
			a.in.put(a.name, nodeB)
			b.in.put(b.name, nodeA)
			u.note(a, wasA)
			u.note(b, wasB)
			return nil
		}
		err := errors.Join(u.will(&atB, wasA), u.will(&atA, wasB), u.out.Exchanging(a.dir, r.path, b.dir, r.to))
		if err == nil {
			err = unix.Renameat2(a.dir, a.name, b.dir, b.name, unix.RENAME_EXCHANGE)
		}
		if err == nil {
			u.note(a, wasA)
			u.note(b, wasB)
		}
		return err
	case first && !aThere: // what was the command's own went later, without a record
		return u.move(b, r.to, a, r.path, r.stamp())
	case last && !bThere:
		return u.move(a, r.path, b, r.to, second.stamp())
	case !first && !last: // they never changed places, or have again
		return nil
	}
	return errOccupied
}

// move moves back what was last changed at a time, before the command moved it.
func (u *undo) move(from place, was string, to place, is string, changed stamp) error {
	u.Restored++
	st, _ := from.stat()
	changed = earlier(u.was(&st), changed)
	if u.view != nil {
		from.becomes(to)
	} else {
		err := errors.Join(u.will(&st, changed), u.out.Renaming(from.dir, was, to.dir, is))
		if err == nil {
			err = unix.Renameat2(from.dir, from.name, to.dir, to.name, unix.RENAME_NOREPLACE)
		}
		if err != nil {
			return err
		}
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		u.note(to, changed)
	}
	return nil
}

// unchanged says that moving something moves nothing of other programs: what is in a
// directory is looked at by itself.
func (u *undo) unchanged(st *unix.Stat_t) bool {
	return st.Mode&unix.S_IFMT == unix.S_IFDIR || u.same(st)
}
