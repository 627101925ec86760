package journal

import (
	"errors"
	"path"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// ownDir refuses what the kernel is going to refuse: it must not be recorded.
func (e *Entry) ownDir(dir int) (own bool, st unix.Stat_t, err error) {
	if err = unix.Fstat(dir, &st); err == nil && st.Mode&unix.S_IFMT != unix.S_IFDIR {
		err = unix.ENOTDIR
	}
	return e.own.has(files.IDOf(&st)), st, err
}

// touch keeps the times of a directory whose names are about to change. own says that
// the command made it: nothing in it needs to be kept.
func (e *Entry) touch(dir int, path string) (own bool, err error) {
	own, st, err := e.ownDir(dir)
	if err != nil || own {
		return own, err
	}
	if e.seen[files.IDOf(&st)]&onceTimes != 0 {
		return false, nil
	}
	if err := e.write(record{kind: times, path: path, info: infoOf(&st)}); err != nil {
		return false, err
	}
	e.once(files.IDOf(&st), onceTimes)
	return false, nil
}

// once remembers that this was kept: a record of it has been written.
func (e *Entry) once(i files.ID, bit uint8) {
	if len(e.seen) < maxKnown {
		e.seen[i] |= bit
	}
}

// Touch comes before a name is made in dir, which is open at a path.
func (e *Entry) Touch(dir int, at string) error {
	_, err := e.touch(dir, at)
	return err
}

// Created comes after: what was not made must not be taken away. A record that is lost
// when its writer dies in between leaves a file, and loses none.
func (e *Entry) Created(dir int, at, name string) error {
	var st unix.Stat_t
	if err := unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return nil // another process was faster: it is gone
	}
	if len(e.own) < maxKnown {
		e.own[files.IDOf(&st)] = e.bornOwn(dir, name)
	}
	file := path.Join(at, name)
	e.nests = e.nests || e.bounds.Watched && st.Mode&unix.S_IFMT == unix.S_IFDIR
	own, _, err := e.ownDir(dir)
	if err != nil || own && !e.mixed { // else something else may come back to the name
		return err
	}
	if !own {
		e.counts(file, +1)
	}
	return e.write(record{kind: created, path: file, info: infoOf(&st)})
}

// bornOwn is when something of the command's was made, if that is going to be written.
func (e *Entry) bornOwn(dir int, name string) int64 {
	if !e.bounds.Watched {
		return 0
	}
	return born(dir, name)
}

// Opened comes after a file was made, which is open for writing.
func (e *Entry) Opened(file int, path string) {
	var st unix.Stat_t
	if e.bounds.Watched && unix.Fstat(file, &st) == nil {
		e.watch(files.IDOf(&st), file, path, 1)
	}
}

// counts adds a new name, or takes one away that was new. A file that was removed and is
// there again was modified: so does git.
func (e *Entry) counts(file string, by int64) {
	if _, again := e.gone[file]; !again {
		e.Counts.Created += by
		return
	}
	delete(e.gone, file)
	e.Deleted--
	e.Modified++
}

// Linked comes after a second name was made of what file is, whose change time was
// another one before.
func (e *Entry) Linked(dir int, at, name string, file int, was int64) error {
	var st unix.Stat_t
	if err := unix.Fstat(file, &st); err != nil || e.own.has(files.IDOf(&st)) || st.Nlink < 2 {
		return errors.Join(err, e.Created(dir, at, name))
	}
	own, _, err := e.ownDir(dir)
	if err != nil {
		return err
	}
	if e.mixed = e.mixed || own; !own {
		e.Counts.Created++
	}
	e.once(files.IDOf(&st), onceMoved)
	r := record{kind: linked, path: path.Join(at, name), info: infoOf(&st)}
	r.info.CTime = was
	return e.write(r)
}
