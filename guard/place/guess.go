package place

import (
	"path"
	"slices"
	"strings"
)

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
