package protect

import (
	"slices"
	"strings"
)

// A git directory holds data: objects, refs, logs, the index, messages. Besides that
// it holds what git executes or obeys: hooks, settings (which name programs), and the
// files that say where the rest of the repository is. Everything that a command may
// make in one is data by its name, and a regular file or directory: git follows a link
// there wherever it leads.

// dataChanges is what may be done to git's data.
const dataChanges = Anything &^ (Symlink | Node | Socket)

func gitData(rule string) Zone { return Zone{Rule: rule, Always: dataChanges} }

// InData reports whether a zone is of the data of a git directory.
func (z Zone) InData() bool { return z.Rule != "" && z.Data() }

// Data reports whether a zone is of git's data, which git doesn't obey.
func (z Zone) Data() bool {
	const kept = Write | Create
	return z.Always&kept == kept && z.Text == TextFree
}

// IsLinkProbe says that a link is the one with which git init tries whether links work,
// and then removes: it leads to nothing, for no file of that name can be made there.
// (init-db.c)
func IsLinkProbe(text, name string) bool { return text == "testing" && probeName().MatchString(name) }

var probeName = compiled(`^t\w{6}$`)

// GitSettings are what git obeys in a git directory. branches and remotes are where
// git once kept remotes, and still reads them.
var GitSettings = []string{"config", "config.worktree", "commondir", "info", "branches", "remotes"}

// GitLocks are what git calls new settings until it renames them. One may be the
// user's, who runs git at the same time.
var GitLocks = []string{"config.lock", "config.worktree.lock"}

// dataNames are the other entries of git's own, gitrepository-layout(5), of its
// extensions and of the tools that keep their data beside it. MERGE_HEAD and the like
// are one pattern.
var dataNames = compiled(`^(?:[A-Z][A-Z0-9_]*(?:\.lock|\.[A-Za-z0-9]{6}|~)?` +
	`|(?:next-|shared)?index(?:[.-][\w.-]*)?|packed-refs(?:\.\w+)?|\._packed-refs\w*|shallow(?:\.lock|_\w{6})?` +
	`|t\w{6}|tmp_\w+|_git2_\w+|\.tmp[\w-]*|\.probe-[\w-]+|\.\w+\.sw[a-z]` + // probes and swap files
	`|(?i:head|objects|refs)|description|logs|reftable|locked|gc\.\w+(?:\.lock)?|maintenance\.lock` +
	`|rebase-merge|rebase-apply|rebased-patches|fast_import_crash_[0-9]+|sequencer|rr-cache|lfs|svn|annex|filter-repo|addp-hunk-edit\.diff|ADD_EDIT\.patch` +
	`|fsmonitor--daemon[\w.-]*|branchless|machete|stgit|jj|gitk\.cache|cola|gitbutler|lint-staged[\w.-]*` +
	`|ORIG_HEAD[\w.]*|original-refs|filter-branch|subtree-cache|bisect[\w-]*)$`)

// gitZone is the zone of a path inside .git; no parts are .git itself.
func gitZone(parts []string) Zone {
	if len(parts) == 0 {
		return Zone{Rule: DotGit, Always: Mkdir, Text: TextPointer, maker: Unlink | Rmdir | Write}
	}
	rest := parts[1:]
	switch name := Canonical(parts[0]); {
	case Matches(name, "worktrees"):
		return worktreeZone(rest)
	case Matches(name, "modules"):
		return moduleZone(rest)
	default:
		if z := settingZone(name, rest); !z.Free() {
			return z
		}
		if z := stateZone(name, rest); !z.Free() {
			return z
		}
		if name == "objects" && isAlternates(rest) {
			return Zone{Rule: DotGit + "/objects/info/alternates", Text: TextAlternates, Always: Unlink | Runnable}
		}
	}
	if len(rest) == 0 && !dataNames().MatchString(parts[0]) {
		return Zone{Rule: DotGit + "/" + parts[0], Always: Write | Unlink | Rmdir}
	}
	return gitData(DotGit)
}

