package place

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/workspace"
)

// drives are the facts of a machine whose workspace lies on a drive. Everything is
// put in one spelling, small letters and slashes, so that rules that compare text
// hold for every other: Windows has many names for one file.
type drives struct{ facts Facts }

// OnDrives puts the place of a request in that spelling, where it is on a drive.
func OnDrives(cwd string, f Facts, home string) (string, Facts, string) {
	if _, done := f.(drives); done || !OnDrive(cwd) && !slices.ContainsFunc(f.Folders(), OnDrive) {
		return cwd, f, home
	}
	return OneSpelling(cwd), drives{f}, OneSpelling(home)
}

// OnDrives reports that the workspace lies on a drive of Windows.
func (w *World) OnDrives() bool {
	_, ok := w.Facts.(drives)
	return ok
}

// Join puts the uncertain end of a path behind what is known of it.
func (w *World) Join(resolved, rest string) string {
	if w.OnDrives() {
		return OneSpelling(resolved + "/" + rest)
	}
	return path.Join(resolved, rest)
}

// OnDrive reports an absolute path of Windows.
func OnDrive(p string) bool {
	return Drive(p) && len(p) > 2 || strings.HasPrefix(p, `\\`) || strings.HasPrefix(p, "//")
}

// Folders are the workspace's.
func (d drives) Folders() []string {
	var out []string
	for _, f := range d.facts.Folders() {
		out = append(out, OneSpelling(f))
	}
	return out
}

// Resolve follows links where this machine has drives. On another one a path is
// what it says.
func (d drives) Resolve(p, cwd string) (string, bool) {
	full := FromDrive(p, cwd)
	// Never a share: to look is to log on to whatever server the command names.
	if absolute := filepath.FromSlash(full); filepath.IsAbs(absolute) && Drive(absolute) {
		resolved, inside := d.facts.Resolve(absolute, absolute)
		return OneSpelling(resolved), inside
	}
	return full, slices.ContainsFunc(d.Folders(), func(f string) bool { return Below(f, full) })
}

// FromDrive is the absolute path that p means in cwd: \x is below the drive's root,
// and C:x in the drive's own directory, of which we know one at most.
func FromDrive(p, cwd string) string {
	p, cwd = OneSpelling(p), OneSpelling(cwd)
	switch {
	case tempDir(p), strings.HasPrefix(p, "//"):
		return p
	case Drive(p) && len(p) > 2 && p[2] == '/', Drive(p) && len(p) == 2:
		return p
	case Drive(p) && strings.HasPrefix(cwd, p[:2]):
		return OneSpelling(cwd + "/" + p[2:])
	case Drive(p):
		return p[:2] + "/" + p[2:]
	case strings.HasPrefix(p, "/") && Drive(cwd):
		return OneSpelling(cwd[:2] + p)
	case strings.HasPrefix(p, "/"):
		return p
	}
	return OneSpelling(cwd + "/" + p)
}

// Below reports whether p is a folder or lies in it.
func Below(folder, p string) bool {
	if Drive(folder) || strings.HasPrefix(folder, "//") {
		return p == folder || strings.HasPrefix(p, strings.TrimSuffix(folder, "/")+"/")
	}
	return workspace.Within(folder, p)
}

// rootOfDrives reports what must never be deleted on any Windows: a drive, what lies
// directly on it, and homes.
func rootOfDrives(p string) bool {
	dir := path.Dir(p)
	return Drive(p) && (len(p) <= 3 || len(dir) <= 3 || dir[2:] == "/users")
}

// systemDirs are the first components that make an absolute word a path even
// for a program whose arguments we do not know; "/api/v1" is not one.
var systemDirs = []string{
	"bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "media", "mnt", "opt", "proc",
	"root", "run", "sbin", "srv", "sys", "tmp", "usr", "var", "Users", "Library", "System", "Applications",
	"private", "Volumes",
}

// PathLike guesses whether an argument of an unknown program is a path that
// could lead outside.
func PathLike(text string) bool {
	if strings.ContainsAny(text, " \n\t") || strings.Contains(text, ":/") && !strings.HasPrefix(text, "file:") {
		return false // a text; a URL or a list such as -v /src:/app
	}
	if strings.HasPrefix(text, "file:///") {
		return true
	}
	if strings.HasPrefix(text, "/") {
		first, _, _ := strings.Cut(strings.TrimLeft(path.Clean(text), "/"), "/")
		return slices.Contains(systemDirs, first)
	}
	clean := path.Clean(text)
	return clean == ".." || strings.HasPrefix(clean, "../")
}
