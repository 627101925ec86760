package broker

import (
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/protect"
	"github.com/pillion-sidecar/pillion/sandbox/settings"
)

// replaceText does what git does at the end of every change of its settings and of the
// steps of a rebase, renaming a lock to the name, when what it says is harmless. The new
// file is the broker's own: the caller may still have the lock open, and write to it
// after it was read.
func (a *request) replaceText(from, to place) (taken bool, err error) {
	r, rel, ok := a.b.within(to.full())
	if !ok || !r.protected {
		return false, nil
	}
	if a.b.nearPointed(to.full()) {
		return a.sameText(from, to)
	}
	if !files.Same(from.dir, to.dir) {
		return false, nil
	}
	z := settings.DirOf(to.dir).Zone(rel)
	kind := z.Text
	if kind == protect.TextFree || kind == protect.TextConfig && from.name != to.name+".lock" {
		return false, nil
	}
	before, mode, err := readSmall(to.dir, to.name)
	if err != nil && err != unix.ENOENT {
		return false, nil
	}
	after, given, err := readSmall(from.dir, from.name)
	if err != nil {
		return false, nil
	}
	if before == "" {
		mode = given
	}
	if err := a.b.judgeText(kind, to.path, to.dir, to.name, before, after); err != nil {
		return false, a.deny(&refusal{to.full(), z.Rule, "none: " + err.Error(), unix.EROFS})
	}
	err = a.b.replacing(to.dir, to.path, to.name, func() error { return replaceFile(to.dir, to.name, after, mode) })
	if err != nil {
		return false, err
	}
	return true, a.b.removing(from, func() error { return unix.Unlinkat(from.dir, from.name, 0) })
}

// sameText takes a file in the place of another one that says the same: nothing is done.
func (a *request) sameText(from, to place) (taken bool, err error) {
	old, _, err := readSmall(to.dir, to.name)
	if err != nil {
		return false, nil
	}
	fresh, _, err := readSmall(from.dir, from.name)
	if err != nil || fresh != old || len(old) > protect.MaxConfig {
		return false, nil
	}
	return true, a.b.removing(from, func() error { return unix.Unlinkat(from.dir, from.name, 0) })
}

// judgeConfig judges new settings by the ones that are there.
func (b *Broker) judgeConfig(where string, dir int, before, text string) error {
	var id unix.Stat_t
	if err := unix.Fstat(dir, &id); err != nil {
		return err
	}
	mine := b.added[files.IDOf(&id)]
	e := protect.Edit{
		Back: func(way string) bool { return b.leadsBack(where, way) },
		Mine: func(section string) bool { return mine[section] || b.made.has(dir) },
		Gone: func(branch string) bool { return !hasBranch(dir, branch) },
		Inside: func(way string) bool {
			way = strings.TrimPrefix(way, "file://")
			if !path.IsAbs(way) {
				way = path.Join(path.Dir(where), way)
			}
			r, _, ok := b.within(path.Clean(way))
			return ok && r.protected
		},
		Young: b.made.has(dir),
	}
	added, err := e.Harmless(before, text)
	if err != nil {
		return err
	}
	if mine == nil {
		mine = map[string]bool{}
		b.added[files.IDOf(&id)] = mine
	}
	b.dirty.Store(true)
	for _, section := range added {
		if len(mine) < maxAdded {
			mine[section] = true
		}
	}
	return nil
}

// maxAdded bounds what is remembered of one command's settings.
const maxAdded = 1024

// hasBranch looks for a branch where git keeps one, gitrepository-layout(5).
func hasBranch(dir int, name string) bool {
	if name == "" || files.Exists(dir, "refs/heads/"+name) {
		return true
	}
	packed, _, err := files.Read(dir, "packed-refs", maxPackedRefs)
	return err != nil && err != unix.ENOENT || strings.Contains(packed, " refs/heads/"+name+"\n")
}

// maxPackedRefs is some hundred thousand branches.
const maxPackedRefs = 64 << 20
