package sandbox

import (
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// The private home and TMPDIR have no protected names, so a command can prepare
// anything there: a repository with hooks, say. Nothing that may hold or lead to
// such things crosses the border to a workspace as a whole, in either direction.
// What is copied is judged name by name. So it is with what leaves .git: there names
// are free, as those of branches, that are protected elsewhere.

// inGit reports whether a real path is in a git directory of a workspace.
func (b *broker) inGit(path string) bool {
	r, rel, ok := b.within(path)
	return ok && r.protected && slices.ContainsFunc(strings.Split(rel, "/"), func(s string) bool { return matches(canonical(s), dotGit) })
}

// guarded reports whether names are protected at a real path.
func (b *broker) guarded(path string) bool {
	r, _, ok := b.within(path)
	return ok && r.protected
}

// crosses refuses to rename or link a directory or symlink over the border. mv
// takes EXDEV for another file system, and copies.
func (a *ask) crosses(from, to string, mode uint32) error {
	kind := mode & unix.S_IFMT
	if kind != unix.S_IFDIR && kind != unix.S_IFLNK {
		return nil
	}
	if a.b.guarded(from) != a.b.guarded(to) || a.b.inGit(from) != a.b.inGit(to) {
		return unix.EXDEV
	}
	return nil
}

// judgeLink refuses a symlink of the workspace that leads to a private directory,
// or above one: put where a repository was, it would make the user's next commit
// run a hook nobody watched.
func (a *ask) judgeLink(p place, text string) error {
	if text == "" || !a.b.guarded(p.full()) || !a.leadsPrivate(p, text) { // the kernel refuses an empty one
		return nil
	}
	return a.deny(&refusal{p.full(), "private", "none: a link from the workspace to the sandbox's private directories", unix.EACCES})
}

// leadsPrivate looks at the text as it reads and as it resolves now, for the
// caller: /proc/self/root is a way up too.
func (a *ask) leadsPrivate(p place, text string) bool {
	target := text
	if !strings.HasPrefix(text, "/") {
		target = p.path + "/" + text
	}
	if a.b.abovePrivate(filepath.Clean(target)) {
		return true
	}
	w := walker{ask: a}
	to, err := w.from(p.dir, text)
	if err != nil {
		return false
	}
	fd, err := a.pin(to, true)
	if err != nil {
		return false
	}
	defer func() { _ = unix.Close(fd) }()
	target, err = realPath(fd)
	return err == nil && a.b.abovePrivate(target)
}

// abovePrivate says that a path is private, or leads to what is. A workspace in the
// private home or /tmp is neither, and links to itself. What exists inside only, in
// a mount namespace, is another file on the host or none, and nothing that a
// command has written.
func (b *broker) abovePrivate(path string) bool {
	i := slices.IndexFunc(b.roots, func(r root) bool { return isBelow(path, r.path) }) // the innermost
	if i >= 0 && !b.roots[i].protected {
		return !b.roots[i].inner
	}
	return slices.ContainsFunc(b.roots, func(r root) bool {
		return !r.protected && !r.inner && (isBelow(r.path, path) || path == "/")
	})
}
