package sandbox

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/protect"
	"github.com/pillion-sidecar/pillion/test/long"
)

// repositories lays out what the host has: a repository, one five levels deep,
// a worktree and editor settings.
func (b *bench) repositories() {
	b.t.Helper()
	b.host(`git init -q -b main . && echo one > f && git add f && git -c user.email=a@b -c user.name=a commit -qm one
mkdir -p a/b/c/d && git init -q a/b/c/d
git worktree add -q wt && mkdir .git/modules
mkdir .idea && echo x > .idea/workspace.xml && echo x > .envrc && echo x > Makefile
printf '.idea\n.envrc\nMakefile\na\nwt\n' >> .git/info/exclude`)
}

// host runs a script outside of the sandbox, in the workspace.
func (b *bench) host(script string) string {
	b.t.Helper()
	cmd := exec.Command("/bin/sh", "-ec", script)
	cmd.Dir = b.ws
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return string(out)
}

// protectedFiles is everything of the workspace a command must not change,
// contents included.
func (b *bench) protectedFiles() string {
	b.t.Helper()
	var s strings.Builder
	err := filepath.WalkDir(b.ws, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(b.ws, path)
		if err != nil || protect.Locate(rel).Free() || protect.Locate(rel).Data() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		s.WriteString(rel + " " + info.Mode().String())
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			s.WriteString(" " + info.ModTime().String() + " " + string(text))
		}
		s.WriteString("\n")
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return s.String()
}

