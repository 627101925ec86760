package broker

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// A link of the workspace is followed by the user's programs, outside: Emacs saves through
// one, git appends to its logs. So it is judged as the host resolves it. It may lead into
// the workspace, to the system and to what the policy lets be read; never to the user's
// home, to directories of ours, or through /proc, which means another process to each that
// follows it.

// judgeLink refuses a link by where it leads from a place.
func (a *request) judgeLink(p place, text string) error {
	if text == "" || !a.b.guarded(p.full()) { // the kernel refuses an empty one
		return nil
	}
	why := a.b.strays(p.path, p.name, text)
	if why == "" {
		return nil
	}
	return a.deny(&refusal{p.full(), "link", "none: a link of the workspace that leads " + why, unix.EACCES})
}

// strays says where a link of that name in a directory of the workspace leads that it may
// not, "" if it may. Of its text only the beginning may go up: after a name, .. would lead
// somewhere else once the name is another directory.
func (b *Broker) strays(dir, name, text string) string {
	named := false
	for part := range strings.SplitSeq(text, "/") {
		if part == ".." && named {
			return "up again behind a name; give it without .."
		}
		named = named || part != "" && part != "." && part != ".."
	}
	to, ok := b.hostPath(dir, text)
	if !ok {
		return "to itself"
	}
	if why := b.forbidden(to); why != "" {
		return why
	}
	if b.writesTo(to) && !b.isAlias(name, text, to) {
		return "to where you may write, and is not called as the file that is there"
	}
	return ""
}

// onlyHere says that what is at a path is the sandbox's own, as in /tmp.
func (b *Broker) onlyHere(to string) bool {
	within := func(dir string) bool { return policy.Beneath(dir, to) }
	return !slices.ContainsFunc(b.readable, within) && slices.ContainsFunc(b.roots, func(r root) bool { return r.inner && within(r.path) })
}

// writesTo says that the user may write to a path that a link may lead to, or make it.
func (b *Broker) writesTo(to string) bool {
	within := func(dir string) bool { return policy.Beneath(dir, to) }
	switch {
	case b.guarded(to), slices.Contains(policy.Devices, to), slices.ContainsFunc(policy.Streams, within):
		return false
	case unix.Geteuid() == 0, b.onlyHere(to):
		return true
	case slices.ContainsFunc(policy.SystemDirs, within), within("/etc"):
		return false
	}
	var st unix.Stat_t
	for unix.Lstat(to, &st) != nil && to != "/" {
		to = path.Dir(to)
	}
	return int(st.Uid) == unix.Geteuid() || st.Mode&0o022 != 0
}

// isAlias says that a link is another way to a file that is there, by its own name. What is
// there outside is not known of the sandbox's own directories.
func (b *Broker) isAlias(name, text, to string) bool {
	var st unix.Stat_t
	there := b.onlyHere(to) || unix.Lstat(to, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFREG
	return there && (policy.Alias(name, to) || policy.Alias(name, text))
}

// hostPath resolves a path as the host does, which has the same files at the same paths
// wherever a link of the workspace may lead. A missing part is taken by its name.
func (b *Broker) hostPath(dir, text string) (string, bool) {
	at, left := dir, strings.Split(text, "/")
	if strings.HasPrefix(text, "/") {
		at = "/"
	}
	for links := 0; len(left) > 0; {
		part := left[0]
		left = left[1:]
		if part == "" || part == "." {
			continue
		}
		if part == ".." {
			at = path.Dir(at)
			continue
		}
		next := path.Join(at, part)
		if policy.Beneath("/proc", next) || policy.Beneath("/dev", next) {
			return path.Join(next, strings.Join(left, "/")), true // never looked into: what is there is the broker's own
		}
		to, err := files.LinkText(unix.AT_FDCWD, next)
		if err != nil {
			at = next
			continue
		}
		if links++; links > maxLinks {
			return "", false
		}
		if strings.HasPrefix(to, "/") {
			at = "/"
		}
		left = append(strings.Split(to, "/"), left...)
	}
	return at, true
}

// forbidden says what a path is that no link may lead to, "" if it may.
func (b *Broker) forbidden(to string) string {
	within := func(dir string) bool { return dir != "" && policy.Beneath(dir, to) }
	above := func(dir string) bool { return dir != "" && (to == "/" || policy.Beneath(to, dir)) }
	i := slices.IndexFunc(b.roots, func(r root) bool { return within(r.path) }) // the innermost
	switch {
	case i >= 0 && b.roots[i].protected, slices.ContainsFunc(b.readable, within):
		return ""
	case within("/proc"):
		return "through /proc"
	case slices.Contains(policy.Endless, to):
		return "to a device that is read for ever"
	case within("/run/user"): // outside, what is written there is obeyed: systemd/user
		return "to where the user's programs run"
	case i >= 0 && !b.roots[i].inner, within(b.state), above(b.state),
		slices.ContainsFunc(b.roots, func(r root) bool { return !r.protected && !r.inner && above(r.path) }):
		return "to the sandbox's private directories"
	case b.user != "/" && (within(b.user) || above(b.user)):
		return "to the user's home"
	case i < 0 && !b.seesAll && !slices.ContainsFunc(policy.SystemDirs, within) && !within("/etc") && !within("/dev"):
		return "to what the sandbox has not been shown"
	}
	return ""
}

// maxMoved bounds how many entries of a directory are looked at before it is moved.
const maxMoved = 20_000

// straysMoved reports whether a link below a directory would lead astray where the
// directory goes to: nearer to the root, a relative one leads further up.
func (a *request) straysMoved(dir int, from, to string) bool {
	if !a.b.guarded(to) || strings.Count(to, "/") >= strings.Count(from, "/") {
		return false
	}
	left := maxMoved
	return a.straysBelow(dir, to, &left)
}

func (a *request) straysBelow(dir int, to string, left *int) bool {
	entries, err := files.Entries(dir, left)
	if err != nil {
		return true // mv copies then, and every link is judged by itself
	}
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			text, err := files.LinkText(dir, e.Name())
			return err != nil || !strings.HasPrefix(text, "/") && a.b.strays(to, e.Name(), text) != ""
		case !e.IsDir():
			return false
		}
		fd, err := files.OpenPlain(dir, e.Name(), unix.O_RDONLY|unix.O_DIRECTORY)
		if err != nil {
			return true
		}
		defer func() { _ = unix.Close(fd) }()
		return a.straysBelow(fd, to+"/"+e.Name(), left)
	})
}
