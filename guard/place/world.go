// Package place says what paths, hosts and variables are to a command: whether they
// are in the workspace, hold credentials, or belong to the machine. It decides
// nothing; rules do.
package place

import (
	"path"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/workspace"
)

// DrivePath guesses whether an argument of an unknown program is a path of Windows
// that could lead outside; see pathLike.
func (w *World) DrivePath(text string) bool {
	if !w.OnDrives() || strings.ContainsAny(text, " \n\t") {
		return false
	}
	text = Slashes(text)
	return OnDrive(text) && (text[0] == '/' || text[2] == '/') || PathLike(text)
}

// Facts are what the guard must know about the workspace; *workspace.Set is one.
type Facts interface {
	// Resolve says where path leads from the absolute directory cwd, and
	// whether that is inside the workspace.
	Resolve(path, cwd string) (resolved string, inside bool)
	// Folders are the resolved workspace folders.
	Folders() []string
}

// World is the places that a command may reach: the workspace, the user's home and
// what the policy allows besides.
type World struct {
	Facts    Facts
	Home     string
	Roots    []string // allowed besides the workspace, as written and resolved
	Programs []string // directories whose programs may be run by path; "~/" is the home
	Restrict bool     // every path that leaves the workspace is refused
}

// InFolders reports a resolved path in the workspace.
func (w *World) InFolders(resolved string) bool {
	return slices.ContainsFunc(w.Facts.Folders(), func(f string) bool { return Below(f, resolved) })
}

// InRoots reports a resolved path in a directory that the policy allows besides.
func (w *World) InRoots(resolved string) bool {
	return slices.ContainsFunc(w.Roots, func(r string) bool { return Below(r, resolved) })
}

// Trusted reports a program in one of the policy's program directories.
func (w *World) Trusted(written, resolved string) bool {
	hidden, ok := strings.CutPrefix(resolved, w.Home+"/.")
	if _, in, _ := strings.Cut(hidden, "/"); ok && w.Home != "" && strings.HasPrefix(in, "bin/") &&
		slices.Contains(w.Programs, "~/.local/bin") { // a toolchain's
		return true
	}
	for _, dir := range w.Programs {
		if rest, ok := strings.CutPrefix(dir, "~/"); ok {
			if w.Home == "" {
				continue
			}
			dir = w.Home + "/" + rest
		}
		if workspace.Within(dir, path.Clean(written)) || workspace.Within(dir, resolved) {
			return true
		}
	}
	return false
}

// Public reports a path whose content says nothing about a person; toolchains in the home
// are that too, as in `. ~/.nvm/nvm.sh`.
func (w *World) Public(p string) bool {
	if w.Home != "" && p == w.Home+"/.cargo/env" || w.Trusted(p, p) {
		return true
	}
	if strings.Contains(p, "*") && !strings.HasPrefix(p, "/usr/") {
		return false
	}
	return slices.Contains(Listed("public-files"), p) || slices.ContainsFunc(Listed("public-dirs"), func(dir string) bool {
		return workspace.Within(dir, p)
	})
}

// Vital reports what must never be deleted: the root, its directories, homes,
// and what holds a workspace or the home; also all of their contents at once.
func (w *World) Vital(p string) bool {
	p = strings.TrimSuffix(p, "/*")
	if p == "" || p == "/" || p == w.Home {
		return true
	}
	dir := path.Dir(p)
	if rootOfDrives(p) || dir == "/" || dir == "/home" || dir == "/Users" {
		return true
	}
	holds := func(inner string) bool { return strings.HasPrefix(inner, p+"/") }
	return holds(w.Home) || slices.ContainsFunc(w.Facts.Folders(), holds)
}

// Installed reports a program in one of the places where Windows installs them.
func (w *World) Installed(p string) bool {
	if !w.OnDrives() || !slices.Contains(w.Programs, "/usr/bin") { // a list that was narrowed stays
		return false
	}
	within := func(dir string) bool {
		if rest, home := strings.CutPrefix(dir, "~"); home {
			dir = w.Home + rest
		}
		return Below(dir, p)
	}
	return slices.ContainsFunc(Listed("installed"), within) && !slices.ContainsFunc(Listed("anybodys"), within)
}
