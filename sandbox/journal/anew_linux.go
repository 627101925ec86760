package journal

import (
	"math"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// standIn is what was made anew in the place of something, and until when its changes
// are taken back with that. The number of what is gone is given again: it is about what
// had it from one time to another.
type standIn struct {
	stamp
	from, to, until int64
}

// is says that a file is the one of a record, or was made in its place.
func (u *undo) is(st *unix.Stat_t, r record) bool {
	was, now := r.stamp(), files.IDOf(st)
	for range maxAnew {
		if was.ID == now {
			return true
		}
		next, ok := u.inPlace(was)
		if !ok {
			return false
		}
		was = next.stamp
	}
	return false
}

// inPlace finds what was made last for what had a number at a time.
func (u *undo) inPlace(was stamp) (last standIn, ok bool) {
	for _, s := range u.instead[was.ID] {
		if s.from <= was.at && was.at <= s.to && s.to >= last.to {
			last, ok = s, true
		}
	}
	return last, ok
}

// other says that what is there stands for what a record removed, and is not that: a
// command's change of it was undone since. The removed file stays kept then, others may
// have written to it; undone says that it was changed by that command last.
func (u *undo) other(st *unix.Stat_t, r record) (other, undone bool) {
	is, ok := u.inPlace(r.stamp())
	if !ok || st.Ino == r.info.Ino || r.kept == "" || !u.is(st, r) {
		return false, false
	}
	_, other = u.kept(r).stat() // an undo that has put it back has moved it
	return other, r.info.CTime <= is.until
}

// maxAnew bounds how often one directory can be removed, made anew by an undo and still
// be known: a chain of numbers that were given twice within a tick may have no end.
const maxAnew = 100

// stands remembers which file is the one that a record is about, and comes to a place.
func (u *undo) stands(r record, is *unix.Stat_t, p place) {
	was, now := r.stamp(), stampOf(is)
	// A directory that got its own number again is another one: the next may get another.
	again := r.kind == rmdir && p.born() != r.info.Size
	if now.ID == was.ID && !again || now.Dev != was.Dev {
		return
	}
	anew := record{kind: anew, to: strconv.FormatUint(is.Ino, 10), info: Info{
		Dev: was.Dev, Ino: was.Ino, CTime: u.end, ATime: now.at, MTime: was.at,
	}}
	switch r.kind {
	case rmdir:
		anew.info.Size = r.info.Size
	case written: // it was there until now, or what was there already stands for it
		anew.info.MTime = time.Now().UnixNano()
		before, _ := u.inPlace(was)
		anew.info.Size = before.from
		if there, ok := p.stat(); ok && files.IDOf(&there) == was.ID {
			anew.info.Size = p.born()
		}
	}
	u.instead[was.ID] = append(u.instead[was.ID], anew.standIn(now.ID))
	u.fresh = append(u.fresh, anew)
	_ = u.settle() // finish tries again
}

// standIn is what a record of what was made anew says. Earlier versions wrote no times.
func (r record) standIn(is files.ID) standIn {
	s := standIn{stamp: stamp{is, r.info.ATime}, from: r.info.Size, to: r.info.MTime, until: r.info.CTime}
	if s.to == 0 {
		s.to = math.MaxInt64
	}
	return s
}
