package place

import (
	"path"
	"strings"
)

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

// Reserved reports the names of ports, which are no files in whatever directory.
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
	if Drive(joined) && len(joined) > 2 && joined[2] == '/' { // nor does ".." lead above the drive
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
