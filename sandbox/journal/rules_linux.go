package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/protect"
	"github.com/pillion-sidecar/pillion/sandbox/settings"
)

// What a command could write when no program obeyed it must not come back to where one
// does by now: hooks and a config, made in a plain directory and removed, would arm the
// repository that the directory has become since. So an undo puts something where a rule
// of protect is about the name only if one was when it was there, and makes no git
// directory that the broker would not let a command make.

var (
	errObeyed = errors.New("git, or another program of yours, would obey it there by now")
	errAlone  = errors.New("it would make a git directory of the one that it is in; that can be undone while no command runs")
)

// isRuled says that a rule is about a name in a directory that is open.
func isRuled(dir int, file string) bool { return isRuledIn(settings.DirOf(dir), file) }

func isRuledIn(dir protect.Dir, file string) bool {
	rel := strings.TrimPrefix(file, "/")
	return !protect.FreeByName(rel) && !dir.Zone(rel).Free()
}

// has is the directory of a place as its zones ask about it.
func (u *undo) has(p place) protect.Dir {
	if u.view == nil {
		return settings.DirOf(p.dir)
	}
	return func(name string) bool {
		_, err := u.view.at(filepath.Join(p.at, name)).stat()
		return err == nil
	}
}

// isRuledFile is isRuled of what a file is at a path.
func isRuledFile(file int, at string) bool {
	if protect.FreeByName(strings.TrimPrefix(at, "/")) {
		return false
	}
	dir, err := files.Parent(at, file)
	if err != nil {
		return false // it has been moved: an undo leaves it there
	}
	defer func() { _ = unix.Close(dir) }()
	return isRuled(dir, at)
}

// mayBe says why what a record is about, which is at another place or is made anew, must
// not come back to one.
func (u *undo) mayBe(r record, p, is place) error {
	if !r.rule && isRuledIn(u.has(p), filepath.Join(p.at, p.name)) {
		return errObeyed
	}
	return u.completes(p, is)
}

func (u *undo) tree(p place) settings.Tree {
	if u.view != nil {
		return p.in
	}
	return settings.OnDisk(p.dir)
}

// coming is a directory with what is about to get a name in it.
type coming struct {
	settings.Tree
	name string
	mode fs.FileMode
	from settings.Tree
	is   string
}

// List is with the new name.
func (c coming) List(dir string) (map[string]fs.FileMode, error) {
	if rest, below := strings.CutPrefix(dir, c.name); below && (rest == "" || rest[0] == '/') {
		return c.from.List(c.is + rest)
	}
	types, err := c.Tree.List(dir)
	if dir == "." && err == nil {
		types[c.name] = c.mode
	}
	return types, err
}

// Read is what will be there.
func (c coming) Read(file string) (string, error) {
	if rest, below := strings.CutPrefix(file, c.name+"/"); below {
		return c.from.Read(c.is + "/" + rest)
	}
	return c.Tree.Read(file)
}

// concerns says that a command has changed something where this undo may: in a folder that is
// open in another workspace, too.
func (u *undo) concerns(in *Store, name string) bool {
	if in.dir == u.store.dir {
		return true
	}
	log, err := os.Open(filepath.Join(in.dir, name, logName))
	if err != nil {
		return false // it has changed nothing yet
	}
	defer log.Close()
	found := false
	err = each(log, func(r record) {
		_, below := u.store.rootOf(r.path)
		found = found || below
	})
	return found || err != nil
}

// completes says why a name must not make a git directory of the one that it is in.
func (u *undo) completes(p, is place) error {
	if !u.has(p).BecomesGit(protect.Canonical(p.name)) {
		return nil
	}
	for other := range u.store.neighbours() {
		names, err := other.names()
		if err != nil {
			return err
		}
		for _, name := range names { // one that runs may hold the settings open
			if name != u.opts.Name && other.runs(name) && u.concerns(other, name) {
				return errAlone
			}
		}
	}
	tree := u.tree(p)
	if st, there := is.stat(); there {
		tree = coming{tree, p.name, typeOf(&st), u.tree(is), is.name}
	}
	look := settings.Look{
		Shares: protect.Locate(strings.TrimPrefix(filepath.Join(p.at, "commondir"), "/")).Text == protect.TextCommon,
		Config: func(name string) error {
			text, err := tree.Read(name)
			if err != nil {
				return err
			}
			return protect.VetConfig(text, func(string) bool { return false })
		},
	}
	if err := look.Through(tree); err != nil {
		return errors.New("it would make a git directory of the one that it is in: " + err.Error())
	}
	return nil
}
