package journal

import (
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// What an undo has put back is not the command's, though it may be in a directory that is:
// an undo that left the directory, and comes again by force, would take away what was there
// before the command, and no record would be left to bring it back. That holds for records
// that are older than the one that put it back: what was restored at a time is taken away
// again by what was made before that time.

// putsBack remembers what stands where a record was taken back.
func (u *undo) putsBack(r record, p place) {
	switch r.kind {
	case removed, rmdir, written:
		u.stand(p, r.path)
	case exchange:
		u.stand(p, r.path)
		u.standAt(r.to)
	case renamed:
		u.standAt(r.path)
	}
}

func (u *undo) standAt(path string) {
	if p, err := u.reach(path, u.find); err == nil {
		u.stand(p, path)
		p.close()
	}
}

func (u *undo) stand(p place, path string) {
	if st, there := p.stat(); there && u.view == nil {
		is := files.IDOf(&st)
		u.put = append(u.put, record{kind: returned, path: path, info: Info{Dev: is.Dev, Ino: is.Ino, CTime: p.born()}})
	}
}

// isBack says that what is there was put back: by when it was made, since its change time
// is another one when the user has changed it.
func (u *undo) isBack(p place, st *unix.Stat_t) bool {
	return u.back[stamp{files.IDOf(st), p.born()}] > 0
}

// emptyOf takes away what the command has made in a directory; kept says that something in
// it was put back, so that it stays.
func (u *undo) emptyOf(in place, names []string) (kept bool, first error) {
	for _, in.name = range names {
		st, there := in.stat()
		path := filepath.Join(in.at, in.name)
		dir, back := st.Mode&unix.S_IFMT == unix.S_IFDIR, there && u.isBack(in, &st)
		var err error
		switch {
		case !there:
		case u.stuck[path]:
			err = errChanged
		case back && !dir:
			kept = true
		case !back && !u.made(in, &st):
			u.leave(path, errOccupied.Error())
			err = errChanged
		case dir:
			var some bool
			some, err = u.unmakeDir(in)
			kept = kept || some
		case !u.same(&st):
			u.leave(path, errChanged.Error())
			err = errChanged
		default:
			err = u.remove(in)
		}
		if first == nil {
			first = err
		}
	}
	return kept, first
}
