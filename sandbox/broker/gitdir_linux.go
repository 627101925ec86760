package broker

import (
	"path"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/protect"
	"github.com/pillion-sidecar/pillion/sandbox/settings"
)

// A directory is a git directory when git would take it for one, whatever it is called:
// git runs what a bare repository's settings say, too. Until then its settings are
// anybody's files. A call that would make it one looks through it first; from then on
// git's settings in there only change as texts that were judged. So at no moment a git
// directory is in the workspace that obeys what a command wrote.

// completes says why a change may not make a git directory of the directory that it is in.
func (a *request) completes(where string, dir int, name string) error {
	name = protect.Canonical(name)
	if !settings.DirOf(dir).BecomesGit(name) {
		return nil
	}
	if name == "commondir" && !a.b.mayShare(where) {
		return settings.ErrElsewhere
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

// lookThrough replaces the settings: a command that still holds the old ones open changes
// nothing any more.
func (a *request) lookThrough(where string, dir int) error {
	return settings.Look{
		Shares:     a.b.mayShare(where),
		Config:     func(name string) error { return a.lookAtConfig(where, dir, name) },
		Alternates: func(text string) error { return a.b.judgeAlternates(path.Join(where, "objects/info"), text) },
	}.Through(settings.OnDisk(dir))
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

// leadsBack says that a core.worktree is the way from a submodule's git directory to its
// files, as git writes it, for no other repository has one. Through a link the next git
// checkout would write to the link's end.
func (b *Broker) leadsBack(gitDir, way string) bool {
	_, rel, ok := b.within(gitDir)
	to := path.Join(gitDir, way)
	r, _, inside := b.within(to)
	return ok && inside && r.protected && protect.IsLinkedGitDir(rel) && path.Clean(way) == way && !path.IsAbs(way) && files.CheckDirect(to) == nil
}
