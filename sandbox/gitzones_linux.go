package sandbox

import "slices"

// The zones that depend on what is there: whether a directory is a git directory.

// gitPillars are what makes a directory a git directory, with the commondir of a linked
// worktree in place of the last two. (setup.c, is_git_directory)
var gitPillars = []string{"head", "objects", "refs"}

// pillarZone keeps what makes a git directory: without one of them it would be none
// for a while, and its settings anybody's.
func pillarZone(name string) zone {
	const away = changeUnlink | changeRmdir | changeFrom | changeDirFrom
	return zone{rule: dotGit + "/" + name, always: changeData &^ away, young: away}
}

// nascentZone is a setting in a .git that is not a git directory yet. The user's own git
// init would take over what is there: so there are no hooks, and settings are judged as
// they are later.
func nascentZone(z zone, name string, rest []string) zone {
	const template = changeCreate | changeWrite | changeUnlink
	switch {
	case z.lock:
		return birthZone(z)
	case z.text != textFree:
		z.always |= changeUnlink
	case len(rest) == 0 && name != "commondir":
		z.always = changeMkdir | changeRmdir | changeWrite
	case matches(name, "hooks") && z.always&changeCreate != 0, name == "info" && len(rest) == 1 && rest[0] == "exclude":
		z.always = template // what git init copies
	default:
		z.always = changeUnlink | changeRmdir
	}
	return z
}

// birthZone is anybody's, but for links: git obeys nothing of it until the directory is
// a git directory, and then it is looked through first.
func birthZone(z zone) zone {
	always := changeData | changeRunnable
	if z.still {
		always &^= changeDirMove
	}
	return zone{rule: z.rule, always: always, climb: z.climb}
}

// gitWord says that a directory with this entry may be a git directory by its other
// entries, and the entry means something to git.
func gitWord(name string) bool {
	return slices.Contains(gitPillars, name) || slices.Contains(gitLocks, name) || matches(name, "hooks") ||
		slices.ContainsFunc(gitSettings, func(s string) bool { return matches(name, s) })
}
