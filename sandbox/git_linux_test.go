package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/test/long"
)

const asSomebody = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; set -e; "

// git's ordinary work in a repository the host made, one step after the other.
func TestGitWorksInAProtectedRepository(t *testing.T) {
	t.Parallel()
	long.Test(t)
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		b.repositories()
		old := b.protectedFiles()
		for _, script := range []string{
			"echo two > f && git commit -qam two && test $(git log --oneline | wc -l) = 2",
			"git branch side && git tag v1 && git tag -a -m v2 v2 && git branch -m side seite",
			"echo three > f && git stash -q && git stash list | grep -q stash && git stash pop -q && grep -q three f && git checkout -q f",
			"git checkout -q seite && echo g > g && git add g && git commit -qm g && git checkout -q main && echo h > h && git add h && git commit -qm h",
			"git rebase -q seite && test -f g && test -f h",
			"git merge -q --no-ff -m m seite || true; git cherry-pick --allow-empty v1 >/dev/null 2>&1 || git cherry-pick --skip",
			"git reset -q --hard && git reflog expire --all && git gc -q && git fsck && git repack -adq && git pack-refs --all",
			"git worktree add -q wt2 && cd wt2 && echo w > w && git add w && git commit -qm w && git status --porcelain | wc -l | grep -q 0",
			"cd wt && echo w > w1 && git add w1 && git commit -qm w1",
			"git clone -q . copy && cd copy && git log --oneline | wc -l && echo c > c && git add c && git commit -qm c && git push -q origin HEAD:refs/heads/pushed",
			"cd a/b/c/d && echo x > x && git add x && git commit -qm x",
			"git bisect start >/dev/null && git bisect reset >/dev/null && git notes add -m n && git show --stat > /dev/null && git blame f > /dev/null",
			"rm wt2/w && git worktree prune",
			"git remote add up https://example.org/up.git && git checkout -qb tracking main --track && git branch -m tracking tracked && git remote rename up upp && git config branch.tracked.description x",
		} {
			if o := b.sh(asSomebody + script); o.status.Code != 0 {
				t.Errorf("%q: code %d: %s", script, o.status.Code, o.out)
			}
		}
		_ = os.RemoveAll(filepath.Join(b.ws, "copy"))
		for line := range strings.Lines(hostChange(old, b.protectedFiles())) {
			if strings.HasPrefix(line, "- ") && !strings.HasPrefix(line, "- .git/config ") {
				t.Errorf("protected files changed: %s", line)
			}
		}
		b.host("git fsck && git -C wt status --porcelain && git -C wt2 log -1 --oneline && git worktree list")
	})
}

func TestGitWorksInARepositoryOfTheCommand(t *testing.T) {
	t.Parallel()
	long.Test(t)
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		for _, script := range []string{
			"git init -q n && cd n && git config user.name x && git config user.email x@y && git remote add o https://example.org/x.git && echo 1 > f && git add f && git commit -qm 1 && git worktree add -q ../w",
			"cd n && git status --porcelain && echo 2 > f && git commit -qam 2 && cd ../w && git status",
			"git clone -q n copy && cd copy && git checkout -qb x && git branch --show-current",
			"git clone -q --bare n bare.git && git clone -q bare.git copy2",
			"git init -q t && rm -rf t",
			"git clone -q missing m; test ! -e m",
			"for i in $(seq 20); do git init -q r/$i && rm -rf r/$i; done",
		} {
			if o := b.sh(strings.TrimSuffix(asSomebody, "set -e; ") + script); o.status.Code != 0 {
				t.Errorf("%q: code %d: %s", script, o.status.Code, o.out)
			}
		}
		out := b.host("git -C n config -l --local; git -C copy config -l --local; git -C w log --oneline; cat n/.git/HEAD; ls n/.git/hooks | grep -v sample || true")
		for _, want := range []string{"user.name=x", "remote.o.url=https://example.org/x.git", "remote.origin.url=", "branch.main.remote=origin"} {
			if !strings.Contains(strings.ReplaceAll(out, "master", "main"), want) {
				t.Errorf("%q is missing in %s", want, out)
			}
		}
	})
}

func TestStatusIsCleanAfterRefusals(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		b.repositories()
		b.sh("mkdir -p .vscode .claude .codex .cursor; echo x > .mcp.json; echo x > .exrc; ln -s a .nvim.lua; mv f .gitmodules; mkfifo .pillion.toml; echo x > x.code-workspace")
		if out := b.host("git status --porcelain --ignored=no; ls -A | grep -E '^\\.(v|cl|co|cu|m|ex|n|p|gitm)' || true"); out != "" {
			t.Errorf("status: %s", out)
		}
	})
}

