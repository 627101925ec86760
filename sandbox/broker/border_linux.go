package broker

import (
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/protect"
)

// The private home and TMPDIR have no protected names, so a command can prepare anything
// there: a repository with hooks, say. Nothing that may hold or lead to such things
// crosses the border to a workspace as a whole, in either direction. Copies are judged
// name by name. So it is with what leaves .git: there names are free, as those of
// branches, that are protected elsewhere.

// inGit reports whether a real path is in a git directory of a workspace.
func (b *Broker) inGit(path string) bool {
	r, rel, ok := b.within(path)
	return ok && r.protected && slices.ContainsFunc(strings.Split(rel, "/"), func(s string) bool { return protect.Matches(protect.Canonical(s), protect.DotGit) })
}

// guarded reports whether names are protected at a real path.
func (b *Broker) guarded(path string) bool {
	r, _, ok := b.within(path)
	return ok && r.protected
}

// crosses refuses to rename or link a directory or symlink over the border. mv
// takes EXDEV for another file system, and copies.
func (a *request) crosses(from, to string, mode uint32) error {
	kind := mode & unix.S_IFMT
	if kind != unix.S_IFDIR && kind != unix.S_IFLNK {
		return nil
	}
	if a.b.guarded(from) != a.b.guarded(to) || a.b.inGit(from) != a.b.inGit(to) {
		return unix.EXDEV
	}
	return nil
}
