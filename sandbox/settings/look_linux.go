package settings

import (
	"errors"
	"io/fs"
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

// Through says what in a directory keeps it from becoming a git directory.
func (l Look) Through(dir int) error {
	left := MaxLooked
	entries, err := files.Entries(dir, &left)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := l.at(dir, e, &left); err != nil {
			return errors.New(e.Name() + ": " + err.Error())
		}
	}
	return nil
}

func (l Look) at(dir int, e fs.DirEntry, left *int) error {
	name := protect.Canonical(e.Name())
	if !e.IsDir() && !e.Type().IsRegular() {
		return errors.New("neither a file nor a directory")
	}
	switch {
	case name == "config", name == "config.worktree":
		return l.Config(e.Name())
	case name == "commondir":
		if !l.Shares {
			return ErrElsewhere
		}
		return nil
	case protect.Matches(name, "hooks"):
		return only(dir, e, left, func(n string) bool { return strings.HasSuffix(n, ".sample") })
	case protect.Matches(name, "info"):
		return only(dir, e, left, func(n string) bool { return n == "exclude" || protect.PlainInfo(n) })
	case slices.ContainsFunc(protect.GitSettings, func(s string) bool { return protect.Matches(name, s) }):
		return only(dir, e, left, func(string) bool { return false })
	}
	if !e.IsDir() {
		return nil
	}
	text, _, err := files.Read(dir, e.Name()+"/info/alternates", protect.MaxConfig)
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
	return plainTree(dir, e.Name(), left)
}

// only checks that a directory holds nothing but plain files of these names.
func only(dir int, e fs.DirEntry, left *int, allowed func(string) bool) error {
	if !e.IsDir() {
		return errors.New("not a directory")
	}
	fd, err := files.OpenPlain(dir, e.Name(), unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	entries, err := files.Entries(fd, left)
	for _, below := range entries {
		if !below.Type().IsRegular() || !allowed(protect.Canonical(below.Name())) {
			return errors.New(below.Name() + " is obeyed by git")
		}
	}
	return err
}

// plainTree checks that there are only files and directories.
func plainTree(dir int, name string, left *int) error {
	fd, err := files.OpenPlain(dir, name, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	entries, err := files.Entries(fd, left)
	for _, e := range entries {
		switch {
		case e.IsDir():
			if err := plainTree(fd, e.Name(), left); err != nil {
				return err
			}
		case !e.Type().IsRegular():
			return errors.New(path.Join(name, e.Name()) + " is neither a file nor a directory")
		}
	}
	return err
}
