package sandbox

import (
	"strings"

	"golang.org/x/sys/unix"
)

// rename does all its forms. Each side is judged by its own name: what leaves a
// protected one, and what takes one.
func (a *ask) rename(olddir int32, oldAddr uint64, newdir int32, newAddr uint64, flags uint) error {
	const known = unix.RENAME_NOREPLACE | unix.RENAME_EXCHANGE
	if flags&^known != 0 || flags == known {
		return unix.EINVAL
	}
	from, err := a.named(olddir, oldAddr)
	if err != nil {
		return err
	}
	defer from.close()
	to, err := a.named(newdir, newAddr)
	if err != nil {
		return err
	}
	defer to.close()
	if from.isDir() || to.isDir() {
		return unix.EBUSY
	}
	if a.free(from) && a.free(to) && sameFile(from.dir, to.dir) {
		return unix.Renameat2(from.dir, from.tail(), to.dir, to.tail(), flags) // nothing crosses a border
	}
	if flags&unix.RENAME_NOREPLACE != 0 && isThere(to.dir, to.name) {
		return unix.EEXIST // before what is refused, as in judgeNew
	}
	if flags == 0 && !from.slash && !to.slash {
		if taken, err := a.replaceText(from, to); taken || err != nil {
			return err
		}
	}
	if err := a.judgeMove(from, to); err != nil {
		return err
	}
	if flags&unix.RENAME_EXCHANGE != 0 {
		if err := a.judgeMove(to, from); err != nil {
			return err
		}
	}
	return unix.Renameat2(from.dir, from.tail(), to.dir, to.tail(), flags)
}

// judgeMove judges one direction: away from the old name, and to the new one.
func (a *ask) judgeMove(from, to place) error {
	obj, err := unix.Openat(from.dir, from.name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(obj) }()
	var st unix.Stat_t
	if err := unix.Fstat(obj, &st); err != nil {
		return err
	}
	away, onto := changeFrom, takes(st.Mode, changeTo, changeDirTo)
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		away = changeDirFrom
	}
	if err := a.judge(from.full(), from.dir, obj, away); err != nil {
		return err
	}
	if err := a.judge(to.full(), to.dir, -1, onto); err != nil {
		return err
	}
	if a.exchangeable(from, to) {
		return unix.EXDEV
	}
	if st.Mode&unix.S_IFMT == unix.S_IFLNK { // a relative one leads elsewhere from there
		if text, err := linkText(obj, ""); err != nil || a.judgeLink(to, text) != nil {
			return unix.EACCES
		}
	}
	if onto == changeDirTo && (a.straysMoved(obj, from.full(), to.full()) || a.changesGit(from, to)) {
		return unix.EXDEV
	}
	return a.crosses(from.full(), to.full(), st.Mode)
}

// changesGit says that a directory would come into a git directory, or out of one, that
// is not called .git: it may hold links.
func (a *ask) changesGit(from, to place) bool {
	r, rel, ok := a.b.within(to.full())
	other, fromRel, fromOK := a.b.within(from.full())
	if !ok || !fromOK || !r.protected || !other.protected {
		return false
	}
	depth := func(rel string) int { return strings.Count(rel, "/") }
	return insideGitDir(to.dir, depth(rel)) != insideGitDir(from.dir, depth(fromRel))
}

// takes is what it is to give a name to something of a mode: the one for a file, the one
// for a directory, or one of its own kind. A FIFO by another name holds whoever opens it
// as well.
func takes(mode uint32, file, dir change) change {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return file
	case unix.S_IFDIR:
		return dir
	case unix.S_IFLNK:
		return changeSymlink
	}
	return changeNode
}

// exchangeable says that another command could put something else in the place of what
// is moved after it was looked at: a directory, prepared where nothing is protected or
// going to where none is let in. mv copies then.
func (a *ask) exchangeable(from, to place) bool {
	if a.b.guarded(from.full()) != a.b.guarded(to.full()) {
		return true
	}
	return a.zoneOf(from).permits(changeDirFrom, false) && !a.zoneOf(to).permits(changeDirTo, false)
}

func (a *ask) zoneOf(p place) zone {
	if r, rel, ok := a.b.within(p.full()); ok && r.protected {
		return zoneAt(rel, p.dir)
	}
	return freeZone
}
