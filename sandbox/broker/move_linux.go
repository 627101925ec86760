package broker

import (
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/protect"
	"github.com/pillion-sidecar/pillion/sandbox/settings"
)

// rename does all its forms. Each side is judged by its own name: what leaves a
// protected one, and what takes one.
func (a *request) rename(olddir int32, oldAddr uint64, newdir int32, newAddr uint64, flags uint) error {
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
	if a.free(from) && a.free(to) && files.Same(from.dir, to.dir) && !isLink(from) && (flags != unix.RENAME_EXCHANGE || !isLink(to)) {
		return a.b.moving(from, to, flags) // nothing crosses a border
	}
	if flags&unix.RENAME_NOREPLACE != 0 && files.Exists(to.dir, to.name) {
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
	return a.b.moving(from, to, flags)
}

// isLink is for a link, which may have another name no more than be elsewhere.
func isLink(p place) bool {
	_, err := files.LinkText(p.dir, p.name)
	return err == nil
}

// judgeMove judges one direction: away from the old name, and to the new one.
func (a *request) judgeMove(from, to place) error {
	obj, err := unix.Openat(from.dir, from.name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(obj) }()
	var st unix.Stat_t
	if err := unix.Fstat(obj, &st); err != nil {
		return err
	}
	away, onto := protect.RenameFrom, takes(st.Mode, protect.RenameTo, protect.RenameDirTo)
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		away = protect.RenameDirFrom
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
		if text, err := files.LinkText(obj, ""); err != nil || a.judgeLink(to, text) != nil {
			return unix.EACCES
		}
	}
	if onto == protect.RenameDirTo && (a.straysMoved(obj, from.full(), to.full()) || a.changesGit(from, to) || a.leadsOut(obj, from, to)) {
		return unix.EXDEV
	}
	return a.crosses(from.full(), to.full(), st.Mode)
}

// changesGit says that a directory would come into a git directory, or out of one, that
// is not called .git: it may hold links.
func (a *request) changesGit(from, to place) bool {
	r, rel, ok := a.b.within(to.full())
	other, fromRel, fromOK := a.b.within(from.full())
	if !ok || !fromOK || !r.protected || !other.protected {
		return false
	}
	return comesIntoGit(to.dir, rel) != settings.DirOf(from.dir).InGit(strings.Count(fromRel, "/"))
}

// comesIntoGit says that a path, whose last name is in a directory, is in a git directory,
// or completes one.
func comesIntoGit(dir int, rel string) bool {
	d := settings.DirOf(dir)
	return d.InGit(strings.Count(rel, "/")) || d.BecomesGit(protect.Canonical(base(rel)))
}

// takes is what it is to give a name to something of a mode: the one for a file, the one
// for a directory, or one of its own kind. A FIFO by another name holds its openers as
// well.
func takes(mode uint32, file, dir protect.Change) protect.Change {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return file
	case unix.S_IFDIR:
		return dir
	case unix.S_IFLNK:
		return protect.Symlink
	case unix.S_IFSOCK:
		return protect.Socket
	}
	return protect.Node
}

// exchangeable says that another command could put something else in the place of what
// is moved after it was looked at: a directory, prepared where nothing is protected or
// going to where none is let in. mv copies then.
func (a *request) exchangeable(from, to place) bool {
	if a.b.guarded(from.full()) != a.b.guarded(to.full()) {
		return true
	}
	return a.zoneOf(from).Permits(protect.RenameDirFrom, false) && !a.zoneOf(to).Permits(protect.RenameDirTo, false)
}

func (a *request) zoneOf(p place) protect.Zone {
	if r, rel, ok := a.b.within(p.full()); ok && r.protected {
		return settings.DirOf(p.dir).Zone(rel)
	}
	return protect.FreeZone
}
