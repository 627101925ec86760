package sandbox

import (
	"slices"
	"strings"
)

// A git directory holds data: objects, refs, logs, the index, messages. Besides that
// it holds what git executes or obeys: hooks, settings (which name programs), and the
// files that say where the rest of the repository is. Everything that a command may
// make in one is data by its name, and a regular file or directory: git follows a link
// there wherever it leads.

// changeData is what may be done to git's data.
const changeData = changeAnything &^ (changeSymlink | changeNode)

func gitData(rule string) zone { return zone{rule: rule, always: changeData} }

// data reports whether a zone is of git's data, which git obeys nothing of.
func (z zone) data() bool {
	const kept = changeWrite | changeCreate
	return z.always&kept == kept && z.text == textFree
}

// gitSettings are what git obeys in a git directory. branches and remotes are where
// git once kept remotes, and still reads them.
var gitSettings = []string{"config", "config.worktree", "commondir", "info", "branches", "remotes"}

// gitLocks are what git calls new settings until it renames them. One may be the
// user's, who runs git at the same time.
var gitLocks = []string{"config.lock", "config.worktree.lock"}

// dataNames are the other entries of git's own, gitrepository-layout(5), of its
// extensions and of the tools that keep their data beside it. MERGE_HEAD and the like
// are one pattern.
var dataNames = compiled(`^(?:[A-Z][A-Z0-9_]*(?:\.lock|\.[A-Za-z0-9]{6}|~)?` +
	`|(?:next-|shared)?index(?:[.-][\w.-]*)?|packed-refs(?:\.\w+)?|\._packed-refs\w*|shallow(?:\.lock|_\w{6})?` +
	`|t\w{6}|tmp_\w+|_git2_\w+|\.tmp[\w-]*|\.probe-[\w-]+|\.\w+\.sw[a-z]` + // probes and swap files
	`|(?i:head|objects|refs)|description|logs|reftable|locked|gc\.\w+(?:\.lock)?|maintenance\.lock` +
	`|rebase-merge|rebase-apply|sequencer|rr-cache|lfs|svn|annex|filter-repo|addp-hunk-edit\.diff|ADD_EDIT\.patch` +
	`|fsmonitor--daemon[\w.-]*|branchless|machete|stgit|jj|gitk\.cache|cola|gitbutler|lint-staged[\w.-]*` +
	`|ORIG_HEAD[\w.]*|original-refs|filter-branch|subtree-cache|bisect[\w-]*)$`)

// gitZone is the zone of a path inside .git; no parts are .git itself.
func gitZone(parts []string) zone {
	if len(parts) == 0 {
		return zone{rule: dotGit, always: changeMkdir, text: textPointer, young: changeUnlink | changeRmdir | changeWrite}
	}
	rest := parts[1:]
	switch name := canonical(parts[0]); {
	case matches(name, "worktrees"):
		return worktreeZone(rest)
	case matches(name, "modules"):
		return moduleZone(rest)
	default:
		if z := settingZone(name, rest); !z.free() {
			return z
		}
		if z := stateZone(name, rest); !z.free() {
			return z
		}
		if name == "objects" && isAlternates(rest) {
			return zone{rule: dotGit + "/objects/info/alternates", text: textAlternates, always: changeUnlink | changeRunnable}
		}
	}
	if len(rest) == 0 && !dataNames().MatchString(parts[0]) {
		return zone{rule: dotGit + "/" + parts[0], always: changeWrite | changeUnlink | changeRmdir}
	}
	return gitData(dotGit)
}

// settingZone is one entry of a git directory that git obeys, and what is below it.
func settingZone(name string, rest []string) zone {
	if matches(name, "hooks") {
		return hookZone(rest)
	}
	if len(rest) == 0 && slices.Contains(gitLocks, name) {
		young := changeWrite | changeCreate | changeUnlink | changeFrom | changeTo
		return zone{rule: dotGit + "/" + name, setting: true, lock: true, always: changeCreate, young: young}
	}
	i := slices.IndexFunc(gitSettings, func(s string) bool { return matches(name, s) })
	if i < 0 {
		return freeZone
	}
	z := zone{rule: dotGit + "/" + gitSettings[i], setting: true, young: changeUnlink | changeRmdir}
	if len(rest) == 0 && !strings.HasPrefix(gitSettings[i], "co") {
		z.young |= changeMkdir | changeWrite // an empty directory: tar brings them in any order
	}
	switch gitSettings[i] {
	case "config", "config.worktree":
		if len(rest) == 0 {
			// git init tries whether the bits for execution can be turned.
			z.text, z.always = textConfig, changeRunnable
		}
	case "info":
		if len(rest) == 1 && plainInfo(canonical(rest[0])) {
			return gitData(dotGit)
		}
		if len(rest) == 1 && rest[0] == "exclude" {
			z.young |= changeCreate | changeWrite
		}
	}
	return z
}

