package journal

import (
	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// Writing comes before what file is at a path is written to: before it is opened so many times.
func (e *Entry) Writing(file int, at string, opens int) error {
	st, skip, err := e.foreign(file, at, onceWritten, opens)
	if err != nil || skip || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return err
	}
	r := record{kind: written, path: at, info: infoOf(&st), rule: isRuledFile(file, at)}
	if err := e.copy(&r, &st, file); err != nil {
		return err
	}
	return e.modified(r, &st, onceWritten)
}

// Changing comes before the mode, owner or times of what file is change.
func (e *Entry) Changing(file int, at string) error {
	st, skip, err := e.foreign(file, at, onceMode, 0)
	if err != nil || skip {
		return err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		e.modes = append(e.modes, at)
	}
	return e.modified(record{kind: mode, path: at, info: infoOf(&st)}, &st, onceMode)
}

// Attribute comes before an extended attribute changes.
func (e *Entry) Attribute(file int, at, key string) error {
	st, skip, err := e.foreign(file, at, 0, 0)
	if err != nil || skip {
		return err
	}
	r := record{kind: attr, path: at, to: key, info: infoOf(&st)}
	value := make([]byte, 1<<16)
	if n, err := unix.Getxattr(files.Path(file), key, value); err == nil {
		r.kept = "=" + string(value[:n])
	}
	return e.modified(r, &st, onceAttribute)
}

// modified writes a record of a file that is changed, and counts the file once. Only what
// was written is known from then on: a change that could not be kept doesn't count.
func (e *Entry) modified(r record, st *unix.Stat_t, way uint8) error {
	if err := e.write(r); err != nil {
		return err
	}
	if e.seen[files.IDOf(st)]&^onceMoved == 0 {
		e.Modified++
	}
	e.once(files.IDOf(st), way)
	return nil
}

// foreign says what a file is; skip that it is the command's own, or was kept already.
func (e *Entry) foreign(file int, at string, bit uint8, opens int) (st unix.Stat_t, skip bool, err error) {
	if err = unix.Fstat(file, &st); err != nil {
		return st, false, err
	}
	err = e.heard(&st, at)
	own, seen := e.own.has(files.IDOf(&st)), e.seen[files.IDOf(&st)]
	fresh := opens > 0 || !own && seen&onceWritten == 0 // or it may be open already, and not be counted
	if fresh && e.bounds.Watched && st.Mode&unix.S_IFMT == unix.S_IFREG {
		e.watch(files.IDOf(&st), file, at, opens)
	}
	return st, own || seen&bit != 0, err
}

// Made says that the command made a file itself, so that nothing of it is kept.
func (e *Entry) Made(st *unix.Stat_t) bool { return e.own.has(files.IDOf(st)) }

// heard makes a file somebody else's who has written to it since: it has to be kept anew.
func (e *Entry) heard(st *unix.Stat_t, at string) error {
	if id := files.IDOf(st); e.wrote(id) {
		delete(e.own, id)
		delete(e.seen, id)
		return e.write(record{kind: theirs, path: at, info: infoOf(st)})
	}
	return nil
}