// What a command leaves in a repository of its own is harmless, or moved away.
func TestYoungRepositoriesAreVetted(t *testing.T) {
	t.Parallel()
	long.Test(t)
	everyUser(t, func(t *testing.T) {
		for name, row := range map[string]struct{ script, gone string }{
			"fsmonitor":              {"git init -q n && git -C n config core.fsmonitor ./evil", "n/.git/config"},
			"include":                {"git init -q n && printf '[include]\\npath=/tmp/e\\n' >> n/.git/config", "n/.git/config"},
			"worktree config":        {"git init -q n && printf '[core]\\nfsmonitor=e\\n' > n/.git/config.worktree", "n/.git/config.worktree"},
			"config without git":     {"mkdir -p n/.git && printf '[alias]\\nx=!e\\n' > n/.git/config", "n/.git/config"},
			"config is a fifo":       {"mkdir -p n/.git && mkfifo n/.git/f && ! mv n/.git/f n/.git/config", ""},
			"commondir":              {"git init -q n && echo ../../e > n/.git/commondir", "n/.git/commondir"},
			"pointer outside":        {"mkdir n e && echo 'gitdir: ../e' > n/.git", "n/.git"},
			"pointer to tmp":         {"mkdir n && git init -q $TMPDIR/e && echo \"gitdir: $TMPDIR/e/.git\" > n/.git", "n/.git"},
			"pointer by a link":      {"git init -q m && mkdir -p m/.git/worktrees/w && ln -s m l && mkdir n && echo \"gitdir: $PWD/l/.git/worktrees/w\" > n/.git", "n/.git"},
			"pointer over a link":    {"mkdir -p .git/modules/x/refs/heads e/q/r/s n && ln -s $PWD/e/q/r/s .git/modules/x/refs/heads/l && echo 'gitdir: ../.git/modules/x/refs/heads/l/../../..' > n/.git", "n/.git"},
			"link put in later":      {"mkdir -p .git/modules/x/refs/heads/l n && echo 'gitdir: ../.git/modules/x/refs/heads/l/../../..' > n/.git", "n/.git"},
			"pointer that moves":     {"mkdir -p .git/modules/x .git/y/n && echo 'gitdir: ../../modules/x' > .git/y/n/.git", ".git/y/n/.git"},
			"pointer to nothing":     {"mkdir n && echo 'gitdir: .git/worktrees/none' > n/.git", "n/.git"},
			"renamed afterwards":     {"git init -q q && git -C q config core.fsmonitor e && mv q n", "n/.git/config"},
			"renamed parents":        {"mkdir -p p/q && git init -q p/q/r && mv p n && git -C n/q/r config core.fsmonitor e", "n/q/r/.git/config"},
			"module":                 {"git init -q n && mkdir -p n/.git/modules/a/b && printf '[core]\\nfsmonitor=e\\n' > n/.git/modules/a/b/config", "n/.git/modules/a/b/config"},
			"module of a known one":  {"mkdir -p .git/modules/x && printf '[core]\\nfsmonitor=e\\n' > .git/modules/x/config", ".git/modules/x/config"},
			"module named objects":   {"mkdir -p .git/modules/x/objects && printf '[core]\\nfsmonitor=e\\n' > .git/modules/x/objects/config", ".git/modules/x/objects/config"},
			"work tree by a link":    {"mkdir -p .git/modules/x && ln -s /etc l && printf '[core]\\nworktree = ../../../l\\n' > .git/modules/x/config", ".git/modules/x/config"},
			"work tree over a link":  {"mkdir -p .git/modules/x s && ln -s /etc l && printf '[core]\\nworktree = ../../../l/../s\\n' > .git/modules/x/config", ".git/modules/x/config"},
			"work tree for later":    {"mkdir -p .git/modules/x && printf '[core]\\nworktree = ../../../l\\n' > .git/modules/x/config", ".git/modules/x/config"},
			"work tree of no module": {"git init -q n && mkdir s && git -C n config core.worktree ../../s", "n/.git/config"},
			"worktree's commondir":   {"git worktree add -q n && echo /tmp/e > .git/worktrees/n/commondir", ".git/worktrees/n/commondir"},
			"legacy remote":          {"git init -q n && mkdir -p n/.git/remotes && echo 'URL: ext::e' > n/.git/remotes/origin", "n/.git/remotes/origin"},
			"not to be listed":       {"git init -q n && git -C n config core.fsmonitor e && chmod 311 n/.git", "n/.git/config"},
			"not to be changed":      {"git init -q n && git -C n config core.fsmonitor e && chmod 555 n/.git", "n/.git/config"},
			"closed":                 {"git init -q n && git -C n config core.fsmonitor e && chmod 0 n/.git", "n/.git/config"},
			"closed, a module":       {"mkdir -p .git/modules/x && printf '[core]\\nfsmonitor=e\\n' > .git/modules/x/config && chmod 0 .git/modules/x", ".git/modules/x/config"},
			"too long":               {"git init -q n && yes '# x' | head -c 100000 >> n/.git/config", "n/.git/config"},
		} {
			b := newBench(t)
			b.repositories()
			if o := b.sh(row.script); o.status.Code != 0 {
				t.Errorf("%s: code %d: %s", name, o.status.Code, o.out)
			}
			if row.gone == "" {
				continue
			}
			b.host("chmod -R u+rwX .")
			if _, err := os.Lstat(filepath.Join(b.ws, row.gone)); err == nil {
				t.Errorf("%s: %s is still there", name, row.gone)
			}
			if o := b.sh("cat $TMPDIR/quarantine-* | head -c 1000"); o.status.Code != 0 || o.out == "" {
				t.Errorf("%s: nothing was kept: %s", name, o.out)
			}
		}
	})
}

