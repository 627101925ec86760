package journal

import (
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

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
