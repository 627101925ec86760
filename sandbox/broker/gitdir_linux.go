package broker

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

// A directory is a git directory when git would take it for one, whatever it is called:
// git runs what a bare repository's settings say, too. Until then its settings are
// anybody's files. A call that would make it one looks through it first; from then on
// git's settings in there only change as texts that were judged. So at no moment a git
// directory is in the workspace that obeys what a command wrote.

// dirOf is an open directory as its zones ask about it.
func dirOf(fd int) protect.Dir { return func(name string) bool { return files.Exists(fd, name) } }

// completes says why a change may not make a git directory of the directory that it is in.
// It replaces the settings by new files: a command that still holds the old ones open
// changes nothing any more.
func (a *request) completes(where string, dir int, name string) error {
	name = protect.Canonical(name)
	if !dirOf(dir).BecomesGit(name) {
		return nil
	}
	if name == "commondir" && !a.b.mayShare(where) {
		return errElsewhere
	}
	if err := a.lookThrough(where, dir); err != nil {
		return err
	}
	a.b.dirty.Store(true)
	return a.b.made.add(dir, madeDir{dir: -1})
}

// mayShare says that a directory is where git keeps a linked worktree's: anywhere else a
// commondir would have git obey a directory that needs no HEAD of its own.
func (b *Broker) mayShare(gitDir string) bool {
	_, rel, ok := b.within(gitDir)
	return ok && protect.Locate(rel+"/commondir").Text == protect.TextCommon
}

var errElsewhere = errors.New("leads to another repository")

// maxLooked bounds what is looked through.
const maxLooked = 100_000

func (a *request) lookThrough(where string, dir int) error {
	left := maxLooked
	entries, err := files.Entries(dir, &left)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := a.lookAt(where, dir, e, &left); err != nil {
			return errors.New(e.Name() + ": " + err.Error())
		}
	}
	return nil
}

func (a *request) lookAt(where string, dir int, e fs.DirEntry, left *int) error {
	name := protect.Canonical(e.Name())
	if !e.IsDir() && !e.Type().IsRegular() {
		return errors.New("neither a file nor a directory")
	}
	switch {
	case name == "config", name == "config.worktree":
		return a.lookAtConfig(where, dir, e.Name())
	case name == "commondir":
		if !a.b.mayShare(where) {
			return errElsewhere
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
	if text, _, err := readSmall(dir, e.Name()+"/info/alternates"); name == "objects" && (err == nil || err != unix.ENOENT) {
		if err == nil {
			err = a.b.judgeAlternates(path.Join(where, "objects/info"), text)
		}
		if err != nil {
			return err
		}
	}
	return plainTree(dir, e.Name(), left)
}

func (a *request) lookAtConfig(where string, dir int, name string) error {
	text, mode, err := readSmall(dir, name)
	if err == nil {
		err = protect.VetConfig(text, func(way string) bool { return a.b.leadsBack(where, way) })
	}
	if err != nil {
		return err
	}
	return a.b.replacing(dir, where, name, func() error { return replaceFile(dir, name, text, mode) })
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

// leadsBack says that a core.worktree is the way from a submodule's git directory to its
// files, as git writes it, for no other repository has one. Through a link the next git
// checkout would write to the link's end.
func (b *Broker) leadsBack(gitDir, way string) bool {
	_, rel, ok := b.within(gitDir)
	to := path.Join(gitDir, way)
	r, _, inside := b.within(to)
	return ok && inside && r.protected && protect.IsLinkedGitDir(rel) && path.Clean(way) == way && !path.IsAbs(way) && files.CheckDirect(to) == nil
}
