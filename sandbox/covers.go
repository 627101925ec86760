package sandbox

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Covers says whether the policy lets a command read a path, or with write change
// it, as far as its file rules go. The file's own permissions may still refuse.
// Private home and TMPDIR are not the policy's.
func (p Policy) Covers(path string, write bool) bool {
	if p.Mode == Off {
		return true
	}
	within := func(roots []string) bool {
		return slices.ContainsFunc(roots, func(root string) bool { return beneath(root, path) })
	}
	if write {
		return p.Mode == WorkspaceWrite && within(p.Writable) || within(devices) || within(terminals)
	}
	return p.Reads == ReadsAll || within(p.Readable) || within(p.Writable) || within(systemOf(runtime.GOOS)) ||
		within(devices) || within(terminals) || within(p.outputs()) || beneath("/etc", path)
}

// Hides says whether a path is one of the places of credentials in a user's home
// that no command sees, unless the policy names it or a place in it.
func (p Policy) Hides(home, path string) bool {
	if p.Mode == Off || home == "" {
		return false
	}
	return slices.ContainsFunc(secretsOf(runtime.GOOS), func(s string) bool {
		place := filepath.Join(home, s)
		named := func(grant string) bool { return beneath(place, grant) && beneath(grant, path) }
		return beneath(place, path) && !slices.ContainsFunc(p.Readable, named) && !slices.ContainsFunc(p.Writable, named)
	})
}

// systemOf are the directories of a platform that every command may read.
func systemOf(goos string) []string {
	if goos == "darwin" {
		return macSystem
	}
	return systemDirs
}

// secretsOf are the places of credentials in a home.
func secretsOf(goos string) []string {
	if goos == "darwin" {
		return slices.Concat(homeSecrets, macSecrets)
	}
	return homeSecrets
}

// beneath compares clean, absolute paths.
func beneath(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}
