package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// repositoryHarm is what of a repository the user's next git or editor would be
// fooled by: a protected name that was not there, one that is gone or no longer
// what it was, or one that holds the word of the attacks.
func (r *room) repositoryHarm() string {
	template := filepath.Join(r.base, "template")
	var harm []string
	for _, want := range []string{".git", "sub/.git", "a/b/c/d/.git"} {
		for _, name := range []string{"", "hooks", "config", "info"} {
			rel := filepath.Join(want, name)
			if kind(filepath.Join(template, rel)) != kind(filepath.Join(r.repo, rel)) && !r.moved(want) {
				harm = append(harm, rel+" is not what it was")
			}
		}
	}
	if b, err := os.ReadFile(filepath.Join(r.repo, "wt/.git")); err != nil || !strings.HasSuffix(string(b), "/.git/worktrees/wt\n") {
		harm = append(harm, "wt/.git is not what it was")
	}
	must(r.t, filepath.WalkDir(r.repo, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(r.repo, path)
		switch {
		case !protectedName(rel):
		case strings.EqualFold(d.Name(), ".git") && d.Type()&fs.ModeSymlink != 0, pwned(path), isSetting(d.Name()), isHook(rel):
			harm = append(harm, rel+" is the attacker's")
		}
		return nil
	}))
	return strings.Join(harm, "; ")
}

// moved says that the first directory of a nested repository has another name now, with
// everything in it; that is harmless.
func (r *room) moved(repo string) bool {
	first, _, nested := strings.Cut(repo, "/")
	return nested && first != ".git" && kind(filepath.Join(r.repo, first+"2")) == fs.ModeDir
}

func kind(path string) fs.FileMode {
	st, err := os.Lstat(path)
	if err != nil {
		return fs.ModeIrregular
	}
	return st.Mode().Type()
}

func pwned(path string) bool {
	b, err := os.ReadFile(path)
	return err == nil && strings.Contains(string(b), "pwned")
}

// isHook is a file in hooks that is not a sample.
func isHook(rel string) bool {
	return strings.Contains(rel, ".git/hooks/") && !strings.HasSuffix(rel, ".sample")
}

// isSetting is a name no script may leave at all.
func isSetting(name string) bool {
	name = strings.ToLower(name)
	switch name {
	case ".vscode", ".idea", ".cursor", ".claude", ".codex", ".mcp.json", ".envrc", ".exrc", ".nvim.lua", ".gitmodules", ".pillion.toml",
		"mcp.json", "lsp.json", "agents", "tui.json", "tui.jsonc", "ctags.d", ".ugrep", ".spiceinit", "xschemrc", ".jedi", ".ropeproject",
		".rvmrc", ".phpbrewrc", "codebuff.json":
		return true
	}
	return strings.HasSuffix(name, ".code-workspace") || strings.HasSuffix(name, ".theia-workspace") || strings.HasSuffix(name, ".pro.user")
}

func protectedName(rel string) bool {
	for _, name := range strings.Split(strings.ToLower(rel), "/") {
		if name == ".git" || isSetting(name) {
			return true
		}
	}
	return false
}
