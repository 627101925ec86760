package journal

import (
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// reach finds a place in which names can be changed: directories of the user's that are
// shut are entered first, but not by a dry run.
func (u *undo) reach(path string, find func(string) (place, error)) (place, error) {
	p, err := find(path)
	if u.view != nil {
		if err == nil && p.in.real != "" {
			err = unix.Faccessat(unix.AT_FDCWD, p.in.real, unix.W_OK|unix.X_OK, unix.AT_EACCESS)
			if err == unix.EACCES && u.looksInto(p) {
				err = nil
			}
		}
		return p, err
	}
	if err == nil {
		if unix.Faccessat(p.dir, ".", unix.W_OK|unix.X_OK, unix.AT_EACCESS) != unix.EACCES {
			return p, nil
		}
		p.close()
	} else if err != unix.EACCES {
		return p, err
	}
	if err := u.enter(filepath.Dir(path)); err != nil {
		return place{}, err
	}
	return find(path)
}

// looksInto says that a dry run sees what is in a directory that the undo would enter.
func (u *undo) looksInto(p place) bool {
	st, err := p.in.stat()
	return err == nil && st.Mode&0o100 != 0 && u.mayEnter(p.at) && isOurs(&st)
}

// mayEnter is about the place of a directory, and isOurs about what it is.
func (u *undo) mayEnter(dir string) bool {
	below := func(r string) bool { return r != dir && policy.Beneath(r, dir) }
	return os.Geteuid() != 0 && slices.ContainsFunc(u.store.Roots, below)
}

func isOurs(st *unix.Stat_t) bool {
	return st.Mode&unix.S_IFMT == unix.S_IFDIR && int(st.Uid) == os.Geteuid()
}

// enter lets the user change what is in a directory, and in those above, until the end.
func (u *undo) enter(dir string) error {
	if u.view != nil || !u.mayEnter(dir) {
		return nil
	}
	if err := u.enter(filepath.Dir(dir)); err != nil {
		return err
	}
	p, err := u.store.find(dir)
	if err != nil {
		return err
	}
	defer p.close()
	st, _ := p.stat()
	if st.Mode&0o700 == 0o700 || !isOurs(&st) {
		return nil
	}
	file, err := pin(record{info: infoOf(&st)}, p)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(file) }()
	if err := u.out.Changing(file, dir); err != nil {
		return err
	}
	u.shut[dir] = infoOf(&st)
	return unix.Chmod(files.Path(file), st.Mode&0o7777|0o700)
}

// leaveShut gives a directory that was entered its mode back.
func (u *undo) leaveShut(dir string) {
	p, err := u.store.find(dir)
	if err != nil {
		return // it is gone
	}
	defer p.close()
	was := u.shut[dir]
	file, err := pin(record{info: was}, p)
	if err != nil {
		return
	}
	defer func() { _ = unix.Close(file) }()
	var st unix.Stat_t
	if unix.Fstat(file, &st) == nil && st.Ino == was.Ino {
		_ = unix.Chmod(files.Path(file), was.Mode&0o7777) // or it stays open to its owner
	}
}