// plainInfo are entries of info that say nothing of what git runs: lists for dumb
// servers, which git gc writes, and which files are checked out.
func plainInfo(name string) bool {
	return strings.HasPrefix(name, "refs") || name == "sparse-checkout" || name == "sparse-checkout.lock"
}

// hookZone: nobody gets hooks, only the samples that git copies and never runs.
func hookZone(rest []string) zone {
	z := zone{rule: dotGit + "/hooks", setting: true, young: changeUnlink | changeRmdir}
	if len(rest) == 0 {
		z.young |= changeMkdir | changeWrite
	}
	if len(rest) == 1 && strings.HasSuffix(canonical(rest[0]), ".sample") {
		z.always, z.young = changeCreate, changeWrite|changeUnlink
	}
	return z
}

// container is the directory of git directories, which is none itself.
func container(name string) zone {
	return zone{rule: dotGit + "/" + name, always: changeMkdir | changeRmdir | changeWrite}
}

// worktreeZone is worktrees/NAME, a git directory whose settings are in the main
// one, except for those that say where both are.
func worktreeZone(rest []string) zone {
	rule := dotGit + "/worktrees"
	switch {
	case len(rest) == 0:
		return container("worktrees")
	case len(rest) == 1:
		return zone{rule: rule, always: changeMkdir, young: changeWrite | changeRmdir}
	case len(rest) > 2:
	case matches(canonical(rest[1]), "gitdir"):
		return zone{rule: rule, text: textBack, young: changeUnlink}
	case matches(canonical(rest[1]), "commondir"):
		return zone{rule: dotGit + "/commondir", text: textCommon, young: changeUnlink}
	}
	return gitZone(rest[1:])
}

// moduleZone is modules/NAME, where a name may have slashes: where the git directory
// begins can't be seen by name, so settings are settings at every depth. Directories
// are not moved in or out.
func moduleZone(rest []string) zone {
	if len(rest) == 0 {
		return container("modules")
	}
	for i, part := range rest {
		name := canonical(part)
		if sealed := sealedName(name); sealed != "" && i > 0 {
			return zone{rule: sealed}
		}
		if i == 0 || matches(name, "modules") { // a submodule may be called config
			continue
		}
		if matches(name, "worktrees") {
			z := worktreeZone(rest[i+1:])
			z.still, z.always = true, z.always&^changeDirMove
			return z
		}
		if z := settingZone(name, rest[i+1:]); !z.free() && !z.data() {
			z.still = true
			return z
		}
		if z := stateZone(name, rest[i+1:]); !z.free() && !z.data() {
			return z
		}
	}
	z := gitData(dotGit + "/modules")
	z.always &^= changeDirMove
	return z
}

const changeDirMove = changeDirFrom | changeDirTo

// stateZone is an operation that git has not ended: what it reads there as a program or
// as a number is text that is judged. Where it is kept is not moved there as a whole.
func stateZone(name string, rest []string) zone {
	if name != "rebase-merge" && name != "rebase-apply" && name != "sequencer" {
		return freeZone
	}
	if len(rest) == 0 {
		return zone{rule: dotGit + "/" + name, always: changeData &^ changeDirMove}
	}
	kind, ok := stateTexts[canonical(rest[0])]
	if !ok || len(rest) > 1 {
		return gitData(dotGit)
	}
	return zone{rule: dotGit + "/" + name, text: kind, always: changeUnlink | changeFrom}
}

// holdsBranches: the path leads through directories that git names after branches.
func holdsBranches(parts []string) bool {
	return slices.ContainsFunc(parts, func(s string) bool { return s == "refs" || s == "logs" })
}

// isAlternates: a repository's objects may be in other directories, too, which a file in
// objects names.
func isAlternates(below []string) bool {
	return len(below) == 2 && canonical(below[0]) == "info" && strings.HasSuffix(canonical(below[1]), "alternates")
}
