package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree makes a temporary directory, resolved, with the folders asked for.
func tree(t *testing.T, dirs ...string) string {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		if err := os.MkdirAll(filepath.Join(base, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return base
}

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, folders ...string) *Set {
	t.Helper()
	s, err := Open(folders, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestOpenResolvesAndMergesFolders(t *testing.T) {
	base := tree(t, "a", "b")
	link(t, "a", base+"/link")
	s := open(t, base+"/link", base+"/a/", base+"/b/../b")
	if want := []string{base + "/a", base + "/b"}; !slices.Equal(s.Folders(), want) {
		t.Errorf("folders %q, want %q", s.Folders(), want)
	}
	s.Folders()[0] = "/"
	if s.Folders()[0] != base+"/a" {
		t.Error("a caller changed the set through Folders")
	}
}

func TestOpenRefusesWhatIsNoFolder(t *testing.T) {
	base := tree(t, "a")
	if err := os.WriteFile(base+"/file", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	link(t, "loop", base+"/loop")
	for _, path := range []string{"", "a", "./a", base + "/file", base + "/missing", base + "/file/x", base + "/loop", "/dev/null"} {
		if s, err := Open([]string{base + "/a", path}, Options{}); err == nil {
			t.Errorf("Open(%q) made a set of %q", path, s.Folders())
		}
	}
}

func TestOpenRefusesRoots(t *testing.T) {
	base := tree(t, "home/dev/project", "home/dev/.cache/pillion/spool", "srv/bin")
	if err := os.WriteFile(base+"/srv/bin/pillion", nil, 0o755); err != nil {
		t.Fatal(err)
	}
	link(t, base+"/home/dev", base+"/disguise")
	o := Options{Home: base + "/home/dev", Own: []string{base + "/home/dev/.cache/pillion", base + "/srv/bin/pillion"}}
	for _, path := range []string{
		"/", "//", "/..", "/proc/self/root", base, base + "/home", base + "/home/dev", base + "/disguise",
		base + "/disguise/../dev", base + "/home/dev/.cache", base + "/home/dev/.cache/pillion",
		base + "/home/dev/.cache/pillion/spool", base + "/srv", base + "/srv/bin",
	} {
		var refused *RefusedRootError
		if _, err := Open([]string{path}, o); !errors.As(err, &refused) {
			t.Errorf("Open(%q) = %v, want a refusal", path, err)
		} else if refused.Reason == "" || refused.Hint == "" {
			t.Errorf("Open(%q): no reason or no hint in %+v", path, refused)
		}
	}
	for _, path := range []string{base + "/home/dev/project", base + "/home/dev/project/../project"} {
		s, err := Open([]string{path}, o)
		if err != nil {
			t.Fatalf("Open(%q) = %v", path, err)
		}
		_ = s.Close()
	}
}

func TestGrantIsForThatFolderOnly(t *testing.T) {
	base := tree(t, "home/dev")
	link(t, "home", base+"/granted")
	o := Options{Home: base + "/home/dev", Grants: []string{base + "/granted", "relative"}}
	s, err := Open([]string{base + "/home"}, o)
	if err != nil {
		t.Fatalf("the granted folder was refused: %v", err)
	}
	_ = s.Close()
	for _, path := range []string{base, base + "/home/dev"} {
		if _, err := Open([]string{path}, o); err == nil {
			t.Errorf("the grant for %s/home also opened %s", base, path)
		}
	}
}

func TestHomeThatIsASymlinkIsRefused(t *testing.T) {
	base := tree(t, "disk/dev")
	link(t, base+"/disk/dev", base+"/home")
	if _, err := Open([]string{base + "/disk/dev"}, Options{Home: base + "/home"}); err == nil {
		t.Error("the home directory was opened under its real name")
	}
}

// What the user's own programs obey is no project, unless it has a repository of its own.
func TestOpenRefusesWhatProgramsObey(t *testing.T) {
	base := tree(t, "home/.ssh", "home/.config/systemd/user", "home/.config/nvim/.git", "home/.config/nvim/lua", "home/bin/sub", "home/.git",
		"home/app/.git/hooks", "home/app/.vscode/x", "home/app/src", "home/app/.claude/worktrees/one/src", "home/app/bin", "bare/hooks", "bare/objects", "bare/refs", "plain/.vscode", "plain/src")
	for _, file := range []string{"home/app/.claude/worktrees/one/.git", "bare/HEAD"} {
		if err := os.WriteFile(filepath.Join(base, file), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	link(t, base+"/home/.ssh", base+"/disguise")
	sealed := func(rel string) string {
		parts := strings.Split(rel, "/")
		if i := slices.IndexFunc(parts, func(p string) bool { return p == ".vscode" || p == ".git" || p == ".claude" }); i >= 0 {
			return parts[i]
		}
		return ""
	}
	o := Options{Home: base + "/home", Path: []string{base + "/home/bin", "relative", base + "/home/app/bin"}, Sealed: sealed, Grants: []string{base + "/home/.config"}}
	for path, open := range map[string]bool{
		"home/.ssh": false, "disguise": false, "home/.config/systemd/user": false, "home/bin": false, "home/bin/sub": false, "home/app/.git": false, "home/app/.git/hooks": false,
		"home/app/.vscode": false, "home/app/.vscode/x": false, "home/app/.claude/worktrees": false, "home/app/bin": false, "bare/hooks": false, "plain/.vscode": false,
		"home/.config": true, "home/.config/nvim": true, "home/.config/nvim/lua": true, "home/app": true, "home/app/src": true, "home/app/.claude/worktrees/one/src": true, "bare": true, "plain/src": true,
	} {
		var refused *RefusedRootError
		s, err := Open([]string{base + "/" + path}, o)
		if open && err != nil || !open && !errors.As(err, &refused) {
			t.Errorf("Open(%q): %v", path, err)
		}
		if err == nil {
			_ = s.Close()
		}
	}
}
