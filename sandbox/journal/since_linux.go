package journal

import (
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// since reads what undos have put back after an entry began, and what was moved. The
// entry's own is taken along: with it everything of it goes. A command that began
// earlier may have moved something later.
func (u *undo) since(name string) error {
	var began unix.Stat_t
	err := unix.Fstatat(int(u.entry.Fd()), metaName, &began, 0)
	u.began = began.Mtim.Nano()
	for other := range u.store.neighbours() {
		names, unread := other.names()
		for _, n := range names {
			unread = errors.Join(unread, u.hear(other, n, name))
		}
		if other.dir == u.store.dir { // a broken log of another workspace is not about this one
			err = errors.Join(err, unread)
		}
	}
	return err
}

// neighbours are the stores of all workspaces: a folder may be open by itself, and in
// another one.
func (s *Store) neighbours() iter.Seq[*Store] {
	return func(yield func(*Store) bool) {
		dirs, _ := os.ReadDir(filepath.Dir(s.dir)) // it has been opened
		for _, d := range dirs {
			if d.IsDir() && !yield(&Store{dir: filepath.Join(filepath.Dir(s.dir), d.Name())}) {
				return
			}
		}
	}
}

// hear reads an entry that may say something of the one with a name.
func (u *undo) hear(in *Store, n, name string) error {
	log, err := os.Open(filepath.Join(in.dir, n, logName))
	if err != nil {
		return nil // it is being made, or removed
	}
	defer log.Close()
	if info, e := log.Stat(); n < name && (e != nil || info.ModTime().UnixNano() < u.began) {
		return nil
	}
	_, whole := last(log)
	ours := in.dir == u.store.dir // an undo elsewhere may still run
	return each(log, func(r record) { u.learn(r, n >= name, ours && n == name, ours && n > name && !whole) })
}

// learn gets what logs say: of a later entry than this one or its own, and of an undo that
// was cut off.
func (u *undo) learn(r record, later, own, cut bool) {
	was := r.stamp().ID
	if dir := u.store.programs(r.path); own && r.kind == written && dir != "" {
		u.shares[dir] = append(u.shares[dir], r)
	}
	if own {
		u.touch(r)
	}
	ino, _ := strconv.ParseUint(r.to, 10, 64) // 0: no inode
	is := files.ID{Dev: was.Dev, Ino: ino}
	switch {
	case r.kind == renamed:
		u.moved[was] = append(u.moved[was], r.to)
	case r.kind == settled && r.info.CTime == 0:
		if cut {
			u.half[was] = append(u.half[was], half{r.info.Size, r.info.ATime, stamp{is, r.info.MTime}})
		}
		return
	case r.kind == settled && later:
		u.known[r.stamp()] = stamp{is, r.info.MTime}
		delete(u.half, was)
	case r.kind == anew && later:
		u.instead[was] = append(u.instead[was], r.standIn(is))
	case r.kind == theirs && own:
		u.theirs[r.stamp()] = true
	case r.kind == mine && own:
		if u.own == nil {
			u.own = owned{}
		}
		u.own.add(r)
	case r.kind == written && !own:
		u.changedBy(r)
	case r.kind == returned && own:
		u.back[r.stamp()]++
	case r.kind == making && cut:
		u.making = r.path
	case r.kind == created && r.path == u.making:
		u.making = ""
	case r.kind == times && cut:
		u.touched[r.path] = r.info
	}
	if own && r.kind == settled {
		u.placed[r.stamp()] = true
	}
	if own && (r.kind == settled || r.kind == anew) {
		u.fresh = append(u.fresh, r)
	}
}
