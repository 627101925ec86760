package broker

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/protect"
	"github.com/pillion-sidecar/pillion/sandbox/settings"
)

// The sidecar looks up what the settings of the top repository point to. Those of others
// in the workspace are looked up by the broker, when a command comes near the first time:
// so no walk through the workspace is needed to find them.

// nests is what one command has come near.
type nests struct {
	start   *[]string       // what the sidecar has named for this command
	known   map[string]bool // directories that were looked at
	pointed []string
}

// renew begins anew with another command.
func (n *nests) renew(start *[]string) {
	if start == n.start && n.known != nil {
		return
	}
	*n = nests{start: start, known: map[string]bool{}}
	if start != nil {
		n.pointed = *start
	}
}

// maxNear bounds what is remembered of directories; then they are looked at again.
const maxNear = 50_000

// near looks whether a directory of a workspace, or one above it, is a work tree of its
// own, before something in it is judged.
func (b *Broker) near(r root, dir string) {
	n := &b.nests
	n.renew(b.pointed.Load())
	if !r.protected || n.known[dir] {
		return
	}
	if len(n.known) > maxNear {
		clear(n.known)
	}
	for ; policy.Beneath(r.path, dir) && !n.known[dir]; dir = filepath.Dir(dir) {
		n.known[dir] = true
		if dir != r.path && files.Exists(unix.AT_FDCWD, dir+"/"+protect.DotGit) {
			b.lookUp(r, dir)
		}
		in := protect.Dir(func(name string) bool { return files.Exists(unix.AT_FDCWD, dir+"/"+name) })
		if dir != r.path+"/"+protect.DotGit && in.IsGit(0, "") {
			b.comesTo(dir)
		}
	}
}

// forgetMoved is called when a directory is, or may be, renamed: at its old path there
// may be another one soon.
func (n *nests) forgetMoved(of place) {
	var st unix.Stat_t
	if unix.Fstatat(of.dir, of.name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR {
		clear(n.known)
	}
}

// Tells gives the channel on which the sidecar hears of git directories that the command
// comes to; nil if it doesn't want to know.
func (b *Broker) Tells(f *os.File) {
	if b != nil {
		f = b.sidecar.Swap(f)
	}
	if f != nil {
		_ = f.Close()
	}
}

// comesTo reports a git directory to the sidecar, and waits until it has read what is
// there: at the command's end that is compared. The top one of a folder it knows. A
// sidecar that is gone takes the command with it.
func (b *Broker) comesTo(dir string) {
	if f := b.sidecar.Load(); f != nil {
		if _, err := f.WriteString(dir + "\x00"); err == nil {
			_, _ = f.Read(make([]byte, 1))
		}
	}
}

// lookUp adds what the settings of a nested work tree point to.
func (b *Broker) lookUp(r root, top string) {
	n := &b.nests
	n.pointed = slices.Clone(n.pointed) // the sidecar's is not ours to change
	for p := range settings.Nested(r.path, top, b.user) {
		if !slices.Contains(n.pointed, p) && len(n.pointed) < maxPointing {
			n.pointed = append(n.pointed, p)
		}
	}
}

// leadsOut says that a directory comes to another one with a work tree in it whose
// settings name something beyond it by a way from where they are: there, a command could
// have prepared what they name.
func (a *request) leadsOut(dir int, from, to place) bool {
	r, _, ok := a.b.within(from.full())
	if !ok || !r.protected || files.Same(from.dir, to.dir) {
		return false
	}
	left := settings.MaxLooked
	return a.b.leadOutBelow(dir, from.full(), from.full(), &left)
}

func (b *Broker) leadOutBelow(dir int, at, moved string, left *int) bool {
	if files.Exists(dir, protect.DotGit) && settings.LeadOut(moved, at, b.user) {
		return true
	}
	entries, err := files.Entries(dir, left)
	if err != nil {
		return true // mv copies then, and git's directories are not a command's to copy
	}
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		if !e.IsDir() || e.Name() == protect.DotGit {
			return false
		}
		fd, err := files.OpenPlain(dir, e.Name(), unix.O_RDONLY|unix.O_DIRECTORY)
		if err != nil {
			return true
		}
		defer func() { _ = unix.Close(fd) }()
		return b.leadOutBelow(fd, at+"/"+e.Name(), moved, left)
	})
}

// maxPointing bounds how many paths are remembered.
const maxPointing = 10_000