// What git writes for a submodule passes.
func TestASubmodulesWayBackIsHarmless(t *testing.T) {
	b := newBench(t)
	b.repositories()
	const config = ".git/modules/x/config"
	o := b.sh("mkdir -p .git/modules/x a/s && printf '[core]\\n\\tworktree = ../../../a/s\\n' > " + config + " && echo 'gitdir: ../../.git/modules/x' > a/s/.git")
	if text, err := os.ReadFile(filepath.Join(b.ws, config)); o.status.Code != 0 || err != nil || !strings.Contains(string(text), "a/s") {
		t.Errorf("%+v, %q, %v", o, text, err)
	}
}

// A repository is young for the command that made it, and for no other.
func TestARepositoryIsYoungForOneCommand(t *testing.T) {
	b := newBench(t)
	b.sh("git init -q n")
	for _, script := range []string{"git -C n config core.pager x", "echo >> n/.git/config", "rm n/.git/hooks/*", "rm -rf n/.git"} {
		if o := b.sh(script); o.status.Code == 0 {
			t.Errorf("%q worked on an old repository", script)
		}
	}
	// While another command makes one of its own.
	p, r := b.start("/bin/sh", "-c", "git init -q o; while test ! -e stop; do sleep 0.01; done")
	defer r.Close()
	waitForFile(t, filepath.Join(b.ws, "o/.git/config"))
	if o := b.sh("echo >> o/.git/config"); o.status.Code == 0 {
		t.Error("one command's young repository is another's too")
	}
	b.sh("touch stop")
	_, _ = p.Wait()
	_, _ = p.End(false)
}

// Settings that name a program can't be slipped in with those that don't.
func TestOnlyHarmlessSettingsOfAnOldRepositoryChange(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		b.repositories()
		b.host("git config alias.x '!echo \"x\"' && git config branch.main.remote origin")
		for script, works := range map[string]bool{
			"git config branch.main.merge refs/heads/main":             true,
			"git remote add o https://example.org/x":                   true,
			"git remote add e 'ext::sh -c e'":                          false,
			"git config core.fsmonitor e":                              false,
			"git config core.hooksPath e":                              false,
			"git config --unset alias.x":                               false,
			"git config include.path e":                                false,
			"cp .git/config .git/c && mv .git/c .git/config":           false,
			"cp .git/config.lock x; mv x .git/config.lock .git/config": false,
			"ln -s ../f .git/config.lock && mv .git/config.lock .git/config; rm .git/config.lock; false": false,
		} {
			old := b.host("cat .git/config")
			o := b.sh(script)
			if now := b.host("cat .git/config"); (o.status.Code == 0) != works || (old != now) != works {
				t.Errorf("%q: code %d, %s; config from %s to %s", script, o.status.Code, o.out, old, now)
			}
		}
	})
}
