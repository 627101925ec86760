package workspace

import (
	"path/filepath"
)

// Within reports whether path is folder or lies below it. Both are resolved,
// absolute paths; nothing is looked up on disk.
func Within(folder, path string) bool {
	_, ok := below(folder, path)
	return ok
}

// below is path relative to folder. IsLocal keeps names such as "..." that only
// look like a way up, and refuses every real one.
func below(folder, path string) (rel string, ok bool) {
	if !filepath.IsAbs(folder) || !filepath.IsAbs(path) {
		return "", false
	}
	rel, err := filepath.Rel(folder, path)
	return rel, err == nil && filepath.IsLocal(rel)
}

// Contains reports whether a resolved, absolute path is one of the folders or
// lies in one. On a file system that ignores case, a path spelled in another
// case counts as outside (on Windows it is inside): the safe side.
func (s *Set) Contains(resolved string) bool {
	return containing(s.names, resolved) >= 0
}

// containing is the index of the innermost of the folders that holds path, or -1.
func containing(folders []string, path string) int {
	best := -1
	for i, f := range folders {
		if Within(f, path) && (best < 0 || len(f) > len(folders[best])) {
			best = i
		}
	}
	return best
}

// Resolve says where path leads when it is used in the absolute directory cwd, and whether
// that is inside. Symlinks of the part that exists are followed, a dangling one too
// (writing through it creates its target); the rest is taken as written. A path that
// cannot be looked at (a symlink loop, a directory without permission) is outside.
func (s *Set) Resolve(path, cwd string) (resolved string, inside bool) {
	return Resolve(s.names, path, cwd)
}

// Resolve is Set.Resolve for resolved folders that need not be open: the guard
// judges a batch for a workspace that does not exist here with it.
func Resolve(folders []string, path, cwd string) (resolved string, inside bool) {
	if !filepath.IsAbs(path) {
		// Not filepath.Join: it would clean "link/.." away, but the kernel
		// follows the link first.
		path = cwd + string(filepath.Separator) + path
	}
	resolved, _, err := resolve(path)
	if err != nil {
		return filepath.Clean(path), false
	}
	return resolved, containing(folders, resolved) >= 0
}

// Crosses reports whether an absolute path leads through one of the folders, by its own name
// or by a link on the way: who may write there decides where it ends.
func Crosses(path string, folders []string) bool {
	var w walker
	for w.restart(filepath.FromSlash(path)); len(w.rest) > 0; {
		if err := w.step(); err != nil || containing(folders, w.done) >= 0 {
			return true
		}
	}
	return false
}
