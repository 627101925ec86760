package journal

import (
	"errors"
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// view is the tree as the steps of an undo before this one would have left it: what a
// dry run goes by. A name that it has not is as it is on disk.
type view map[string]node

// node is what a name would be: gone, put back as it was before the command, or what is
// somewhere else on disk.
type node struct {
	gone, back bool
	real       string
}

// at follows a path through what would have been moved, removed or put back.
func (v view) at(path string) node {
	if n, known := v[path]; known {
		return n
	}
	dir := filepath.Dir(path)
	if dir == path {
		return node{real: path}
	}
	switch up := v.at(dir); {
	case up.gone, up.back: // of a directory that is back each name is back by itself
		return node{gone: true}
	default:
		return node{real: filepath.Join(up.real, filepath.Base(path))}
	}
}

// stat is what a path would be; there is nothing to compare of what is put back.
func (v view) stat(path string) (st unix.Stat_t, there, back bool) {
	n := v.at(path)
	switch {
	case n.gone:
		return st, false, false
	case n.back:
		return st, true, true
	}
	return st, unix.Lstat(n.real, &st) == nil, false
}

// imagine does one step in the view only.
func (u *undo) imagine(r record) error {
	st, there, back := u.view.stat(r.path)
	switch r.kind {
	case times:
		return nil
	case created, linked:
		return u.imagineGone(r, &st, there, back)
	case removed, rmdir:
		return u.imagineBack(r, &st, there, back)
	case renamed:
		return u.imagineMoved(r, there)
	case exchange:
		u.Restored += 2
		u.view[r.path], u.view[r.to] = u.view.at(r.to), u.view.at(r.path)
		return nil
	}
	if r.kind == written && (!there || !back && !u.is(&st, r)) {
		if to, ok := u.follow(r); ok {
			defer to.close()
			st, there = to.stat()
		}
	}
	took := u.opts.Force || u.view[r.path].gone
	switch {
	case !there && !(r.kind == written && took):
		return errRemoved
	case there && !back && u.left(&st, r) != nil:
		return u.left(&st, r)
	case r.kind == written && r.kept == "":
		return unkept(r.why)
	case !there:
		u.view[r.path] = node{back: true}
	}
	u.Restored++
	return nil
}

func (u *undo) imagineGone(r record, st *unix.Stat_t, there, back bool) error {
	dir := st.Mode&unix.S_IFMT == unix.S_IFDIR
	switch {
	case !there:
		return nil
	case back: // by a step that is taken back here
	case !u.is(st, r) && dir && u.cutOff && isEmpty(u.view.at(r.path).real):
	case !u.is(st, r) && !u.opts.Force:
		return errOccupied
	case !u.is(st, r) && !dir:
	case dir:
		if u.changedBelow(r.path) {
			return errFilled
		}
	case r.kind == created && !u.same(st):
		return errChanged
	}
	u.Removed++
	u.view[r.path] = node{gone: true}
	return nil
}

// changedBelow says that a directory holds something that the command did not leave so.
func (u *undo) changedBelow(path string) (changed bool) {
	real := u.view.at(path).real
	_ = filepath.WalkDir(real, func(file string, e fs.DirEntry, err error) error { // what can't be read is left, too
		rel, _ := filepath.Rel(real, file)
		st, there, back := u.view.stat(filepath.Join(path, rel))
		dir := st.Mode&unix.S_IFMT == unix.S_IFDIR
		changed = changed || err != nil || there && !back && (!dir && !u.same(&st) || rel != "." && !u.made(place{unix.AT_FDCWD, "", file}, &st))
		return err
	})
	return changed
}

func (u *undo) imagineBack(r record, st *unix.Stat_t, there, back bool) error {
	other, undone := u.other(st, r)
	switch {
	case there && !back && other && undone:
		return errUndone
	case there && (back || !other && u.is(st, r)):
		return nil
	case there && r.kind == rmdir && st.Mode&unix.S_IFMT == unix.S_IFDIR:
		return nil
	case there && !u.opts.Force:
		return errOccupied
	case r.kind == removed && r.kept == "":
		return unkept(r.why)
	}
	u.Restored++
	u.view[r.path] = node{back: true}
	return nil
}

func (u *undo) imagineMoved(r record, occupied bool) error {
	st, there, back := u.view.stat(r.to)
	if !there || !back && !u.is(&st, r) {
		if st, there, back := u.view.stat(r.path); there && (back || u.is(&st, r)) {
			return nil
		}
		return errors.New(r.to + " is not there any more")
	}
	if !back && st.Mode&unix.S_IFMT != unix.S_IFDIR && !u.same(&st) {
		return errChanged
	}
	if occupied {
		return errOccupied
	}
	u.Restored++
	u.view.move(r.to, r.path)
	return nil
}

// move takes what is known of names below along.
func (v view) move(from, to string) {
	moved := view{to: v.at(from)}
	for name, n := range v {
		if name != from && policy.Beneath(from, name) {
			moved[to+name[len(from):]] = n
			delete(v, name)
		}
	}
	for name, n := range moved {
		v[name] = n
	}
	v[from] = node{gone: true}
}
