package guard

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

// onDrives puts the place of a request in that spelling, where it is on a drive.
func onDrives(cwd string, f Facts, home string) (string, Facts, string) {
	if _, done := f.(drives); done || !onDrive(cwd) && !slices.ContainsFunc(f.Folders(), onDrive) {
		return cwd, f, home
	}
	return oneSpelling(cwd), drives{f}, oneSpelling(home)
}

func (w *walker) onDrives() bool {
	_, ok := w.facts.(drives)
	return ok
}

// join puts the uncertain end of a path behind what is known of it.
func (w *walker) join(resolved, rest string) string {
	if w.onDrives() {
		return oneSpelling(resolved + "/" + rest)
	}
	return path.Join(resolved, rest)
}

// onDrive reports an absolute path of Windows.
func onDrive(p string) bool {
	return drive(p) && len(p) > 2 || strings.HasPrefix(p, `\\`) || strings.HasPrefix(p, "//")
}

// Folders are the workspace's.
func (d drives) Folders() []string {
	var out []string
	for _, f := range d.facts.Folders() {
		out = append(out, oneSpelling(f))
	}
	return out
}

// Resolve follows links where this machine has drives. On another one a path is
// what it says.
func (d drives) Resolve(p, cwd string) (string, bool) {
	full := fromDrive(p, cwd)
	// Never a share: to look is to log on to whatever server the command names.
	if absolute := filepath.FromSlash(full); filepath.IsAbs(absolute) && drive(absolute) {
		resolved, inside := d.facts.Resolve(absolute, absolute)
		return oneSpelling(resolved), inside
	}
	return full, slices.ContainsFunc(d.Folders(), func(f string) bool { return below(f, full) })
}

// fromDrive is the absolute path that p means in cwd: \x is below the drive's root,
// and C:x in the drive's own directory, of which we know one at most.
func fromDrive(p, cwd string) string {
	p, cwd = oneSpelling(p), oneSpelling(cwd)
	switch {
	case tempDir(p), strings.HasPrefix(p, "//"):
		return p
	case drive(p) && len(p) > 2 && p[2] == '/', drive(p) && len(p) == 2:
		return p
	case drive(p) && strings.HasPrefix(cwd, p[:2]):
		return oneSpelling(cwd + "/" + p[2:])
	case drive(p):
		return p[:2] + "/" + p[2:]
	case strings.HasPrefix(p, "/") && drive(cwd):
		return oneSpelling(cwd[:2] + p)
	case strings.HasPrefix(p, "/"):
		return p
	}
	return oneSpelling(cwd + "/" + p)
}

// below reports whether p is a folder or lies in it.
func below(folder, p string) bool {
	if drive(folder) || strings.HasPrefix(folder, "//") {
		return p == folder || strings.HasPrefix(p, strings.TrimSuffix(folder, "/")+"/")
	}
	return workspace.Within(folder, p)
}

// rootOfDrives reports what must never be deleted on any Windows: a drive, what lies
// directly on it, and homes.
func rootOfDrives(p string) bool {
	dir := path.Dir(p)
	return drive(p) && (len(p) <= 3 || len(dir) <= 3 || dir[2:] == "/users")
}
