package protect

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var everyChange = map[Change]string{
	Write: "write", Create: "create", Mkdir: "mkdir", Symlink: "symlink", Node: "node", Socket: "socket", Hardlink: "hardlink", Unlink: "unlink",
	Rmdir: "rmdir", RenameFrom: "from", RenameTo: "to", RenameDirFrom: "dirfrom", RenameDirTo: "dirto",
}

// changesOf is what a zone permits, in words.
func changesOf(z Zone, young bool) string {
	if z.Free() {
		return "all"
	}
	var out []string
	for c := Change(1); c < Anything; c <<= 1 {
		if z.Permits(c, young) {
			out = append(out, everyChange[c])
		}
	}
	return strings.Join(out, " ")
}

func TestZones(t *testing.T) {
	const data = "write create mkdir hardlink unlink rmdir from to dirfrom dirto"
	const module = "write create mkdir hardlink unlink rmdir from to"
	for _, row := range []struct{ path, rule, always, young string }{
		{"", "", "all", "all"},
		{"a/b.txt", "", "all", "all"},
		{".gitignore", "FIFO .gitignore", "write create mkdir symlink hardlink unlink rmdir from to dirfrom dirto", "write create mkdir symlink hardlink unlink rmdir from to dirfrom dirto"},
		{".github/workflows/x.yml", "", "all", "all"},
		{"a.git/hooks/x", "", "all", "all"},
		{"x-world/y", "", "all", "all"},
		{"backup~1/a", "", "all", "all"},
		// sealed, with everything below, at any depth
		{".vscode", ".vscode", "", ""},
		{".vscode/tasks.json", ".vscode", "", ""},
		{"a/b/.idea/x/y", ".idea", "", ""},
		{".cursor/mcp.json", ".cursor", "", ""},
		{".claude/settings.json", ".claude", "", ""},
		{".codex/config.toml", ".codex", "", ""},
		{".mcp.json", ".mcp.json", "", ""},
		{".github/mcp.json", ".github/mcp.json", "", ""},
		{"a/.github/Agents/x.agent.md", ".github/agents", "", ""},
		{".github/actions/x/mcp.json", "", "all", "all"},
		{"tui.json", "tui.json", "", ""},
		{"tui.json5", "", "all", "all"},
		{"ctags.d/x.ctags", "ctags.d", "", ""},
		{"ctags.data", "", "all", "all"},
		{"a/My.PRO.User", "*.pro.user", "", ""},
		{"a.kdev4", "*.kdev4", "", ""},
		{"new.user", "", "all", "all"},
		{"bin/Activate-Hermit", "activate-hermit", "", ""},
		{".repo/repo/main.py", ".repo/repo", "", ""},
		{".repo/manifests/x", "", "all", "all"},
		{"rootlogon.c", "rootlogon.c", "", ""},
		{".envrc", ".envrc", "", ""},
		{".exrc", ".exrc", "", ""},
		{".nvim.lua", ".nvim.lua", "", ""},
		{"x.code-workspace", "*.code-workspace", "", ""},
		{"sub/.gitmodules", ".gitmodules", "", "unlink"},
		{".gitmodules.lock", ".gitmodules.lock", "create", "write create unlink from to"},
		{".pillion.toml", ".pillion.toml", "", ""},
		{"a/.jj/repo/config.toml", ".jj/repo/config.toml", "", ""},
		{"a/.jj/repo", "repo", "write mkdir unlink rmdir from dirfrom", "write mkdir unlink rmdir from dirfrom"},
		{"a/.jj", ".jj", "write create mkdir node socket hardlink unlink rmdir from to dirfrom", "write create mkdir node socket hardlink unlink rmdir from to dirfrom"},
		{"a/repo", "", "all", "all"},
		{".vim/coc-settings.json", ".vim/coc-settings.json", "", ""},
		{"$irbrc", "$irbrc", "", ""},
		{"IRB.rc", "irb.rc", "", ""},
		// one name, many spellings
		{".VSCODE/tasks.json", ".vscode", "", ""},
		{".Git/Hooks/pre-commit", ".git/hooks", "", "unlink rmdir"},
		{".v\u017fcode", ".vscode", "", ""},
		{".git/con\ufb01g", ".git/config", "", "unlink rmdir"},
		{".c\u200claude/x", ".claude", "", ""},
		{".git./hooks/x", ".git/hooks", "", "unlink rmdir"},
		{".git /hooks/x", ".git/hooks", "", "unlink rmdir"},
		{".git::$INDEX_ALLOCATION/hooks/x", ".git/hooks", "", "unlink rmdir"},
		{"GIT~1/hooks/x", ".git/hooks", "", "unlink rmdir"},
		{"VSCODE~1/x", ".vscode", "", ""},
		{"X.Code-Workspace", "*.code-workspace", "", ""},
		// git
		{".git", ".git", "mkdir", "write mkdir unlink rmdir"},
		{".GIT", ".git", "", ""},
		{"GIT~1", ".git", "", ""},
		{"a/b/c/d/.git", ".git", "mkdir", "write mkdir unlink rmdir"},
		{".git/HEAD", ".git", data, data},
		{".git/objects/ab/cd", ".git", data, data},
		{".git/refs/heads/config", ".git", data, data},
		{".git/refs/heads/x.code-workspace", ".git", data, data},
		{".git/rebase-merge/done", ".git", data, data},
		{".git/logs/refs/heads/x.code-workspace", ".git", data, data},
		// nothing is prepared in there that is protected elsewhere
		{".git/x.code-workspace", ".git/x.code-workspace", "write unlink rmdir", "write unlink rmdir"},
		{".git/x/.vscode/tasks.json", ".vscode", "", ""},
		{".git/refs/.mcp.json", ".mcp.json", "", ""},
		{".git/worktrees/w/x/.claude", ".claude", "", ""},
		{".git/modules/m/refs/heads/.claude", ".claude", "", ""},
		{".git/worktrees/.claude/HEAD", ".git", data, data},
		{".git/modules/.claude/x/refs/heads/main", ".git/modules", module, module},
		{".git/modules/m/worktrees/.claude/HEAD", ".claude", "", ""},
		{".git/modules/m/objects/pack/.claude", ".claude", "", ""},
		{".git/config.lock", ".git/config.lock", "create", "write create unlink from to"},
		{".git/index.lock", ".git", data, data},
		{".git/config.pillion", ".git/config", "", "unlink rmdir"},
		{".git/config.PILLION", ".git/config", "", "unlink rmdir"},
		{"w/.git.pillion", ".git", "", ""},
		{"x.pillion", "", "all", "all"},
		{".git/config", ".git/config", "", "unlink rmdir"},
		{".git/config.worktree", ".git/config.worktree", "", "unlink rmdir"},
		{".git/commondir", ".git/commondir", "", "unlink rmdir"},
		{".git/info", ".git/info", "", "write mkdir unlink rmdir"},
		{".git/info/attributes", ".git/info", "", "unlink rmdir"},
		{".git/info/refs", ".git", data, data},
		{".git/remotes/origin", ".git/remotes", "", "unlink rmdir"},
		{".git/hooks", ".git/hooks", "", "write mkdir unlink rmdir"},
		{".git/hooks/pre-commit", ".git/hooks", "", "unlink rmdir"},
		{".git/hooks/pre-commit.sample", ".git/hooks", "create", "write create unlink"},
		{".git/x/.git/hooks/y", ".git/hooks", "", "unlink rmdir"},
		{".git/worktrees", ".git/worktrees", "write mkdir rmdir", "write mkdir rmdir"},
		{".git/worktrees/w", ".git/worktrees", "mkdir", "write mkdir rmdir"},
		{".git/worktrees/w/HEAD", ".git", data, data},
		{".git/worktrees/w/gitdir", ".git/worktrees", "", "unlink"},
		{".git/worktrees/w/commondir", ".git/commondir", "", "unlink"},
		{".git/worktrees/w/config.worktree", ".git/config.worktree", "", "unlink rmdir"},
		{".git/worktrees/w/hooks/x", ".git/hooks", "", "unlink rmdir"},
		{".git/modules", ".git/modules", "write mkdir rmdir", "write mkdir rmdir"},
		{".git/modules/m", ".git/modules", module, module},
		{".git/modules/config/HEAD", ".git/modules", module, module},
		{".git/modules/a/b/hooks/x", ".git/hooks", "", "unlink rmdir"},
		{".git/modules/a/b/config", ".git/config", "", "unlink rmdir"},
		{".git/modules/a/refs/heads/config", ".git/config", "", "unlink rmdir"},
		{".git/modules/a/objects/info/packs", ".git/info", "", "unlink rmdir"},
		{".git/modules/a/logs/refs/heads/hooks", ".git/hooks", "", "write mkdir unlink rmdir"},
		{".git/modules/a/objects/pack/hooks/x", ".git/hooks", "", "unlink rmdir"},
		{".git/modules/a/objects/info/config", ".git/info", "", "unlink rmdir"},
		{".git/modules/a/objects/ab", ".git/modules", module, module},
		{".git/modules/a/refs/heads", ".git/modules", module, module},
		{".git/modules/a/worktrees/w/x/config", ".git", module, module},
		{".git/modules/a/objects/hooks/x", ".git/hooks", "", "unlink rmdir"},
		{".git/modules/a/modules/b/config", ".git/config", "", "unlink rmdir"},
		{".git/modules/a/worktrees/w/gitdir", ".git/worktrees", "", "unlink"},
	} {
		z := Locate(row.path)
		if z.Rule != row.rule {
			t.Errorf("%q: rule %q, want %q", row.path, z.Rule, row.rule)
		}
		always, young := sorted(row.always), sorted(row.young)
		if got := changesOf(z, false); got != always {
			t.Errorf("%q: permits %q, want %q", row.path, got, always)
		}
		if got := changesOf(z, true); got != young {
			t.Errorf("%q, young: permits %q, want %q", row.path, got, young)
		}
	}
}

