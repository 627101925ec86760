package policy

import (
	"path/filepath"
	"runtime"
	"slices"
)

// Covers says whether the policy lets a command read a path, or with write change
// it, as far as its file rules go. The file's own permissions may still refuse.
// Private home and TMPDIR are not the policy's.
func (p Policy) Covers(path string, write bool) bool {
	if p.Mode == Off {
		return true
	}
	within := func(roots []string) bool {
		return slices.ContainsFunc(roots, func(root string) bool { return Beneath(root, path) })
	}
	if write {
		return p.Mode == WorkspaceWrite && within(p.Writable) || within(Devices) || within(Terminals)
	}
	return p.Reads == ReadsAll || within(p.Readable) || within(p.Writable) || within(systemOf(runtime.GOOS)) ||
		within(Devices) || within(Terminals) || within(p.outputs()) || Beneath("/etc", path)
}

// Hides says whether a path is one of the places of credentials in a user's home
// that no command sees, unless the policy names it or a place in it.
func (p Policy) Hides(home, path string) bool {
	if p.Mode == Off || home == "" {
		return false
	}
	return slices.ContainsFunc(SecretsOf(runtime.GOOS), func(s string) bool {
		place := filepath.Join(home, s)
		named := func(grant string) bool { return Beneath(place, grant) && Beneath(grant, path) }
		return Beneath(place, path) && !slices.ContainsFunc(p.Readable, named) && !slices.ContainsFunc(p.Writable, named)
	})
}

// systemOf are the directories of a platform that every command may read.
func systemOf(goos string) []string {
	if goos == "darwin" {
		return MacSystem
	}
	return SystemDirs
}

// SecretsOf are the places of credentials in a home.
func SecretsOf(goos string) []string {
	if goos == "darwin" {
		return slices.Concat(HomeSecrets, macSecrets)
	}
	return HomeSecrets
}

// Beneath says that a path is a directory or in it; both are clean and absolute.
func Beneath(dir, path string) bool {
	if dir == "" || len(path) <= len(dir) || path[:len(dir)] != dir {
		return dir != "" && path == dir
	}
	return path[len(dir)] == filepath.Separator || dir[len(dir)-1] == filepath.Separator
}
