package journal

import (
	"path"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// Parent opens the directory that holds a path as the host has it: what is linked must
// be on one mount with the journal.
type Parent func(file string) (dir int, err error)

// Removing comes before a name goes away, or gets another file.
func (e *Entry) Removing(dir int, at, name string, host Parent) error {
	var st unix.Stat_t
	if err := unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return nil // the kernel says what is wrong
	}
	if err := e.heard(&st, path.Join(at, name)); err != nil {
		return err
	}
	if e.own.has(files.IDOf(&st)) {
		if st.Nlink <= 1 || st.Mode&unix.S_IFMT == unix.S_IFDIR {
			delete(e.own, files.IDOf(&st)) // its number may be another process's soon
		}
		own, err := e.touch(dir, at)
		if !own && e.Counts.Created > 0 {
			e.Counts.Created--
		}
		if err == nil && e.mixed && st.Mode&unix.S_IFMT == unix.S_IFDIR { // what was in it comes back by way of it
			err = e.write(dirRecord(dir, at, name, &st))
		}
		return err
	}
	if _, err := e.touch(dir, at); err != nil {
		return err
	}
	var r record
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		r = dirRecord(dir, at, name, &st)
	} else {
		r = removal(removed, dir, at, name, &st)
		if err := e.link(&r, &st, dir, name, host); err != nil {
			return err
		}
	}
	if err := e.write(r); err != nil {
		return err
	}
	e.Deleted++
	if len(e.gone) < maxKnown {
		e.gone[r.path], e.lastGone = true, r.path
	}
	return nil
}

// removal is of a name that goes.
func removal(k kind, dir int, at, name string, st *unix.Stat_t) record {
	file := path.Join(at, name)
	return record{kind: k, path: file, info: infoOf(st), rule: isRuled(dir, file)}
}

// dirRecord is of a directory that goes, with its attributes.
func dirRecord(dir int, at, name string, st *unix.Stat_t) record {
	r := removal(rmdir, dir, at, name, st)
	r.info.Size = born(dir, name)
	if fd, err := files.OpenPlain(dir, name, unix.O_RDONLY|unix.O_DIRECTORY); err == nil {
		r.kept = attributes(fd)
		_ = unix.Close(fd)
	}
	return r
}

// born is when something was made; 0 where that is not known.
func born(dir int, name string) int64 {
	var x unix.Statx_t
	if unix.Statx(dir, name, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BTIME, &x) != nil || x.Mask&unix.STATX_BTIME == 0 {
		return 0
	}
	return x.Btime.Sec*1e9 + int64(x.Btime.Nsec)
}

// link keeps a file by a name in the entry. Another mount, a full table of links, or
// a file of another user: then it is copied.
func (e *Entry) link(r *record, st *unix.Stat_t, dir int, name string, host Parent) error {
	if err := e.open(); err != nil {
		return err
	}
	if !e.fits(r, st.Blocks*512, false) {
		return nil
	}
	kept := e.nextName()
	if at, err := host(r.path); err == nil {
		err = unix.Linkat(at, name, e.dir, kept, 0)
		_ = unix.Close(at)
		var got unix.Stat_t
		switch {
		case err == unix.ENOSPC || err == unix.EDQUOT:
			return err
		case err == nil && unix.Fstatat(e.dir, kept, &got, unix.AT_SYMLINK_NOFOLLOW) == nil && files.IDOf(&got) == files.IDOf(st):
			r.kept = kept
			e.Bytes += st.Blocks * 512
			return nil
		}
		_ = unix.Unlinkat(e.dir, kept, 0) // of a faster process; mostly there is none
	}
	file, err := unix.Openat(dir, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(file) }()
	return e.copy(r, st, file)
}

// fits counts what is to be kept; where there is no room for it, the record says so.
func (e *Entry) fits(r *record, size int64, copies bool) bool {
	switch {
	case copies && e.bounds.File > 0 && size > e.bounds.File:
		r.why = "it is larger than " + strconv.FormatInt(e.bounds.File>>20, 10) + " MiB"
	case e.bounds.Entry > 0 && e.Bytes+size > e.bounds.Entry:
		r.why = "the command changed more than " + strconv.FormatInt(e.bounds.Entry>>20, 10) + " MiB"
	default:
		return true
	}
	e.Unkept++
	return false
}