// sorted brings the words into the order of the bits.
func sorted(words string) string {
	var z Zone
	if words == "all" {
		return words
	}
	for c, name := range everyChange {
		for _, w := range strings.Fields(words) {
			if w == name {
				z.Always |= c
			}
		}
	}
	return changesOf(z, false)
}

// A path's zone depends on its own names only: whatever it is moved below, what
// was protected stays so.
func TestADirectoryInFrontChangesNothing(t *testing.T) {
	names := rapid.SampledFrom([]string{"a", ".git", ".vscode", "hooks", "config", "modules", "worktrees", "info", "x.code-workspace", "objects"})
	rapid.Check(t, func(t *rapid.T) {
		path := strings.Join(rapid.SliceOfN(names, 1, 6).Draw(t, "path"), "/")
		front := rapid.SampledFrom([]string{"x", "x/y", "packages/z-web"}).Draw(t, "front")
		if a, b := Locate(path), Locate(front+"/"+path); a != b {
			t.Fatalf("%q is %+v, below %q %+v", path, a, front, b)
		}
	})
}

// The distance to .git is what the search for a young repository climbs.
func TestClimbLeadsToGit(t *testing.T) {
	for path, want := range map[string]int{
		".git": -1, "a/.git": -1, ".git/config": 0, "a/.git/hooks/x": 1, ".git/worktrees/w/gitdir": 2, ".git/modules/a/b/config": 3,
	} {
		if got := Locate(path).Climb; got != want {
			t.Errorf("%q: %d, want %d", path, got, want)
		}
	}
}
