package journal

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

var (
	errChanged  = errors.New("it was changed since")
	errOccupied = errors.New("something else is there now")
	errRemoved  = errors.New("it was removed since")
	errUndone   = errors.New("it is there as it was before a command that was undone")
	errOther    = errors.New("another directory is there now: it is left as it is")
	errFilled   = errors.New("something in it was changed since")
)

// unkept is why something was not kept.
type unkept string

func (w unkept) Error() string { return "it was not kept: " + string(w) }

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
		return u.unmakeDir(p)
	}
	if r.kind == created && !u.same(&st) {
		return errChanged
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
	if err := errors.Join(u.will(&st, was), u.out.Removing(p.dir, p.at, p.name, u.host)); err != nil {
		return err
	}
	if err := unix.Unlinkat(p.dir, p.name, flags); err != nil || st.Nlink < 2 || flags != 0 {
		return err
	}
	// Under its other names its change time is another one now.
	if err := unix.Fstat(file, &st); err != nil {
		return err
	}
	u.stays(&st, was)
	return nil
}

// unmakeDir removes a directory of the command's with what is as the command left it.
func (u *undo) unmakeDir(p place) error {
	if st, _ := p.stat(); st.Mode&0o700 != 0o700 {
		if err := u.enter(filepath.Join(p.at, p.name)); err != nil {
			return err
		}
	}
	in, names, err := p.list()
	defer in.close()
	if err != nil {
		return err
	}
	git := u.has(in).IsGit(0, "")
	if (git || isPrograms(p.name)) && !u.isWhole(p) {
		why := errShared
		if git {
			why = errNeeded
		}
		u.leave(in.at, why.Error())
		return errFilled
	}
	var first error
	for _, in.name = range names {
		st, there := in.stat()
		path := filepath.Join(in.at, in.name)
		switch {
		case !there:
			continue
		case u.stuck[path]:
			err = errChanged
		case !u.made(in, &st):
			u.leave(path, errOccupied.Error())
			err = errChanged
		case st.Mode&unix.S_IFMT == unix.S_IFDIR:
			err = u.unmakeDir(in)
		case !u.same(&st):
			u.leave(path, errChanged.Error())
			err = errChanged
		default:
			err = u.remove(in)
		}
		first = errors.Join(first, err)
	}
	if first != nil {
		return errFilled
	}
	return u.remove(p)
}

// putBack gives a name the file that it had.
func (u *undo) putBack(r record, p place) error {
	if st, there := p.stat(); there {
		other, undone := u.other(&st, r)
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
	err := u.out.Touch(p.dir, p.at)
	if there {
		err = errors.Join(err, u.will(&now, u.was(&now)), u.out.Removing(p.dir, p.at, p.name, u.host))
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
	return u.out.Created(p.dir, p.at, p.name)
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
