package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const hint = "open the project's own folder, or grant this one in the user's policy"

// Refuse answers *RefusedRootError when path, resolved, must not be a workspace, nor
// anything else that commands may write in: what is writable is so as a whole, and a
// directory that holds the user's home or pillion's own files would let a command
// rewrite the policy that judges it.
func Refuse(path string, o Options) error {
	if slices.Contains(settled(o.Grants), path) {
		return nil
	}
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

// obeyed answers *RefusedRootError when path, resolved, is among what the user's own programs
// obey: a model that chose ~/.config/systemd/user or .git/hooks as its directory would write
// what they start, for names are protected below a workspace only. A repository of its own
// there (~/.config/nvim, .claude/worktrees/x) is a project.
func obeyed(path string, o Options) error {
	if o.Sealed == nil || slices.Contains(settled(o.Grants), path) {
		return nil
	}
	refuse := func(reason string) error { return &RefusedRootError{Path: path, Reason: reason, Hint: hint} }
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { _, err := os.Lstat(filepath.FromSlash(name)); return err != nil })
	}
	homes, search, top := settled([]string{o.Home}), settled(o.Path), path
	for ; !slices.Contains(homes, top) && filepath.Dir(top) != top && !has(top+"/.git"); top = filepath.Dir(top) {
		switch {
		case slices.Contains(search, top):
			return refuse("your shell looks for programs in " + top)
		case top != path && has(top+"/HEAD", top+"/objects", top+"/refs"):
			return refuse("it is a part of the git directory " + top)
		}
	}
	rel, _ := below(top, path)
	if slices.Contains(homes, top) && strings.HasPrefix(rel, ".") {
		return refuse("it is among the settings of your programs")
	}
	if name := o.Sealed(filepath.ToSlash(rel)); name != "" {
		return refuse("your programs obey what is in " + name)
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