// Each row is an attack on a protected path of the workspace. It must fail, and
// change nothing protected.
var protectedAttacks = map[string]string{
	"write a hook":              "echo x > .git/hooks/pre-commit",
	"write an old sample":       "echo x > .git/hooks/pre-commit.sample",
	"append to config":          "echo x >> .git/config",
	"truncate config":           "truncate -s 0 .git/config",
	"chmod a hook":              "chmod 700 .git/hooks/pre-commit.sample",
	"touch config":              "touch .git/config",
	"new commondir":             "echo x > .git/commondir",
	"new config.worktree":       "echo x > .git/config.worktree",
	"info attributes":           "echo x > .git/info/attributes",
	"legacy remote":             "mkdir -p .git/remotes && echo x > .git/remotes/origin",
	"remove config":             "rm -f .git/config",
	"remove hooks":              "rm -rf .git/hooks",
	"move .git aside":           "mv .git .g2",
	"remove .git":               "rm -rf .git/hooks .git/config && rmdir .git",
	"move a lock onto config":   "echo x > .git/x && mv .git/x .git/config",
	"link onto a hook":          "echo x > h && ln h .git/hooks/pre-commit",
	"symlink as a hook":         "ln -s ../../f .git/hooks/pre-commit",
	"directory as hooks":        "mkdir h2 && echo x > h2/pre-commit && mv -T h2 .git/hooks",
	"alias of config":           "ln .git/config alias",
	"config moved out":          "mv .git/config out",
	"through a symlink":         "ln -s .git/hooks l && echo x > l/pre-commit",
	"through a symlinked file":  "ln -s .git/config lf && echo x > lf",
	"dangling symlink":          "ln -s .git/hooks/new ld && echo x > ld",
	"link chain":                "ln -s .git l1 && ln -s l1/hooks l2 && echo x > l2/new",
	"up and down":               "mkdir u && echo x > u/../.git/hooks/new",
	"absolute":                  "echo x > $PWD/.git/hooks/new",
	"from inside":               "cd .git/hooks && echo x > new",
	"by /proc/self/cwd":         "echo x > /proc/self/cwd/.git/hooks/new",
	"by an open directory":      "exec 3< .git/hooks && echo x > /proc/self/fd/3/new",
	"by an open file":           "exec 3< .git/config && echo x >> /proc/self/fd/3",
	"by /dev/fd":                "exec 3< .git/config && echo x >> /dev/fd/3",
	"by /dev/stdin":             "echo x < .git/config >> /dev/stdin",
	"chmod by an open file":     "exec 3< .git/config && chmod 777 /proc/self/fd/3",
	"absent .vscode":            "mkdir -p .vscode && echo x > .vscode/tasks.json",
	"absent .claude":            "mkdir -p .claude && echo x > .claude/settings.json",
	"absent .codex":             "mkdir .codex",
	"absent .cursor":            "mkdir .cursor",
	"absent .mcp.json":          "echo x > .mcp.json",
	"absent .github/mcp.json":   "mkdir -p .github && echo x > .github/mcp.json",
	"absent .github/lsp.json":   "mkdir -p g && echo x > g/lsp.json && mv g .github",
	"absent .github/agents":     "mkdir -p .github && mkdir a2 && echo x > a2/x.agent.md && mv a2 .github/agents",
	"absent tui.json":           "echo x > tui.json",
	"absent ctags.d":            "mkdir c && echo x > c/x.ctags && mv c ctags.d",
	"absent .ugrep":             "echo x > .ugrep",
	"absent xschemrc":           "echo x > f2 && ln f2 a/xschemrc",
	"absent my.kdev4":           "echo x > my.kdev4",
	"absent .jedi":              "mkdir j && echo x > j/project.json && mv j .jedi",
	"absent .ropeproject":       "mkdir -p .ropeproject && echo x > .ropeproject/config.py",
	"absent .rvmrc":             "echo x > a/.rvmrc",
	"absent .phpbrewrc":         "echo x > .phpbrewrc",
	"absent codebuff.json":      "echo x > codebuff.json",
	"absent my.theia-workspace": "echo x > my.theia-workspace",
	"absent .exrc":              "echo x > .exrc",
	"absent .nvim.lua":          "echo x > .nvim.lua",
	"absent .gitmodules":        "echo x > g && mv g .gitmodules",
	"absent .pillion.toml":      "echo x > .pillion.toml",
	"absent workspace file":     "echo x > my.code-workspace",
	"present .envrc":            "echo y > .envrc",
	"present .idea":             "echo y > .idea/workspace.xml",
	"new file in .idea":         "echo y > .idea/new",
	"remove .idea":              "rm -rf .idea",
	"move .idea":                "mv .idea idea",
	"moved to .vscode":          "mkdir v && echo x > v/tasks.json && mv v .vscode",
	"linked as .vscode":         "mkdir v && ln -s v .vscode",
	"fifo as .envrc":            "rm -f .envrc; mkfifo .envrc",
	"case .VSCODE":              "mkdir .VSCODE",
	"case .Git hooks":           "mkdir -p .GIT/Hooks && echo x > .GIT/Hooks/pre-commit",
	"short name":                "mkdir -p GIT~1/hooks && echo x > GIT~1/hooks/pre-commit",
	"nested, depth 5":           "echo x > a/b/c/d/.git/hooks/pre-commit",
	"nested config":             "echo x >> a/b/c/d/.git/config",
	"renamed ancestor":          "mv a z && { echo x > z/b/c/d/.git/hooks/pre-commit; mv z a; test -e a/b/c/d/.git/hooks/pre-commit; }",
	"renamed twice":             "mv a z && mkdir -p a && mv z a/z && { echo x >> a/z/b/c/d/.git/config; r=$?; mv a/z z && rmdir a && mv z a; exit $r; }",
	"ancestor recreated":        "mv a z && mkdir -p a/b/c/d && { mv z/b/c/d/.git a/b/c/d/.git; r=$?; rm -r a; mv z a; exit $r; }",
	"worktree pointer":          "printf 'gitdir: /tmp/e\\n' > wt/.git",
	"worktree pointer removed":  "rm wt/.git",
	"worktree pointer replaced": "echo x > wt/p && mv wt/p wt/.git",
	"worktree commondir":        "echo /tmp/e > .git/worktrees/wt/commondir",
	"worktree gitdir":           "echo /tmp/e > .git/worktrees/wt/gitdir",
	"worktree config":           "echo x > .git/worktrees/wt/config.worktree",
	"worktrees moved":           "mv .git/worktrees .git/w2",
	"a ready-made module":       "mkdir -p m/hooks && echo x > m/hooks/pre-commit && mv m .git/modules/m",
	"file named .git, as dir":   "mkdir n3 && ln -s ../wt/.git n3/.git",
	"repository by symlink":     "mkdir n4 e && ln -s ../e n4/.git",
	"repository by rename":      "mkdir -p n5 e5/hooks && mv e5 n5/.git",
	"hook of a young one":       "git init -q n6 && echo x > n6/.git/hooks/pre-commit",
	"sample of a young renamed": "git init -q n7 && mv n7/.git/hooks/pre-commit.sample n7/.git/hooks/pre-commit",
	"hooks of a young replaced": "git init -q n8 && rm -r n8/.git/hooks && mkdir h8 && echo x > h8/pre-commit && mv h8 n8/.git/hooks",
	"hooks of a young linked":   "git init -q n9 && rm -r n9/.git/hooks && ln -s /tmp n9/.git/hooks",
	"prepared in .git":          "mkdir -p .git/p/.vscode && echo x > .git/p/.vscode/tasks.json && mv .git/p n2",
	"a folder out of .git":      "mkdir -p .git/refs/p && echo x > .git/refs/p/x.code-workspace && mv .git/refs/p n2",
	"linked in .git":            "mkdir -p .git/p/.claude && ln -s .git/p n2",
	"young moved onto the old":  "git init -q n10 && mv n10/.git/config .git/config",
}

func TestProtectedPathsAreReadOnly(t *testing.T) {
	t.Parallel()
	long.Test(t)
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		b.repositories()
		old := b.protectedFiles()
		b.host("cp -a . ../made")
		for name, script := range protectedAttacks {
			if o := b.sh(script); o.status.Code == 0 {
				t.Errorf("%s: %q succeeded: %s", name, script, o.out)
			}
			for i := range 11 { // what the attack made itself is not a change of the old
				_ = os.RemoveAll(filepath.Join(b.ws, "n"+string(rune('0'+i))))
			}
			_ = os.RemoveAll(filepath.Join(b.ws, "n10"))
			if now := b.protectedFiles(); now != old {
				t.Errorf("%s: %q changed %s", name, script, hostChange(old, now))
			}
			b.host("find . -mindepth 1 -delete && cp -a ../made/. .")
		}
	})
}
