package sandbox

import (
	"path/filepath"
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
	return p.Reads == ReadsAll || within(p.Readable) || within(p.Writable) || within(systemDirs) ||
		within(devices) || within(terminals) || within(p.outputs()) || beneath("/etc", path)
}

// beneath compares clean, absolute paths.
func beneath(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}
