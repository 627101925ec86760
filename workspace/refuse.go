package workspace

import (
	"path/filepath"
	"slices"
)

// Refuse answers *RefusedRootError when path, resolved, must not be a workspace, nor
// anything else that commands may write in: what is writable is so as a whole, and a
// directory that holds the user's home or pillion's own files would let a command
// rewrite the policy that judges it.
func Refuse(path string, o Options) error {
	if slices.Contains(settled(o.Grants), path) {
		return nil
	}
	const hint = "open the project's own folder, or grant this one in the user's policy"
	if filepath.Dir(path) == path {
		return &RefusedRootError{Path: path, Reason: "it is the whole file system", Hint: hint}
	}
	for _, home := range settled([]string{o.Home}) {
		if path == home {
			return &RefusedRootError{Path: path, Reason: "it is your home directory, with your keys and settings", Hint: hint}
		}
		if Within(path, home) {
			return &RefusedRootError{Path: path, Reason: "your home directory lies in it", Hint: hint}
		}
	}
	for _, own := range settled(o.Own) {
		if Within(path, own) {
			return &RefusedRootError{Path: path, Reason: "pillion's own " + own + " lies in it", Hint: hint}
		}
		if Within(own, path) {
			return &RefusedRootError{Path: path, Reason: "it belongs to pillion (" + own + ")", Hint: hint}
		}
	}
	return nil
}

// settled resolves the paths that can be; a relative or looping one cannot name
// a folder and is left out.
func settled(paths []string) []string {
	var out []string
	for _, p := range paths {
		if !filepath.IsAbs(p) {
			continue
		}
		if resolved, _, err := resolve(p); err == nil {
			out = append(out, resolved)
		}
	}
	return out
}