// settingZone is one entry of a git directory that git obeys, and what is below it.
func settingZone(name string, rest []string) Zone {
	if Matches(name, "hooks") {
		return hookZone(rest)
	}
	if len(rest) == 0 && slices.Contains(GitLocks, name) {
		young := Write | Create | Unlink | RenameFrom | RenameTo
		return Zone{Rule: DotGit + "/" + name, setting: true, Lock: true, Always: Create, maker: young}
	}
	i := slices.IndexFunc(GitSettings, func(s string) bool { return Matches(name, s) })
	if i < 0 {
		return FreeZone
	}
	z := Zone{Rule: DotGit + "/" + GitSettings[i], setting: true, maker: Unlink | Rmdir}
	if len(rest) == 0 && !strings.HasPrefix(GitSettings[i], "co") {
		z.maker |= Mkdir | Write // an empty directory: tar brings them in any order
	}
	switch GitSettings[i] {
	case "config", "config.worktree":
		if len(rest) == 0 {
			// git init tries whether the bits for execution can be turned.
			z.Text, z.Always = TextConfig, Runnable
		}
	case "info":
		if len(rest) == 1 && PlainInfo(Canonical(rest[0])) {
			return gitData(DotGit)
		}
		if len(rest) == 1 && rest[0] == "exclude" {
			z.maker |= Create | Write
		}
	}
	return z
}

// PlainInfo are entries of info that git doesn't run: lists for dumb servers, which git gc
// writes, and which files are checked out.
func PlainInfo(name string) bool {
	return strings.HasPrefix(name, "refs") || name == "sparse-checkout" || name == "sparse-checkout.lock"
}

// hookZone: no hooks are made, only the samples that git copies and never runs.
func hookZone(rest []string) Zone {
	z := Zone{Rule: DotGit + "/hooks", setting: true, maker: Unlink | Rmdir}
	if len(rest) == 0 {
		z.maker |= Mkdir | Write
	}
	if len(rest) == 1 && strings.HasSuffix(Canonical(rest[0]), ".sample") {
		z.Always, z.maker = Create, Write|Unlink
	}
	return z
}

// container is the directory of git directories, which is not one itself.
func container(name string) Zone {
	return Zone{Rule: DotGit + "/" + name, Always: Mkdir | Rmdir | Write}
}

// worktreeZone is worktrees/NAME, a git directory whose settings are in the main
// one, except for those that say where both are.
func worktreeZone(rest []string) Zone {
	rule := DotGit + "/worktrees"
	switch {
	case len(rest) == 0:
		return container("worktrees")
	case len(rest) == 1:
		return Zone{Rule: rule, Always: Mkdir, maker: Write | Rmdir}
	case len(rest) > 2:
	case Matches(Canonical(rest[1]), "gitdir"):
		return Zone{Rule: rule, Text: TextBack, maker: Unlink}
	case Matches(Canonical(rest[1]), "commondir"):
		return Zone{Rule: DotGit + "/commondir", Text: TextCommon, maker: Unlink}
	}
	return gitZone(rest[1:])
}

// moduleZone is modules/NAME, where a name may have slashes: where the git directory
// begins can't be seen by name, so settings are settings at every depth. Directories
// are not moved in or out.
func moduleZone(rest []string) Zone {
	if len(rest) == 0 {
		return container("modules")
	}
	for i, part := range rest {
		name := Canonical(part)
		if sealed := SealedName(name); sealed != "" && i > 0 {
			return Zone{Rule: sealed}
		}
		if i == 0 || Matches(name, "modules") { // a submodule may be called config
			continue
		}
		if Matches(name, "worktrees") {
			z := worktreeZone(rest[i+1:])
			z.still, z.Always = true, z.Always&^renameDir
			return z
		}
		if z := settingZone(name, rest[i+1:]); !z.Free() && !z.Data() {
			z.still = true
			return z
		}
		if z := stateZone(name, rest[i+1:]); !z.Free() && !z.Data() {
			return z
		}
	}
	z := gitData(DotGit + "/modules")
	z.Always &^= renameDir
	return z
}

const renameDir = RenameDirFrom | RenameDirTo

// holdsBranches: the path leads through directories that git names after branches.
func holdsBranches(parts []string) bool {
	return slices.ContainsFunc(parts, func(s string) bool { return s == "refs" || s == "logs" })
}

// isAlternates: a repository's objects may be in other directories, too, which a file in
// objects names.
func isAlternates(below []string) bool {
	return len(below) == 2 && Canonical(below[0]) == "info" && strings.HasSuffix(Canonical(below[1]), "alternates")
}
