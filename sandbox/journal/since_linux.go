package journal

import (
	"errors"
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
	names, err := u.store.names()
	var began unix.Stat_t
	err = errors.Join(err, unix.Fstatat(int(u.entry.Fd()), metaName, &began, 0))
	u.began = began.Mtim.Nano()
	for _, n := range names {
		if err != nil {
			return err
		}
		log, open := os.Open(filepath.Join(u.store.dir, n, logName))
		if open != nil {
			continue
		}
		if info, e := log.Stat(); n >= name || e == nil && info.ModTime().UnixNano() >= u.began {
			_, whole := last(log)
			err = each(log, func(r record) { u.learn(r, n >= name, n == name, n > name && !whole) })
		}
		_ = log.Close()
	}
	return err
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
