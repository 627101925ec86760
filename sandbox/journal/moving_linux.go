package journal

import (
	"path"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// Renaming comes before from becomes to. The file at to must have been given to Removing.
func (e *Entry) Renaming(fromDir int, from string, toDir int, to string) error {
	var st unix.Stat_t
	if err := unix.Fstatat(fromDir, path.Base(from), &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return nil // the kernel says what is wrong
	}
	e.moved(&st, from, to)
	inOwn, err := e.touch(fromDir, path.Dir(from))
	if err != nil {
		return err
	}
	ontoOwn, err := e.touch(toDir, path.Dir(to))
	if err != nil {
		return err
	}
	own := e.own.has(files.IDOf(&st))
	if e.mixed = e.mixed || ontoOwn && !own; !own {
		e.once(files.IDOf(&st), onceMoved)
	}
	if own && !(e.mixed && st.Mode&unix.S_IFMT == unix.S_IFDIR) {
		// The old name was new, too: that it is gone is as it was.
		if !inOwn {
			e.Counts.Created--
		}
		if ontoOwn && !e.mixed {
			return nil
		}
		if !ontoOwn {
			e.counts(to, +1)
		}
		return e.write(record{kind: created, path: to, info: infoOf(&st)})
	}
	e.Renamed++
	return e.write(record{kind: renamed, path: from, to: to, info: infoOf(&st), rule: isRuled(fromDir, from)})
}

// Exchanging comes before two names change places.
func (e *Entry) Exchanging(aDir int, a string, bDir int, b string) error {
	var of [2]unix.Stat_t
	for i, d := range []struct {
		dir int
		at  string
	}{{aDir, a}, {bDir, b}} {
		if err := unix.Fstatat(d.dir, path.Base(d.at), &of[i], unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return nil // the kernel says what is wrong
		}
	}
	inOwn, err := e.touch(aDir, path.Dir(a))
	if err != nil {
		return err
	}
	ontoOwn, err := e.touch(bDir, path.Dir(b))
	if err != nil {
		return err
	}
	e.once(files.IDOf(&of[0]), onceMoved)
	e.once(files.IDOf(&of[1]), onceMoved)
	e.mixed = e.mixed || ontoOwn && !e.own.has(files.IDOf(&of[0])) || inOwn && !e.own.has(files.IDOf(&of[1]))
	e.Renamed += 2
	r := record{kind: exchange, path: a, to: b, info: infoOf(&of[0]), rule: isRuled(aDir, a) && isRuled(bDir, b)}
	r.info.Size, r.info.MTime = int64(of[1].Ino), of[1].Ctim.Nano()
	return e.write(r)
}
