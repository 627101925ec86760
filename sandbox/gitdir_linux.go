package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// A directory is a git directory when git would take it for one, whatever it is called:
// git runs what a bare repository's settings say, too. Until then its settings are
// anybody's files. A call that would make it one looks through it first; from then on
// git's settings in there only change as texts that were judged. So at no moment a git
// directory is in the workspace that obeys what a command wrote.

// above leads from a directory to what is so many parents above it.
func above(climb int, name string) string { return strings.Repeat("../", climb) + name }

func isThere(dir int, name string) bool {
	var st unix.Stat_t
	return unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil
}

// isGitDir is git's own test, is_git_directory in setup.c, without a look into HEAD.
// besides is a name that counts as if it were there.
func isGitDir(dir, climb int, besides string) bool {
	has := func(name string) bool { return strings.EqualFold(name, besides) || isThere(dir, above(climb, name)) }
	return has("HEAD") && (has("objects") && has("refs") || has("commondir"))
}

// zoneAt is the zone of a path below a workspace root. dir is the directory that the
// path's last part is in.
func zoneAt(rel string, dir int) zone {
	z := locate(rel)
	if z.rule == dotEnv && isThere(dir, ".envrc") {
		return zone{rule: dotEnv}
	}
	if !hasGitWord(rel) || z.rule != "" && !z.setting && !z.data() {
		return z
	}
	parts := strings.Split(rel, "/")
	for j, part := range parts {
		if !maybeGitWord(part) {
			continue
		}
		name, climb := canonical(part), len(parts)-1-j
		if !gitWord(name) || !isGitDir(dir, climb, "") {
			continue
		}
		found := settingZone(name, parts[j+1:])
		if name == "objects" && isAlternates(parts[j+1:]) {
			found = zone{rule: "objects/info/alternates", text: textAlternates, always: changeUnlink | changeRunnable}
		}
		if found.free() && climb == 0 {
			found = pillarZone(part)
		}
		if found.free() || climb > 0 && found.data() {
			continue
		}
		found.climb = climb
		return found
	}
	if z.setting {
		return unborn(z, parts, dir)
	}
	return z
}

// unborn is the zone of a setting's name in .git where no git directory is around it: a
// branch may be called so, or the git directory is being made, perhaps by the user.
func unborn(z zone, parts []string, dir int) zone {
	for j := len(parts) - 1; j > 0; j-- {
		if isGitDir(dir, len(parts)-1-j, "") {
			if isContainer(canonical(parts[j])) {
				break
			}
			return birthZone(z)
		}
	}
	for j := slices.IndexFunc(parts, func(s string) bool { return matches(canonical(s), dotGit) }) + 1; j < len(parts); j++ {
		name := canonical(parts[j])
		if gitWord(name) && settingZone(name, parts[j+1:]).setting {
			return nascentZone(z, name, parts[j+1:])
		}
	}
	return z
}

func hasGitWord(rel string) bool {
	for part := range strings.SplitSeq(rel, "/") {
		if maybeGitWord(part) && gitWord(canonical(part)) {
			return true
		}
	}
	return false
}

// maybeGitWord is the quick answer for nearly every name: none of git's begins so.
func maybeGitWord(part string) bool {
	return part != "" && (part[0] >= 0x80 || strings.IndexByte("bchiorBCHIOR", part[0]) >= 0)
}

// insideGitDir reports whether a directory, or one above it up to the root, is a git
// directory.
func insideGitDir(dir, depth int) bool {
	for climb := range depth + 1 {
		if isGitDir(dir, climb, "") {
			return true
		}
	}
	return false
}

// completes says why a change may not make a git directory of the directory that it is
// in. It puts new files in the place of the settings: whoever still holds the old ones
// open changes nothing any more.
func (a *ask) completes(where string, dir int, name string) error {
	name = canonical(name)
	if name != "commondir" && !slices.Contains(gitPillars, name) || isGitDir(dir, 0, "") || !isGitDir(dir, 0, name) {
		return nil
	}
	if name == "commondir" && !a.b.mayShare(where) {
		return errElsewhere
	}
	if err := a.lookThrough(where, dir); err != nil {
		return err
	}
	a.b.dirty.Store(true)
	return a.b.young.add(dir, newborn{dir: -1})
}

// mayShare says that a directory is where git keeps a linked worktree's: anywhere else a
// commondir would have git obey a directory that needs no HEAD of its own.
func (b *broker) mayShare(gitDir string) bool {
	_, rel, ok := b.within(gitDir)
	return ok && locate(rel+"/commondir").text == textCommon
}

var errElsewhere = errors.New("leads to another repository")

// maxLooked bounds what is looked through.
const maxLooked = 100_000

func (a *ask) lookThrough(where string, dir int) error {
	left := maxLooked
	entries, err := entriesOf(dir, &left)
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

func (a *ask) lookAt(where string, dir int, e fs.DirEntry, left *int) error {
	name := canonical(e.Name())
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
	case matches(name, "hooks"):
		return only(dir, e, left, func(n string) bool { return strings.HasSuffix(n, ".sample") })
	case matches(name, "info"):
		return only(dir, e, left, func(n string) bool { return n == "exclude" || plainInfo(n) })
	case slices.ContainsFunc(gitSettings, func(s string) bool { return matches(name, s) }):
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

func (a *ask) lookAtConfig(where string, dir int, name string) error {
	text, mode, err := readSmall(dir, name)
	if err == nil {
		err = vetConfig(text, func(way string) bool { return a.b.leadsBack(where, way) })
	}
	if err != nil {
		return err
	}
	return replaceFile(dir, name, text, mode)
}

// only checks that a directory holds nothing but plain files of these names.
func only(dir int, e fs.DirEntry, left *int, allowed func(string) bool) error {
	if !e.IsDir() {
		return errors.New("not a directory")
	}
	fd, err := openPlain(dir, e.Name(), unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	entries, err := entriesOf(fd, left)
	for _, below := range entries {
		if !below.Type().IsRegular() || !allowed(canonical(below.Name())) {
			return errors.New(below.Name() + " is obeyed by git")
		}
	}
	return err
}

// plainTree checks that there are only files and directories.
func plainTree(dir int, name string, left *int) error {
	fd, err := openPlain(dir, name, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	entries, err := entriesOf(fd, left)
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

// entriesOf reads a directory; with too many of them, or one that can't be read, it
// fails: what is not seen is not judged.
func entriesOf(dir int, left *int) ([]fs.DirEntry, error) {
	fd, err := unix.Openat(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), ".")
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if *left -= len(entries); *left < 0 {
		err = errors.New("too many files")
	}
	return entries, err
}

// leadsBack says that a core.worktree is the way from a submodule's git directory to
// its files, as git writes it, for no other repository has one. Behind a link the next
// git checkout would write wherever the link leads.
func (b *broker) leadsBack(gitDir, way string) bool {
	_, rel, ok := b.within(gitDir)
	to := path.Join(gitDir, way)
	r, _, inside := b.within(to)
	return ok && inside && r.protected && isLinkedGitDir(rel) && path.Clean(way) == way && !path.IsAbs(way) && directPath(to) == nil
}

// directPath says why a path is no directory that is reached without any link.
func directPath(name string) error {
	fd, err := openPlain(unix.AT_FDCWD, name, unix.O_PATH|unix.O_DIRECTORY)
	if err != nil {
		return err
	}
	_ = unix.Close(fd)
	return nil
}
