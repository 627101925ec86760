package protect

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// The zones that depend on what is there: whether a directory is a git directory.

// gitPillars are what makes a directory a git directory, with the commondir of a linked
// worktree in place of the last two. (setup.c, is_git_directory)
var gitPillars = []string{"head", "objects", "refs"}

// above leads from a directory to what is so many parents above it.
func above(climb int, name string) string { return strings.Repeat("../", climb) + name }

// Dir says whether an open directory holds a name, which may lead up from it.
type Dir func(name string) bool

// IsGit is git's own test, is_git_directory in setup.c, without a look into HEAD, for
// what is so many parents above. besides is a name that counts as if it were there.
func (d Dir) IsGit(climb int, besides string) bool {
	has := func(name string) bool { return strings.EqualFold(name, besides) || d(above(climb, name)) }
	return has("HEAD") && (has("objects") && has("refs") || has("commondir"))
}

// BecomesGit says that one more name would make it a git directory.
func (d Dir) BecomesGit(name string) bool {
	return (name == "commondir" || slices.Contains(gitPillars, name)) && !d.IsGit(0, "") && d.IsGit(0, name)
}

// Zone is the zone of a path below a workspace root whose last part is in the directory.
func (d Dir) Zone(rel string) Zone {
	z := Locate(rel)
	if z.Rule == DotEnv && d(".envrc") {
		return Zone{Rule: DotEnv}
	}
	if !hasGitWord(rel) || z.Rule != "" && !z.setting && !z.Data() {
		return z
	}
	parts := strings.Split(rel, "/")
	for j, part := range parts {
		if !maybeGitWord(part) {
			continue
		}
		name, climb := Canonical(part), len(parts)-1-j
		if !gitWord(name) || !d.IsGit(climb, "") {
			continue
		}
		found := settingZone(name, parts[j+1:])
		if name == "objects" && isAlternates(parts[j+1:]) {
			found = Zone{Rule: "objects/info/alternates", Text: TextAlternates, Always: Unlink | Runnable}
		}
		if found.Free() && climb == 0 {
			found = pillarZone(part)
		}
		if found.Free() || climb > 0 && found.Data() {
			continue
		}
		found.Climb = climb
		return found
	}
	if z.setting {
		return d.unborn(z, parts)
	}
	return z
}

// unborn is the zone of a setting's name in .git where no git directory is around it: a
// branch may have that name, or the git directory is being made, perhaps by the user.
func (d Dir) unborn(z Zone, parts []string) Zone {
	for j := len(parts) - 1; j > 0; j-- {
		if d.IsGit(len(parts)-1-j, "") {
			if isContainer(Canonical(parts[j])) {
				break
			}
			return birthZone(z)
		}
	}
	for j := slices.IndexFunc(parts, func(s string) bool { return Matches(Canonical(s), DotGit) }) + 1; j < len(parts); j++ {
		name := Canonical(parts[j])
		if gitWord(name) && settingZone(name, parts[j+1:]).setting {
			return nascentZone(z, name, parts[j+1:])
		}
	}
	return z
}

// FreeByName says by its name alone that a path is anybody's, whatever is there.
func FreeByName(rel string) bool { return Locate(rel).Free() && !hasGitWord(rel) }

// Obeyed says whether the user's own tools obey a file with this name, wherever it is.
func Obeyed(file string) bool {
	rel := strings.TrimPrefix(filepath.ToSlash(file), "/")
	return !Locate(rel).Permits(Create, false)
}

// ObeyedFile is Obeyed for what a command would write. To make an empty .vscode starts
// nothing; and of a git directory its text decides, not its name.
func ObeyedFile(rel string) bool {
	dir, name := path.Split(rel)
	if obeyed().dirs[Canonical(name)] {
		return dir != "" && ObeyedFile(strings.TrimSuffix(dir, "/"))
	}
	return Obeyed(rel) && !strings.Contains("/"+rel, "/"+DotGit+"/")
}

// DependsOnDir says that the zone of a path isn't known without its directory.
func DependsOnDir(rel, path string) bool {
	z := Locate(rel)
	return hasGitWord(path) || z.Text != TextFree || z.Rule == DotEnv
}

func hasGitWord(rel string) bool {
	for part := range strings.SplitSeq(rel, "/") {
		if maybeGitWord(part) && gitWord(Canonical(part)) {
			return true
		}
	}
	return false
}

// maybeGitWord is the quick answer for nearly every name: none of git's begins so.
func maybeGitWord(part string) bool {
	return part != "" && (part[0] >= 0x80 || strings.IndexByte("bchiorBCHIOR", part[0]) >= 0)
}

// InGit reports whether the directory, or one of so many above it, is a git directory.
func (d Dir) InGit(depth int) bool {
	for climb := range depth + 1 {
		if d.IsGit(climb, "") {
			return true
		}
	}
	return false
}

// pillarZone keeps what makes a git directory: without one of them it would be none
// for a while, and its settings anybody's.
func pillarZone(name string) Zone {
	const away = Unlink | Rmdir | RenameFrom | RenameDirFrom
	return Zone{Rule: DotGit + "/" + name, Always: dataChanges &^ away, maker: away}
}

// nascentZone is a setting in a .git that is not a git directory yet. The user's own git
// init would take over existing files: so there are no hooks, and settings are judged as
// they are later.
func nascentZone(z Zone, name string, rest []string) Zone {
	const template = Create | Write | Unlink
	switch {
	case z.Lock:
		return birthZone(z)
	case z.Text != TextFree:
		z.Always |= Unlink
	case len(rest) == 0 && name != "commondir":
		z.Always = Mkdir | Rmdir | Write
	case Matches(name, "hooks") && z.Always&Create != 0, name == "info" && len(rest) == 1 && rest[0] == "exclude":
		z.Always = template // what git init copies
	default:
		z.Always = Unlink | Rmdir
	}
	return z
}

// birthZone may be changed, but for links: git doesn't obey it until the directory is a
// git directory, and then it is looked through first.
func birthZone(z Zone) Zone {
	always := dataChanges | Runnable
	if z.still {
		always &^= renameDir
	}
	return Zone{Rule: z.Rule, Always: always, Climb: z.Climb}
}

// gitWord says that a directory with this entry may be a git directory by its other
// entries, and the entry means something to git.
func gitWord(name string) bool {
	return slices.Contains(gitPillars, name) || slices.Contains(GitLocks, name) || Matches(name, "hooks") ||
		slices.ContainsFunc(GitSettings, func(s string) bool { return Matches(name, s) })
}
