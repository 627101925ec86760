package broker

import (
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/protect"
	"github.com/pillion-sidecar/pillion/sandbox/settings"
)

// root is a writable directory.
type root struct {
	path      string
	dev, ino  uint64
	protected bool // a workspace, not the private home or TMPDIR
	inner     bool // exists in the sandbox only
}

// openRoots drops a root inside a workspace: what is protected there stays so, also for
// the inner one. A workspace inside the private home or /tmp comes before it.
func openRoots(paths []string, private int, inner []string) []root {
	var roots []root
	for i, p := range paths {
		var st unix.Stat_t
		if unix.Lstat(p, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFDIR {
			continue // a folder that was removed grants nothing
		}
		roots = append(roots, root{path: p, dev: st.Dev, ino: st.Ino, protected: i < len(paths)-private, inner: slices.Contains(inner, p)})
	}
	kept := slices.DeleteFunc(slices.Clone(roots), func(r root) bool {
		return slices.ContainsFunc(roots, func(o root) bool { return o.protected && o.path != r.path && policy.Beneath(o.path, r.path) })
	})
	slices.SortStableFunc(kept, func(a, b root) int { return len(b.path) - len(a.path) })
	return kept
}

// within finds the root a real path lies in. The directory there must still be the one
// that was granted: a host that put another in its place granted nothing. Where the
// outside is read-only no look is needed: Landlock knows the directory itself.
func (b *Broker) within(path string) (r root, rel string, ok bool) {
	if b.isOutput(path) {
		return root{}, "", false
	}
	for _, r := range b.roots {
		if !policy.Beneath(r.path, path) {
			continue
		}
		var st unix.Stat_t
		if !b.outsideReadOnly && (unix.Lstat(r.path, &st) != nil || st.Dev != r.dev || st.Ino != r.ino) {
			return r, "", false
		}
		return r, strings.TrimPrefix(path[len(r.path):], "/"), true
	}
	return root{}, "", false
}

// isOutput is also true of what leads to the outputs: renamed, it would make room
// for a forged directory.
func (b *Broker) isOutput(path string) bool {
	return b.outputs != "" && (policy.Beneath(b.outputs, path) || policy.Beneath(path, b.outputs))
}

// refusal is why a change is not made.
type refusal struct {
	path, rule, grant string
	errno             unix.Errno
}

// decide decides about one change at a real path. dir is the directory it is in,
// obj the object itself; -1 where that is not open.
func (a *request) decide(path string, dir, obj int, c protect.Change) *refusal {
	a.kind = protect.TextFree
	r, rel, ok := a.b.within(path)
	if !ok {
		// Through the broker no command gets at the broker's own entries of /proc, or at
		// those of other processes it may look at.
		stranger := inProc(path) && !a.ownProc(path)
		if a.b.outsideReadOnly && !stranger || outsideAllowed(path, c) {
			return nil
		}
		return a.b.beyond(path)
	}
	if !r.protected {
		return nil
	}
	a.b.near(r, strings.TrimSuffix(path, "/"+base(path)))
	if same, why := a.pointedTo(path, c); why != nil || same {
		return why
	}
	parent, close, err := parentFor(path, rel, dir, obj)
	if err != nil {
		return &refusal{path, protect.DotGit, "none: it has been moved meanwhile", unix.EROFS}
	}
	defer close()
	z := settings.DirOf(parent).Zone(rel)
	switch {
	case a.opens && a.copies(z, path, parent, c):
		a.kind = z.Text
		return nil
	case !z.Permits(c, false) && (!z.Permits(c, true) || !a.b.made.holds(z, path, parent, obj)):
		return &refusal{path, z.Rule, "none: " + z.Rule + " can only be changed outside the sandbox", unix.EROFS}
	case c&(protect.Symlink|protect.Node|protect.Socket) != 0 && comesIntoGit(parent, rel):
		return &refusal{path, protect.DotGit, "none: git keeps no links in its directories", unix.EROFS}
	case c&protect.NewName != 0:
		if err := a.completes(strings.TrimSuffix(path, "/"+base(path)), parent, base(path)); err != nil {
			return &refusal{path, protect.DotGit, "none: it would make a git directory of this one: " + err.Error(), unix.EROFS}
		}
	}
	return nil
}

// copies says that an opener of the path gets a copy: of what is not there yet, of what
// the command itself is writing, and of the state of an operation.
func (a *request) copies(z protect.Zone, path string, dir int, c protect.Change) bool {
	switch {
	case z.Text == protect.TextFree:
		return false
	case z.Text >= protect.TextState:
		return c == protect.Write || c == protect.Create
	case c == protect.Create:
		return !strings.HasSuffix(path, ".worktree") && !strings.HasSuffix(path, protect.FreshSuffix)
	}
	return c == protect.Write && a.b.copyAt(dir, base(path)) != nil
}

func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// parentFor opens the directory that a path's last part is in, where it is not open. A
// path without any word of git's needs none.
func parentFor(path, rel string, dir, obj int) (int, func(), error) {
	if dir >= 0 {
		return dir, func() {}, nil
	}
	if !protect.DependsOnDir(rel, path) {
		return dir, func() {}, nil
	}
	fd, err := files.Parent(path, obj)
	return fd, func() { _ = unix.Close(fd) }, err
}

// free is the quick answer for nearly every call: nothing is decided by what is
// there, only by the name, and the name is anybody's.
func (a *request) free(p place) bool {
	a.tried = p.full()
	r, rel, ok := a.b.within(a.tried)
	a.b.near(r, p.path)
	return ok && (!r.protected || protect.FreeByName(rel) && !a.b.nearPointed(a.tried))
}

// judge is decide, with the refusal on record.
func (a *request) judge(path string, dir, obj int, c protect.Change) error {
	if r := a.decide(path, dir, obj, c); r != nil {
		return a.deny(r)
	}
	a.tried = path
	return nil
}

func (a *request) deny(r *refusal) error {
	a.tried = ""
	a.b.seen.Add(policy.Violation{
		Op: a.op, Path: r.path, Rule: r.rule, Grant: r.grant, Process: a.name(),
		Errno: unix.ErrnoName(r.errno), Attribution: policy.AttributionReported,
	})
	return r.errno
}

// judgeNew judges a name where nothing is yet. An existing name is reported before a
// refusal, as a read-only file system does: mkdir -p relies on it.
func (a *request) judgeNew(p place, c protect.Change) error {
	r := a.decide(p.full(), p.dir, -1, c)
	if r == nil {
		a.tried = p.full()
		return nil
	}
	var st unix.Stat_t
	if unix.Fstatat(p.dir, p.name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil {
		return unix.EEXIST
	}
	return a.deny(r)
}

// outsideAllowed says what is not a file: pipes, sockets and memory files, which have no
// path, and the devices every sandbox has.
func outsideAllowed(path string, c protect.Change) bool {
	if c != protect.Write && c != 0 {
		return false
	}
	return !strings.HasPrefix(path, "/") || slices.Contains(policy.Devices, path)
}

// pointedNow are the paths that the sidecar named when the command was started, and what
// settings of repositories point to that the command has come near since.
func (b *Broker) pointedNow() []string {
	b.nests.renew(b.pointed.Load())
	return b.nests.pointed
}

// nearPointed says that the user's settings point to a path, or to something below it.
func (b *Broker) nearPointed(path string) bool {
	return slices.ContainsFunc(b.pointedNow(), func(p string) bool { return isAt(path, p) || leadsTo(path, p) })
}

// isAt says that a path is what is pointed to, or below it: a relative one is so in every
// directory.
func isAt(path, p string) bool {
	if p[0] == '/' {
		return policy.Beneath(p, path)
	}
	return strings.Contains(path+"/", "/"+p+"/")
}

// leadsTo says that what is pointed to is below a path.
func leadsTo(path, p string) bool {
	if p[0] == '/' {
		return policy.Beneath(path, p)
	}
	first, _, more := strings.Cut(p, "/")
	return more && base(path) == first
}

// pointedTo refuses a change of what the user's settings point to. An opener gets a copy,
// for what is written there may be what is there: npm ci has husky write its scripts anew.
// The way to it is not moved away.
func (a *request) pointedTo(path string, c protect.Change) (same bool, why *refusal) {
	for _, p := range a.b.pointedNow() {
		switch {
		case isAt(path, p) && c == protect.Write && a.opens:
			a.kind = protect.TextSame
			return true, nil
		case isAt(path, p) && c != 0, leadsTo(path, p) && p[0] == '/' && c&changeAway != 0,
			leadsTo(path, p) && c&(protect.RenameDirTo|protect.Symlink) != 0:
			return false, &refusal{path, "settings", "none: the user's own settings point to " + p, unix.EROFS}
		}
	}
	return false, nil
}

const changeAway = protect.RenameFrom | protect.RenameDirFrom | protect.RenameDirTo | protect.Unlink | protect.Rmdir | protect.Symlink
