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

// Join puts the uncertain end of a path after its known part.
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

// Obeyed is that of the facts.
func (d drives) Obeyed(rel string) bool {
	s, ok := d.facts.(Sealer)
	return ok && s.Obeyed(rel)
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
		return slices.Contains(Listed("system-dirs"), first)
	}
	clean := path.Clean(text)
	return clean == ".." || strings.HasPrefix(clean, "../")
}

// Drive reports C:, C:\x and C:x.
func Drive(s string) bool {
	return len(s) >= 2 && s[1] == ':' && (s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z')
}

// Quiet reports the names that stand for nothing, and for the console.
func Quiet(lower string) bool {
	switch strings.TrimSuffix(strings.TrimPrefix(lower, "//./"), ":") {
	case "nul", "con", "conin$", "conout$", "$null":
		return true
	}
	return false
}

// Reserved reports the names of ports, which are not files in any directory.
func Reserved(lower string) bool {
	if lower == "prn" || lower == "aux" {
		return true
	}
	n := strings.TrimPrefix(strings.TrimPrefix(lower, "com"), "lpt")
	return len(lower) == 4 && len(n) == 1 && '1' <= n[0] && n[0] <= '9'
}

// Registry reports a path of PowerShell's registry drives.
func Registry(lower string) bool {
	return strings.HasPrefix(lower, "hklm:") || strings.HasPrefix(lower, "hkcu:") ||
		strings.HasPrefix(lower, "registry::") || strings.HasPrefix(lower, "hkcr:")
}

// Slashes is how the rest of the guard writes a path: C:/x for \\?\C:\x and for what
// is left of file:///C:/x.
func Slashes(p string) string {
	p = strings.ReplaceAll(p, `\`, "/")
	for _, prefix := range [...]string{"//?/", "//./", "/??/", "/"} {
		rest, ok := strings.CutPrefix(p, prefix)
		switch {
		case ok && Drive(rest):
			return rest
		case ok && prefix != "/" && len(rest) > 4 && strings.EqualFold(rest[:4], "unc/"):
			return "//" + rest[4:]
		}
	}
	return p
}

// tempDir is what %TEMP% stands for here, see windowsScanner.value.
func tempDir(p string) bool { return p == "/tmp" || strings.HasPrefix(p, "/tmp/") }

// OneSpelling is a path in small letters, with slashes, without the prefixes of long
// paths and without ".." that can be taken off.
func OneSpelling(p string) string {
	p = strings.ToLower(Slashes(p))
	parts := strings.Split(p, "/")
	for i, part := range parts {
		if i > 0 || !Drive(part) {
			parts[i] = spelled(part)
		} else {
			parts[i] = part[:2] + spelled(part[2:])
		}
	}
	joined := strings.Join(parts, "/")
	if joined == "" {
		return ""
	}
	root := ""
	if strings.HasPrefix(joined, "//") { // a share: path.Clean would make one slash of two
		root = "/"
	}
	if Drive(joined) && len(joined) > 2 && joined[2] == '/' { // ".." doesn't lead above the drive either
		return joined[:2] + path.Clean(joined[2:])
	}
	return root + path.Clean(joined)
}

// spelled is the one name of a file: without a stream (.env::$DATA), without dots and
// blanks at its end, which Windows drops, and as what a short name stands for when a
// long one begins with a dot. GIT~1 was CVE-2014-9390.
func spelled(name string) string {
	name, _, _ = strings.Cut(name, ":")
	if trimmed := strings.TrimRight(name, ". "); trimmed != "" {
		name = trimmed
	} else if trimmed = strings.TrimRight(name, " "); trimmed != "" {
		name = trimmed
	}
	short, n, ok := strings.Cut(name, "~")
	if ok && len(n) == 1 && '1' <= n[0] && n[0] <= '9' && short != "" && len(short) <= 6 && !strings.Contains(short, ".") {
		return "." + short
	}
	return name
}
