package settings

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/protect"
)

// DirOf is an open directory as its zones ask about it.
func DirOf(fd int) protect.Dir { return func(name string) bool { return files.Exists(fd, name) } }

// Look goes through a directory before it becomes a git directory. Until then what is in
// it is anybody's; from then on git obeys it.
type Look struct {
	Shares     bool                    // it is where git keeps a linked worktree's
	Config     func(name string) error // judges a file of settings
	Alternates func(text string) error // judges where objects are borrowed; nil forbids it
}

// ErrElsewhere is of a directory that would have git obey another one.
var ErrElsewhere = errors.New("leads to another repository")

// MaxLooked bounds how many names one look goes through.
const MaxLooked = 100_000

// Tree is a directory with what is below it, also one that an undo would make.
type Tree interface {
	List(dir string) (map[string]fs.FileMode, error) // the types of what is in it
	Read(file string) (string, error)
}

// OnDisk is the tree of an open directory.
type OnDisk int

// List reads a directory; too many names are an error.
func (d OnDisk) List(dir string) (map[string]fs.FileMode, error) {
	fd, err := files.OpenPlain(int(d), dir, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(fd) }()
	left, types := MaxLooked, map[string]fs.FileMode{}
	entries, err := files.Entries(fd, &left)
	for _, e := range entries {
		types[e.Name()] = e.Type()
	}
	return types, err
}

// Read is at most protect.MaxConfig bytes, and one.
func (d OnDisk) Read(file string) (string, error) {
	text, _, err := files.Read(int(d), file, protect.MaxConfig)
	return text, err
}

// looking is a look that has begun.
type looking struct {
	Look
	Tree
	left int // names that it may go through
}

// Through says what in a directory keeps it from becoming a git directory.
func (l Look) Through(t Tree) error {
	in := &looking{l, t, MaxLooked}
	return in.each(".", func(name string, mode fs.FileMode) error {
		if err := in.at(name, mode); err != nil {
			return errors.New(name + ": " + err.Error())
		}
		return nil
	})
}

// each goes through a directory in the order of the names: who looks again says the same.
func (l *looking) each(dir string, f func(string, fs.FileMode) error) error {
	types, err := l.List(dir)
	if l.left -= len(types); err == nil && l.left < 0 {
		err = errors.New("too many files")
	}
	for _, name := range slices.Sorted(maps.Keys(types)) {
		if err == nil {
			err = f(name, types[name])
		}
	}
	return err
}

func (l *looking) at(file string, mode fs.FileMode) error {
	name := protect.Canonical(file)
	if !mode.IsDir() && !mode.IsRegular() {
		return errors.New("neither a file nor a directory")
	}
	switch {
	case name == "config", name == "config.worktree":
		return l.Config(file)
	case name == "commondir":
		if !l.Shares {
			return ErrElsewhere
		}
		return nil
	case protect.Matches(name, "hooks"):
		return l.only(file, mode, func(n string) bool { return strings.HasSuffix(n, ".sample") })
	case protect.Matches(name, "info"):
		return l.only(file, mode, func(n string) bool { return n == "exclude" || protect.PlainInfo(n) })
	case slices.ContainsFunc(protect.GitSettings, func(s string) bool { return protect.Matches(name, s) }):
		return l.only(file, mode, func(string) bool { return false })
	}
	if !mode.IsDir() {
		return nil
	}
	text, err := l.Read(file + "/info/alternates")
	if name == "objects" && (err == nil || err != unix.ENOENT) {
		switch {
		case err != nil:
		case l.Alternates == nil:
			err = ErrElsewhere
		default:
			err = l.Alternates(text)
		}
		if err != nil {
			return err
		}
	}
	return l.plain(file)
}

// only checks that a directory holds nothing but plain files of these names.
func (l *looking) only(dir string, mode fs.FileMode, allowed func(string) bool) error {
	if !mode.IsDir() {
		return errors.New("not a directory")
	}
	return l.each(dir, func(name string, mode fs.FileMode) error {
		if !mode.IsRegular() || !allowed(protect.Canonical(name)) {
			return errors.New(name + " is obeyed by git")
		}
		return nil
	})
}

// plain checks that there are only files and directories.
func (l *looking) plain(dir string) error {
	return l.each(dir, func(name string, mode fs.FileMode) error {
		switch file := path.Join(dir, name); {
		case mode.IsDir():
			return l.plain(file)
		case !mode.IsRegular():
			return errors.New(file + " is neither a file nor a directory")
		}
		return nil
	})
}
