package journal

import (
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// stamp is a file at a change time. What an undo puts back has a new one, and may be
// another file; it stands for that of what was there, which may stand for an older one.
type stamp struct {
	files.ID
	at int64
}

// half is what a file may be that a killed undo was about to change.
type half struct {
	size, mtime int64 // size is -1 for the beginning of what was kept
	was         stamp
}

func stampOf(st *unix.Stat_t) stamp { return stamp{files.IDOf(st), st.Ctim.Nano()} }

func (r record) stamp() stamp { return stamp{files.ID{Dev: r.info.Dev, Ino: r.info.Ino}, r.info.CTime} }

func earlier(a, b stamp) stamp {
	if b.at < a.at {
		return b
	}
	return a
}

// same says that a file is as the command left it.
func (u *undo) same(st *unix.Stat_t) bool {
	was := u.was(st)
	return u.opts.Force || was.at <= u.end && !u.isTheirs(was)
}

// was is when a file was changed last, but for what undos have put back.
func (u *undo) was(st *unix.Stat_t) stamp {
	at := stampOf(st)
	if _, ok := u.known[at]; !ok {
		for _, h := range u.half[at.ID] {
			if h.size == st.Size && h.mtime == st.Mtim.Nano() {
				u.stays(st, h.was)
			}
		}
	}
	return u.base(at)
}

// base is what a file at a change time stands for.
func (u *undo) base(at stamp) stamp {
	for range maxAnew {
		before, ok := u.known[at]
		if !ok {
			break
		}
		at = before
	}
	return at
}

// isBefore says that undos have put back what a file was before it was what a record found.
// The command has only opened it, or they would have left it.
func (u *undo) isBefore(st *unix.Stat_t, r record) bool {
	_ = u.was(st) // see made
	at := stampOf(st)
	for range maxAnew {
		if r.info.CTime <= at.at && at.at <= u.end {
			return false
		}
		before, more := u.known[at]
		if !more {
			return at.at < r.info.CTime
		}
		at = before
	}
	return false
}

// made says that what is in a directory of the command's is of the command: another may
// have been put there, or brought back by an undo.
func (u *undo) made(p place, st *unix.Stat_t) bool {
	is, born := stampOf(st), p.born()
	_ = u.was(st)                            // which knows what an undo that was killed has begun
	if st.Mode&unix.S_IFMT == unix.S_IFDIR { // the names in it change its change time
		if is.at = born; born == 0 {
			return u.own == nil || u.own.has(is.ID) || u.opts.Force
		}
	}
	at := is
	for range maxAnew {
		before, more := u.known[at]
		switch {
		case u.opts.Force:
			return true
		case u.isTheirs(at) || u.back[at] > 0:
			return false
		case u.began <= at.at && at.at <= u.end && u.madeBy(at, is, born):
			return true
		case !more:
			return false
		}
		at = before
	}
	return false
}

// note remembers that a file is as something was at a time.
func (u *undo) note(p place, was stamp) {
	if st, there := p.stat(); there {
		u.stays(&st, was)
	}
}

// stays is note for a file that is open. Where nothing has changed it since, what it stood
// for does so, too: that is what a redo brings back.
func (u *undo) stays(st *unix.Stat_t, was stamp) {
	now := stampOf(st)
	delete(u.half, now.ID)
	for _, is := range slices.Compact([]stamp{u.base(now), now}) {
		if is == was {
			continue
		}
		u.known[is] = was
		r := stands(st, was)
		r.info.Dev, r.info.Ino, r.info.CTime = is.Dev, is.Ino, is.at
		u.fresh = append(u.fresh, r)
	}
	_ = u.settle() // finish tries again
}

// stands says that a file at its change time, 0 for the next one, is as another was.
func stands(st *unix.Stat_t, was stamp) record {
	info := infoOf(st)
	info.ATime, info.MTime = info.MTime, was.at
	return record{kind: settled, to: strconv.FormatUint(was.Ino, 10), info: info}
}

// will comes before a change of what has something's size and modification time: who is
// killed then has changed at most what else there is. What a person writes has others.
func (u *undo) will(st *unix.Stat_t, was stamp) error {
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		return nil
	}
	r := stands(st, was)
	r.info.CTime = 0
	return u.out.write(r)
}
