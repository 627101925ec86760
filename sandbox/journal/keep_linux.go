package journal

import (
	"path"

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
