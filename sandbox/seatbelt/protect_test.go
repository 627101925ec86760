package seatbelt

import (
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/protect"
)

// protectedProfile is that of one workspace.
func protectedProfile(t *testing.T, root string) *sbProfile {
	t.Helper()
	s := macSandbox(policy.Policy{Mode: policy.WorkspaceWrite, Network: policy.NetworkDeny, Reads: policy.ReadsPrivate, Writable: []string{root}})
	text, params := s.Text()
	return newProfile(t, text, params)
}

var protectedOnMac = strings.Fields(`
	.git .git/hooks .git/hooks/pre-commit .git/hooks/pre-commit.sample .git/config .git/config.worktree .git/commondir .git/info .git/info/attributes .git/info/exclude
	.git/branches/x .git/remotes/origin .git/worktrees .git/worktrees/wt .git/worktrees/wt/gitdir .git/worktrees/wt/commondir .git/worktrees/wt/config.worktree
	.git/worktrees/wt/hooks/x .git/modules .git/modules/m .git/modules/m/hooks/post-checkout .git/modules/a/b/config
	a/.git a/b/c/d/.git/hooks/pre-commit node_modules/x/.git/config wt/.git .GIT .Git/Hooks/pre-commit .git/CONFIG GIT~1 GIT~1/hooks/x git~12/config
	.git./hooks/x .git::$INDEX_ALLOCATION/hooks/x .git/config.lock .git/worktrees/wt/config.worktree.lock .git/config.pillion .git.pillion .envrc.pillion
	.vscode .vscode/tasks.json .VSCODE/x a/b/.idea/workspace.xml .cursor .claude/settings.json .codex/x .mcp.json .envrc .exrc .nvim.lua .gitmodules .gitmodules.lock .pillion.toml
	.github/mcp.json .github/lsp.json a/.github/agents/x.agent.md tui.json tui.jsonc
	ctags.d ctags.d/x.ctags .ugrep .spiceinit a/xschemrc my.Pro.User b/x.kdev4 bin/activate-hermit .repo/repo/main.py _MTN/monotonerc
	my.code-workspace a/My.Code-Workspace x.code-workspace/y .code-workspace VSCODE~1/tasks.json
`)

var openOnMac = strings.Fields(`
	a .gitignore .gitattributes .github/workflows/x .github/dependabot.yml lsp.json new.user ctags.data git .git/HEAD .git/index .git/index.lock .git/objects/ab/cd .git/objects/info/commit-graph .git/refs/heads/config
	.git/refs/heads/hooks/x .git/logs/HEAD .git/COMMIT_EDITMSG .git/info/refs .git/info/refs.lock .git/worktrees/wt/HEAD .git/worktrees/wt/index.lock
	.git/worktrees/wt/logs/HEAD .git/rebase-merge/x .gitx/hooks/x xgit/hooks/x x.git/hooks/pre-commit hooks/pre-commit config .vscodex .envrc.example a.vscode/x mcp.json
	code-workspace a-workspace .idea2 conf/.git_keep git~/x über/größe.txt café/.env Ünï.txt
`)

// The spellings that some file system takes for a protected name: ignorable
// characters, the long s, the Kelvin sign, a ligature.
var spelledOnMac = []string{
	".g\u200cit/hooks/x", ".git\u200d/config", ".git/hook\u017f/x", ".git/hoo\u212as/x", ".git/con\ufb01g", ".v\u017fcode/x", ".code\ufeffx/../.\ufeffcodex/x",
	".mcp.j\u017fon", "x.code-wor\u212aspace", "\u200e.git", "a\nb/.git/hooks/x", "GIT~0 ", "g\u200dit~1\u200d2/config", "GIT~1. /hooks/x", ".git.\u200d. /config", ".git/hoo\u212a\u017f/x", ".git/hook\u200d\u017f\u200d/x", ".git/wor\u212atree\u017f/wt/gitdir", ".git/con\u200d\ufb01\u200dg",
}

func TestProtectedNamesAreDeniedAtAnyDepth(t *testing.T) {
	operations := []string{"file-write-data", "file-write-create", "file-write-unlink", "file-write-mode", "file-write-times", "file-write-xattr", "file-write-flags"}
	for _, root := range []string{"/Users/you/ws", "/", "/w", "/Users/you/.claude/worktrees/ws", "/Users/you/.git/hooks/ws"} {
		p := protectedProfile(t, root)
		for _, deep := range []string{"", "sub/", "a/b/c/d/e/"} {
			want := func(allowed bool, names ...string) {
				for _, rel := range names {
					path := strings.TrimRight(root, "/") + "/" + deep + rel
					for _, operation := range operations {
						if p.allows(operation, path) != allowed {
							t.Errorf("%s: %s %q: not %t", root, operation, path, allowed)
						}
					}
				}
			}
			want(false, protectedOnMac...)
			want(false, spelledOnMac...)
			want(true, openOnMac...)
		}
	}
}

// What Linux protects is protected here, too: whatever name is made up.
func FuzzProfileProtectsWhatTheBrokerDoes(f *testing.F) {
	for _, list := range [][]string{protectedOnMac, openOnMac, spelledOnMac} {
		for _, rel := range list {
			f.Add(rel)
		}
	}
	text, params := macSandbox(policy.Policy{Mode: policy.WorkspaceWrite, Network: policy.NetworkDeny, Reads: policy.ReadsPrivate, Writable: []string{"/ws"}}).Text()
	var p *sbProfile
	f.Fuzz(func(t *testing.T, rel string) {
		if p == nil {
			p = newProfile(t, text, params)
		}
		if rel == "" || strings.ContainsRune(rel, 0) || strings.Contains("/"+rel+"/", "//") || strings.Contains("/"+rel+"/", "/./") || strings.Contains("/"+rel+"/", "/../") {
			return // no path the kernel would ask about
		}
		if z := protect.Locate(rel); !z.Permits(protect.Write, false) && z.Text < protect.TextState && p.allows("file-write-data", "/ws/"+rel) {
			t.Errorf("%q (%s) can be written", rel, z.Rule)
		}
	})
}
