package sandbox

import (
	"slices"
	"strings"
)

// What git executes or follows inside its directory: hooks, settings (which name
// programs), and the files that say where the rest of the repository is. Objects,
// refs, the index, HEAD, logs and the states of a rebase stay writable, so that
// commit, rebase, stash and worktree add work.

const (
	changeGitFile = changeWrite | changeCreate | changeUnlink
	changeGitDir  = changeMkdir | changeRmdir
)

// gitSettings are written by git itself while a repository is born. branches and
// remotes are where git once kept remotes, and still reads them.
var gitSettings = []string{"config", "config.worktree", "commondir", "info", "branches", "remotes"}

// gitLocks are what git calls new settings until it renames them. One may be the
// user's, who runs git at the same time.
var gitLocks = []string{"config.lock", "config.worktree.lock"}

// gitZone is the zone of a path inside .git; no parts are .git itself.
func gitZone(parts []string) zone {
	if len(parts) == 0 {
		return zone{
			rule: dotGit, bears: true,
			always: changeMkdir | changeCreate, young: changeWrite | changeUnlink | changeRmdir,
		}
	}
	rest := parts[1:]
	switch name := canonical(parts[0]); {
	case matches(name, "worktrees"):
		return worktreeZone(rest)
	case matches(name, "modules"):
		return moduleZone(rest)
	default:
		return settingZone(name, rest)
	}
}

// settingZone is one entry of a git directory and what is below it.
func settingZone(name string, rest []string) zone {
	if matches(name, "hooks") {
		return hookZone(rest)
	}
	if len(rest) == 0 && slices.Contains(gitLocks, name) {
		return zone{rule: dotGit + "/" + name, lock: true, always: changeCreate, young: changeGitFile | changeFrom | changeTo}
	}
	i := slices.IndexFunc(gitSettings, func(s string) bool { return matches(name, s) })
	if i < 0 {
		return freeZone
	}
	if gitSettings[i] == "info" && len(rest) == 1 && strings.HasPrefix(canonical(rest[0]), "refs") {
		return freeZone // a list of branches for dumb servers, which git gc writes
	}
	return zone{rule: dotGit + "/" + gitSettings[i], young: changeGitFile | changeGitDir | changeTo}
}

// hookZone: even a young repository gets no hooks, only the samples that git
// copies and never runs.
func hookZone(rest []string) zone {
	z := zone{rule: dotGit + "/hooks", young: changeUnlink | changeRmdir}
	switch {
	case len(rest) == 0:
		z.young = changeGitDir | changeWrite
	case len(rest) == 1 && strings.HasSuffix(canonical(rest[0]), ".sample"):
		z.young = changeGitFile
	}
	return z
}

// container is the directory of git directories, which is none itself.
func container(name string) zone {
	return zone{rule: dotGit + "/" + name, always: changeGitDir, young: changeWrite}
}

// worktreeZone is worktrees/NAME, a git directory whose settings are in the main
// one, except for those that say where both are.
func worktreeZone(rest []string) zone {
	switch {
	case len(rest) == 0:
		return container("worktrees")
	case len(rest) == 1:
		return zone{rule: dotGit + "/worktrees", bears: true, always: changeMkdir, young: changeWrite | changeRmdir}
	case len(rest) == 2 && matches(canonical(rest[1]), "gitdir"):
		return zone{rule: dotGit + "/worktrees", young: changeGitFile | changeTo}
	}
	return gitZone(rest[1:])
}

// moduleZone is modules/NAME, where a name may have slashes: where the git
// directory begins can't be seen, so its protected names count at every depth.
// Directories are not moved in or out: they could bring their hooks along.
func moduleZone(rest []string) zone {
	if len(rest) == 0 {
		return container("modules")
	}
	state := zone{
		rule: dotGit + "/modules", bears: true,
		always: changeGitFile | changeGitDir | changeFrom | changeTo, young: changeSpecial,
	}
	skip := 1 // modules itself has no settings: a submodule may be called config
	for i, part := range rest {
		name := canonical(part)
		if i < skip || matches(name, "modules") {
			continue
		}
		if sealed := sealedName(name); !state.bears && sealed != "" {
			return zone{rule: sealed}
		}
		if matches(name, "worktrees") {
			if z := worktreeZone(rest[i+1:]); !z.free() {
				return z
			}
			state, skip = gitState, i+2
			continue
		}
		switch plain, named := plainGitDir(name, rest[i+1:]); {
		case named: // a branch may be called config
			state = gitState
			state.branch = len(rest) - 1 - i
			skip = len(rest)
			if at := slices.IndexFunc(rest[i+1:], func(s string) bool { return sealedName(canonical(s)) != "" }); at >= 0 {
				return zone{rule: sealedName(canonical(rest[i+1+at]))}
			}
		case plain:
			state, skip = gitState, i+2
			continue
		}
		if z := settingZone(name, rest[i+1:]); !z.free() {
			return z
		}
	}
	return state
}

// gitState is what git keeps in a submodule's directory, and moves no directories of.
// It may be another one's git directory, too: a submodule may be called
// a/objects/pack or a/refs/heads.
var gitState = zone{
	rule:   dotGit + "/modules",
	always: changeAnything &^ (changeDirFrom | changeDirTo),
}

// holdsBranches: the path leads through directories that git names after branches.
func holdsBranches(parts []string) bool {
	return slices.ContainsFunc(parts, func(s string) bool { return s == "refs" || s == "logs" })
}

// plainGitDir knows the parts of a git directory that hold objects, and those that
// hold branches, whose names are anybody's.
func plainGitDir(name string, rest []string) (plain, named bool) {
	if len(rest) == 0 {
		return false, false
	}
	below := canonical(rest[0])
	switch name {
	case "objects":
		return below == "pack" || below == "info" || len(below) == 2, false
	case "refs":
		return false, slices.Contains([]string{"heads", "tags", "remotes", "notes", "bisect", "rewritten", "worktree"}, below)
	case "logs":
		return false, below == "refs"
	}
	return false, false
}
