package sandbox

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var everyChange = map[change]string{
	changeWrite: "write", changeCreate: "create", changeMkdir: "mkdir", changeSpecial: "special", changeUnlink: "unlink",
	changeRmdir: "rmdir", changeFrom: "from", changeTo: "to", changeDirFrom: "dirfrom", changeDirTo: "dirto",
}

// changesOf is what a zone permits, in words.
func changesOf(z zone, young bool) string {
	if z.free() {
		return "all"
	}
	var out []string
	for c := change(1); c < changeAnything; c <<= 1 {
		if z.permits(c, young) {
			out = append(out, everyChange[c])
		}
	}
	return strings.Join(out, " ")
}

func TestZones(t *testing.T) {
	const gitFile = "write create unlink"
	const state = "write create mkdir special unlink rmdir from to"
	for _, row := range []struct{ path, rule, always, young string }{
		{"", "", "all", "all"},
		{"a/b.txt", "", "all", "all"},
		{".gitignore", "", "all", "all"},
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
		{".envrc", ".envrc", "", ""},
		{".exrc", ".exrc", "", ""},
		{".nvim.lua", ".nvim.lua", "", ""},
		{"x.code-workspace", "*.code-workspace", "", ""},
		{"sub/.gitmodules", ".gitmodules", "", ""},
		{".gitmodules.lock", ".gitmodules.lock", "", ""},
		{".pillion.toml", ".pillion.toml", "", ""},
		// one name, many spellings
		{".VSCODE/tasks.json", ".vscode", "", ""},
		{".Git/Hooks/pre-commit", ".git/hooks", "", "unlink rmdir"},
		{".v\u017fcode", ".vscode", "", ""},
		{".git/con\ufb01g", ".git/config", "", "write create mkdir unlink rmdir to"},
		{".c\u200claude/x", ".claude", "", ""},
		{".git./hooks/x", ".git/hooks", "", "unlink rmdir"},
		{".git /hooks/x", ".git/hooks", "", "unlink rmdir"},
		{".git::$INDEX_ALLOCATION/hooks/x", ".git/hooks", "", "unlink rmdir"},
		{"GIT~1/hooks/x", ".git/hooks", "", "unlink rmdir"},
		{"VSCODE~1/x", ".vscode", "", ""},
		{"X.Code-Workspace", "*.code-workspace", "", ""},
		// git
		{".git", ".git", "create mkdir", "write create mkdir unlink rmdir"},
		{".GIT", ".git", "", ""},
		{"GIT~1", ".git", "", ""},
		{"a/b/c/d/.git", ".git", "create mkdir", "write create mkdir unlink rmdir"},
		{".git/HEAD", "", "all", "all"},
		{".git/objects/ab/cd", "", "all", "all"},
		{".git/refs/heads/config", "", "all", "all"},
		{".git/refs/heads/x.code-workspace", "", "all", "all"},
		{".git/rebase-merge/done", "", "all", "all"},
		{".git/logs/refs/heads/x.code-workspace", "", "all", "all"},
		// nothing is prepared in there that is protected elsewhere
		{".git/x.code-workspace", "*.code-workspace", "", ""},
		{".git/x/.vscode/tasks.json", ".vscode", "", ""},
		{".git/refs/.mcp.json", ".mcp.json", "", ""},
		{".git/worktrees/w/x/.claude", ".claude", "", ""},
		{".git/modules/m/refs/heads/.claude", ".claude", "", ""},
		{".git/worktrees/.claude/HEAD", "", "all", "all"},
		{".git/modules/.claude/x/refs/heads/main", ".git/modules", state, state},
		{".git/modules/m/worktrees/.claude/HEAD", ".git/modules", state, state},
		{".git/modules/m/objects/pack/.claude", ".claude", "", ""},
		{".git/config.lock", ".git/config.lock", "create", "write create unlink from to"},
		{".git/index.lock", "", "all", "all"},
		{".git/config.pillion", ".git/config", "", "write create mkdir unlink rmdir to"},
		{".git/config.PILLION", ".git/config", "", "write create mkdir unlink rmdir to"},
		{"w/.git.pillion", ".git", "", ""},
		{"x.pillion", "", "all", "all"},
		{".git/config", ".git/config", "", "write create mkdir unlink rmdir to"},
		{".git/config.worktree", ".git/config.worktree", "", "write create mkdir unlink rmdir to"},
		{".git/commondir", ".git/commondir", "", "write create mkdir unlink rmdir to"},
		{".git/info", ".git/info", "", "write create mkdir unlink rmdir to"},
		{".git/info/attributes", ".git/info", "", "write create mkdir unlink rmdir to"},
		{".git/info/refs", "", "all", "all"},
		{".git/remotes/origin", ".git/remotes", "", "write create mkdir unlink rmdir to"},
		{".git/hooks", ".git/hooks", "", "write mkdir rmdir"},
		{".git/hooks/pre-commit", ".git/hooks", "", "unlink rmdir"},
		{".git/hooks/pre-commit.sample", ".git/hooks", "", gitFile},
		{".git/x/.git/hooks/y", ".git/hooks", "", "unlink rmdir"},
		{".git/worktrees", ".git/worktrees", "mkdir rmdir", "write mkdir rmdir"},
		{".git/worktrees/w", ".git/worktrees", "mkdir", "write mkdir rmdir"},
		{".git/worktrees/w/HEAD", "", "all", "all"},
		{".git/worktrees/w/gitdir", ".git/worktrees", "", gitFile + " to"},
		{".git/worktrees/w/commondir", ".git/commondir", "", "write create mkdir unlink rmdir to"},
		{".git/worktrees/w/config.worktree", ".git/config.worktree", "", "write create mkdir unlink rmdir to"},
		{".git/worktrees/w/hooks/x", ".git/hooks", "", "unlink rmdir"},
		{".git/modules", ".git/modules", "mkdir rmdir", "write mkdir rmdir"},
		{".git/modules/m", ".git/modules", "write create mkdir unlink rmdir from to", "write create mkdir special unlink rmdir from to"},
		{".git/modules/config/HEAD", ".git/modules", "write create mkdir unlink rmdir from to", "write create mkdir special unlink rmdir from to"},
		{".git/modules/a/b/hooks/x", ".git/hooks", "", "unlink rmdir"},
		{".git/modules/a/b/config", ".git/config", "", "write create mkdir unlink rmdir to"},
		{".git/modules/a/refs/heads/config", ".git/modules", state, state},
		{".git/modules/a/objects/info/packs", ".git/modules", state, state},
		{".git/modules/a/logs/refs/heads/hooks", ".git/modules", state, state},
		{".git/modules/a/objects/pack/hooks/x", ".git/hooks", "", "unlink rmdir"},
		{".git/modules/a/objects/info/config", ".git/config", "", "write create mkdir unlink rmdir to"},
		{".git/modules/a/objects/ab", ".git/modules", state, state},
		{".git/modules/a/refs/heads", ".git/modules", state, state},
		{".git/modules/a/worktrees/w/x/config", ".git/config", "", "write create mkdir unlink rmdir to"},
		{".git/modules/a/objects/hooks/x", ".git/hooks", "", "unlink rmdir"},
		{".git/modules/a/modules/b/config", ".git/config", "", "write create mkdir unlink rmdir to"},
		{".git/modules/a/worktrees/w/gitdir", ".git/worktrees", "", gitFile + " to"},
	} {
		z := locate(row.path)
		if z.rule != row.rule {
			t.Errorf("%q: rule %q, want %q", row.path, z.rule, row.rule)
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
	var z zone
	if words == "all" {
		return words
	}
	for c, name := range everyChange {
		for _, w := range strings.Fields(words) {
			if w == name {
				z.always |= c
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
		if a, b := locate(path), locate(front+"/"+path); a != b {
			t.Fatalf("%q is %+v, below %q %+v", path, a, front, b)
		}
	})
}

// The distance to .git is what the search for a young repository climbs.
func TestClimbLeadsToGit(t *testing.T) {
	for path, want := range map[string]int{
		".git": -1, "a/.git": -1, ".git/config": 0, "a/.git/hooks/x": 1, ".git/worktrees/w/gitdir": 2, ".git/modules/a/b/config": 3,
	} {
		if got := locate(path).climb; got != want {
			t.Errorf("%q: %d, want %d", path, got, want)
		}
	}
}
