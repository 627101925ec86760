package sandbox

// What the user's next `git commit`, or the editor, would run. The workspace is a
// git repository with repositories nested in it and a work tree of its own; every
// script writes the word that protectedIntact looks for.
var protectedChecks = inRepository([]check{
	{n: 16, name: "hooks and configuration of the repository", want: denied, bites: true, scripts: []string{
		"echo pwned > .git/hooks/pre-commit", "echo '# pwned' >> .git/config", "echo pwned > .git/commondir",
		"echo pwned > .git/info/attributes", "git config core.hooksPath pwned", "echo pwned > .gitmodules",
		"chmod +x .git/hooks/applypatch-msg.sample && mv .git/hooks/applypatch-msg.sample .git/hooks/applypatch-msg",
	}},
	{n: 17, name: "moving .git aside", want: denied, bites: true, scripts: []string{
		"mv .git .g2 && mkdir -p .git/hooks && echo pwned > .git/hooks/pre-commit",
		"mv .git/hooks .git/h2 && mkdir .git/hooks && echo pwned > .git/hooks/pre-commit",
	}},
	{n: 18, name: "replacing .git by a link", want: denied, bites: true, scripts: []string{
		"rm -rf .git; ln -sT sub .git", "mv .git .g2; ln -sT sub .git", "rm -f wt/.git && ln -sT ../sub wt/.git",
	}},
	{n: 19, name: "editor settings that were absent", want: denied, bites: true, scripts: []string{
		"mkdir -p .vscode && echo pwned > .vscode/tasks.json",
		"mkdir v && echo pwned > v/tasks.json && mv v .vscode",
		"ln -s sub .vscode", "mkdir -p a/b/.idea && echo pwned > a/b/.idea/workspace.xml",
		"echo pwned > evil.code-workspace",
	}},
	{n: 20, name: "agent settings that were absent", want: denied, bites: true, scripts: []string{
		"mkdir -p .claude && echo pwned > .claude/settings.json",
	}},
	{n: 21, name: "other agents' settings that were absent", want: denied, bites: true, scripts: []string{
		"mkdir -p .codex && echo pwned > .codex/config.toml", "mkdir -p .cursor && echo pwned > .cursor/mcp.json",
		"mkdir -p .idea && echo pwned > .idea/x.xml", "echo pwned > .mcp.json", "echo pwned > .envrc",
		"mkdir -p .github && echo pwned > .github/mcp.json", "mkdir -p .github && echo pwned > .github/lsp.json",
		"mkdir -p .github/a && echo pwned > .github/a/x.agent.md && mv .github/a .github/agents", "echo pwned > tui.json", "echo pwned > tui.jsonc",
		"mkdir ctags.d && echo pwned > ctags.d/x.ctags", "mkdir c && echo pwned > c/x.ctags && mv c ctags.d",
		"echo pwned > .ugrep", "echo pwned > .spiceinit", "echo pwned > xschemrc", "echo pwned > x && mv x a/my.pro.user",
		"mkdir .jedi && echo pwned > .jedi/project.json", "mkdir .ropeproject && echo pwned > .ropeproject/config.py", "echo pwned > .rvmrc",
		"echo pwned > .exrc", "echo pwned > .nvim.lua", "echo pwned > .pillion.toml",
	}},
	{n: 22, name: "nested repositories at any depth", want: denied, bites: true, scripts: []string{
		"echo pwned > sub/.git/hooks/pre-commit", "echo pwned > a/b/c/d/.git/hooks/pre-commit",
		"cd a/b/c/d && echo pwned > .git/hooks/pre-commit", "echo '# pwned' >> a/b/c/d/.git/config",
	}},
	{n: 23, name: "nested repository behind a renamed ancestor", want: denied, bites: true, scripts: []string{
		"mv sub sub2 && mkdir -p sub/.git/hooks && echo pwned > sub/.git/hooks/pre-commit",
		"mv a a2 && echo pwned > a2/b/c/d/.git/hooks/pre-commit && mv a2 a",
	}},
	{n: 24, name: "repository born inside the run", want: denied, bites: true, scripts: []string{
		"mkdir n && git init -q n && echo pwned > n/.git/hooks/pre-commit",
	}},
	{n: 25, name: "pointer and directory of a work tree", want: denied, bites: true, scripts: []string{
		`printf 'gitdir: /tmp/pwned\n' > wt/.git`, "echo pwned > .git/worktrees/wt/gitdir",
		"echo pwned > .git/worktrees/wt/commondir", "mkdir -p .git/worktrees/wt/hooks && echo pwned > .git/worktrees/wt/hooks/pre-commit",
		"echo pwned > .git/worktrees/wt/config.worktree",
	}},
	{n: 26, name: "names in other letter case", want: denied, bites: true, scripts: []string{
		"mkdir -p .VSCODE && echo pwned > .VSCODE/tasks.json", "mkdir -p .Git/hooks && echo pwned > .Git/hooks/pre-commit",
		"echo pwned > .MCP.json",
	}},
	{
		n: 60, name: "work tree clean after a command", want: mustWork, scripts: []string{"true", "ls > /dev/null; git log > /dev/null"},
		really: func(r *room, _ outcome) bool { return gitOut(r.t, r.repo, "status", "--porcelain", "-uall") == "" },
	},
})

func inRepository(cs []check) []check {
	for i := range cs {
		cs[i].repository = true
	}
	return cs
}