// copy keeps a copy of what file is, with its mode, times and attributes.
func (e *Entry) copy(r *record, st *unix.Stat_t, file int) error {
	if err := e.open(); err != nil {
		return err
	}
	kept := e.nextName()
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFLNK:
		text := make([]byte, unix.PathMax)
		n, err := unix.Readlinkat(file, "", text)
		if err == nil {
			err = unix.Symlinkat(string(text[:n]), e.dir, kept)
		}
		if err == nil {
			r.kept = kept
			e.timesOf(kept, st)
		}
		return err
	default: // a FIFO, say: another one is as good
		if err := unix.Mknodat(e.dir, kept, st.Mode, 0); err != nil {
			e.unkept(r, "it is no file")
			return nil
		}
		r.kept = kept
		e.timesOf(kept, st)
		return nil
	}
	from, back, err := openOwn(file, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, func() error {
		if e.fixed != "" {
			return nil
		}
		return e.write(record{kind: mode, path: r.path, info: infoOf(st)})
	})
	defer back()
	if err != nil {
		e.unkept(r, "it can't be read")
		return nil
	}
	defer func() { _ = unix.Close(from) }()
	to, err := unix.Openat(e.dir, kept, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(to) }()
	if unix.IoctlFileClone(to, from) != nil {
		if !e.fits(r, st.Blocks*512, true) {
			return unix.Unlinkat(e.dir, kept, 0)
		}
		if err := pour(to, from, st.Size); err != nil {
			_ = unix.Unlinkat(e.dir, kept, 0)
			return err
		}
		e.Bytes += st.Blocks * 512
	}
	likeness(to, from, st)
	r.kept = kept
	return nil
}

// openOwn opens what is pinned. Where its mode forbids that to its owner it has another
// one, after first, until back.
func openOwn(pin, flags int, first func() error) (fd int, back func(), err error) {
	back = func() {}
	fd, err = unix.Open(files.Path(pin), flags|unix.O_CLOEXEC, 0)
	var st unix.Stat_t
	if err != unix.EACCES || unix.Fstat(pin, &st) != nil || first() != nil {
		return fd, back, err
	}
	if unix.Chmod(files.Path(pin), st.Mode&0o7777|0o600) == nil {
		back = func() { _ = unix.Chmod(files.Path(pin), st.Mode&0o7777) }
		fd, err = unix.Open(files.Path(pin), flags|unix.O_CLOEXEC, 0)
	}
	return fd, back, err
}

// timesOf gives what is kept the times that it had.
func (e *Entry) timesOf(kept string, st *unix.Stat_t) {
	_ = unix.UtimesNanoAt(e.dir, kept, []unix.Timespec{st.Atim, st.Mtim}, unix.AT_SYMLINK_NOFOLLOW) // or as new
}

func (e *Entry) unkept(r *record, why string) {
	r.why = why
	e.Unkept++
}

// pour copies what is in a file, and leaves its holes.
func pour(to, from int, size int64) error {
	for at := int64(0); at < size; {
		data, err := unix.Seek(from, at, unix.SEEK_DATA)
		if err == unix.ENXIO {
			break
		}
		hole := size
		if err == nil {
			hole, err = unix.Seek(from, data, unix.SEEK_HOLE)
		}
		if err != nil { // a file system without holes
			data, hole = at, size
		}
		for at = data; at < min(hole, size); {
			n, err := copyRange(to, from, at, min(hole, size)-at)
			if err != nil {
				return err
			}
			if n == 0 {
				return unix.Ftruncate(to, size) // it has become shorter
			}
			at += int64(n)
		}
	}
	return unix.Ftruncate(to, size)
}

// copyRange copies some of what is at an offset to the same one. The kernel does it by
// itself within one file system only.
func copyRange(to, from int, at, size int64) (n int, err error) {
	in, out := at, at
	n, err = unix.CopyFileRange(from, &in, to, &out, int(size), 0)
	switch err {
	case unix.EXDEV, unix.EINVAL, unix.EOPNOTSUPP, unix.ENOSYS:
	default:
		return n, err
	}
	b := make([]byte, min(size, 1<<20))
	if n, err = unix.Pread(from, b, at); err != nil {
		return 0, err
	}
	for done := 0; done < n; {
		wrote, err := unix.Pwrite(to, b[done:n], at+int64(done))
		if err != nil {
			return 0, err
		}
		done += wrote
	}
	return n, nil
}

// likeness gives a copy what a file is besides its content, where the user may.
func likeness(to, from int, st *unix.Stat_t) {
	setAttributes(to, attributes(from)) // as long as it may be written to
	_ = unix.Fchown(to, int(st.Uid), int(st.Gid))
	_ = unix.Fchmod(to, st.Mode&0o7777)
	_ = unix.UtimesNanoAt(unix.AT_FDCWD, files.Path(to), []unix.Timespec{st.Atim, st.Mtim}, 0)
}

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
