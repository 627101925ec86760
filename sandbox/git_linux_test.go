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

// evil says where it ran, when git outside does what a command has left.
const evil = "#!/bin/sh\necho $0 $* >> $RAN\n"

// obeyed runs git outside in every directory of the workspace, and returns what of the
// command's it ran.
func (b *bench) obeyed() string {
	b.t.Helper()
	return b.obeyedBy("status -s", "log -1", "diff", "commit --allow-empty -qm x", "branch -a", "stash list", "rebase --continue", "cherry-pick --skip", "push -q", "checkout -q HEAD")
}

// obeyedBy does so by these commands of git; those after an empty one are run in the
// workspace's own repository only.
func (b *bench) obeyedBy(commands ...string) string {
	b.t.Helper()
	ran := filepath.Join(filepath.Dir(b.ws), "ran")
	_ = os.Remove(ran)
	b.host("chmod -R u+rwX . && cp -a . ../looked && cd ../looked && export RAN=" + ran + ` HOME=/nonexistent GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b GIT_EDITOR=true GIT_PAGER=cat
find . -name .git -o -name HEAD | sed 's,/[^/]*$,,' | grep -v /logs$ | sort -u | while read d; do
	for c in "` + strings.Join(commands, `" "`) + `"; do
		test -n "$c" || { test "$d" = . && continue || break; }
		timeout 20 git -C "$d" $c >/dev/null 2>&1 </dev/null || test $? != 124 || echo "hangs: $d $c" >> $RAN
	done
done; cd ..; rm -rf looked`)
	text, _ := os.ReadFile(ran)
	return string(text)
}

// Whatever a command leaves, git outside doesn't run it, and does not wait for it.
func TestNothingThatACommandLeavesIsObeyed(t *testing.T) {
	t.Parallel()
	long.Test(t)
	everyUser(t, func(t *testing.T) {
		for name, script := range map[string]string{
			"fsmonitor":               "git init -q n; git -C n config core.fsmonitor $E",
			"fsmonitor in place":      "git init -q n; printf '[core]\nfsmonitor=%s\n' $E >> n/.git/config",
			"an include":              "git init -q n; printf '[include]\npath=/tmp/e\n' >> n/.git/config",
			"settings of a worktree":  "git init -q n; printf '[core]\nfsmonitor=%s\n' $E > n/.git/config.worktree",
			"settings first":          "mkdir -p n/.git; printf '[core]\nfsmonitor=%s\n' $E > n/.git/config; git init -q n",
			"settings first, by hand": "mkdir -p n/.git; printf '[core]\nfsmonitor=%s\n' $E > n/.git/config; cp -r .git/HEAD .git/objects .git/refs n/.git",
			"settings held open":      "mkdir -p n/.git; exec 3> n/.git/config; cp -r .git/HEAD .git/objects .git/refs n/.git; printf '[core]\nfsmonitor=%s\n' $E >&3",
			"hooks first":             "mkdir -p n/.git/hooks; cp evil n/.git/hooks/post-commit; cp -r .git/HEAD .git/objects .git/refs n/.git",
			"hooks afterwards":        "git init -q n; cp evil n/.git/hooks/post-commit; mkdir h; cp evil h/post-commit; mv -T h n/.git/hooks",
			"a sample renamed":        "git init -q n; cp evil n/.git/hooks/x.sample; mv n/.git/hooks/x.sample n/.git/hooks/post-commit",
			"bare":                    "git init -q --bare n; printf '[core]\nfsmonitor=%s\nworktree=/tmp\nbare=false\n' $E > n/config; git -C n config core.fsmonitor $E",
			"bare, by hand":           "mkdir n; printf '[core]\nfsmonitor=%s\nworktree=..\nbare=false\n' $E > n/config; cp -r .git/HEAD .git/objects .git/refs n",
			"bare, with HEAD last":    "mkdir -p n/objects n/refs; printf '[core]\nfsmonitor=%s\nworktree=..\nbare=false\n' $E > n/config; cp .git/HEAD n",
			"bare, by renames":        "mkdir -p n/o n/r; printf '[core]\nfsmonitor=%s\nworktree=..\nbare=false\n' $E > n/config; cp .git/HEAD n; mv n/o n/objects; mv n/r n/refs",
			"bare, objects moved":     "mkdir -p n/refs x/info; git rev-parse HEAD > n/HEAD; mkfifo x/info/alternates; mv x n/objects",
			"bare, objects linked":    "mkdir -p n/refs o/info; git rev-parse HEAD > n/HEAD; ln -s ../o n/objects; mkfifo o/info/alternates",
			"bare, by links":          "mkdir -p n o r; printf '[core]\nfsmonitor=%s\nworktree=..\nbare=false\n' $E > n/config; cp .git/HEAD n; ln -s ../o n/objects; ln -s ../r n/refs",
			"bare, by a hard link":    "mkdir -p n/objects n/refs; printf '[core]\nfsmonitor=%s\nworktree=..\nbare=false\n' $E > n/config; cp .git/HEAD h; ln h n/HEAD",
			"bare, exchanged":         "mkdir -p n/objects n/refs m; printf '[core]\nfsmonitor=%s\nworktree=..\nbare=false\n' $E > m/config; cp .git/HEAD n; mv n/objects m; mv n/refs m; mv n/HEAD m",
			"without refs for a time": "git init -q n; mv n/.git/refs r; printf '[core]\nfsmonitor=%s\n' $E > n/.git/config; mv r n/.git/refs",
			"an old one, for a time":  "mv .git/refs .git/r; printf '[core]\nfsmonitor=%s\n' $E > .git/config; mv .git/r .git/refs",
			"without HEAD for a time": "rm .git/HEAD; printf '[core]\nfsmonitor=%s\n' $E > .git/config; echo ref: refs/heads/main > .git/HEAD",
			"commondir":               "git init -q n; mkdir e; printf '[core]\nfsmonitor=%s\n' $E > e/config; mkdir e/objects e/refs; echo $PWD/e > n/.git/commondir",
			"bare with a commondir":   "mkdir n e e/objects e/refs; printf '[core]\nfsmonitor=%s\nworktree=..\nbare=false\n' $E > e/config; echo ../e > n/commondir; cp .git/HEAD n; mkdir m; cp .git/HEAD m; echo ../e > m/commondir",
			"commondir after HEAD":    "mkdir n e e/hooks; cp -r .git/objects .git/refs e; printf '[core]\nfsmonitor=%s\n' $E > e/config; cp evil e/hooks/reference-transaction; cp .git/HEAD n; echo ../e > n/commondir; echo ../e > c; mv c n/commondir; ln c n/commondir; ln -s ../c n/commondir",
			"FIFOs by hard links":     "mkfifo z; for f in .gitignore .gitattributes .mailmap .git/packed-refs .git/index s/.gitignore; do mkdir -p s; rm -f $f; ln z $f; done; rm z",
			"alternates":              "mkdir -p alt/info alt/pack; mkfifo alt/info/alternates; echo ../../alt > .git/objects/info/alternates; echo ../../alt > x; mv x .git/objects/info/alternates; git init -q n; echo $PWD/alt > n/.git/objects/info/alternates",
			"pointer outside":         "mkdir n; git init -q $TMPDIR/e; git -C $TMPDIR/e config core.fsmonitor $E; echo \"gitdir: $TMPDIR/e/.git\" > n/.git",
			"pointer to a directory":  "mkdir n e e/objects e/refs; printf '[core]\nfsmonitor=%s\n' $E > e/config; cp .git/HEAD e; echo \"gitdir: $PWD/e\" > n/.git; echo 'gitdir: ../e' > n/.git",
			"pointer by a link":       "git init -q m; mkdir -p m/.git/worktrees/w; ln -s m l; mkdir n; echo \"gitdir: $PWD/l/.git/worktrees/w\" > n/.git",
			"renamed afterwards":      "git init -q q; git -C q config core.fsmonitor $E; mv q n",
			"module":                  "git init -q n; mkdir -p n/.git/modules/a/b; printf '[core]\nfsmonitor=%s\n' $E > n/.git/modules/a/b/config; cp -r .git/HEAD .git/objects .git/refs n/.git/modules/a/b; echo 'gitdir: .git/modules/a/b' > n/x.git; mkdir n/s; echo 'gitdir: ../.git/modules/a/b' > n/s/.git",
			"worktree's commondir":    "git worktree add -q n; mkdir e e/objects e/refs; printf '[core]\nfsmonitor=%s\n' $E > e/config; echo $PWD/e > .git/worktrees/n/commondir",
			"legacy remote":           "git init -q n; mkdir -p n/.git/remotes; echo \"URL: ext::$E\" > n/.git/remotes/origin; git -C n config branch.main.remote origin",
			"closed":                  "git init -q n; git -C n config core.fsmonitor $E; chmod 0 n/.git",
			"killed":                  "git init -q n; (exec 3>> n/.git/config; printf '[core]\nfsmonitor=%s\n' $E >&3; kill -9 $$)",
			"a transport":             "git init -q n; git -C n remote add o \"ext::$E\"; git -C n config remote.o.pushurl \"ext::$E\"",
			"a step of a rebase":      "mkdir .git/rebase-merge; git rev-parse HEAD > .git/rebase-merge/onto; git rev-parse HEAD > .git/rebase-merge/orig-head; echo refs/heads/main > .git/rebase-merge/head-name; echo 1 > .git/rebase-merge/msgnum; echo 1 > .git/rebase-merge/end; touch .git/rebase-merge/interactive; echo \"exec $E\" > .git/rebase-merge/git-rebase-todo; echo \"exec $E\" > x; mv x .git/rebase-merge/git-rebase-todo",
			"a strategy of a pick":    "git checkout -qb side 2>/dev/null; mkdir git-merge-x .git/sequencer; cp evil git-merge-x/evil; git rev-parse HEAD > .git/sequencer/head; git rev-parse HEAD > .git/CHERRY_PICK_HEAD; printf 'pick %s x\n' $(git rev-parse HEAD) > .git/sequencer/todo; printf '[options]\n\tstrategy = x/evil\n' > .git/sequencer/opts; printf '[options]\n\tstrategy = x/evil\n' > x; mv x .git/sequencer/opts; git config -f .git/sequencer/opts options.strategy x/evil",
			"a FIFO for the index":    "rm -f .git/index; mkfifo .git/index; mkfifo f; mv f .git/index; ln f .git/index",
			"FIFOs":                   "for f in HEAD packed-refs shallow objects/info/alternates refs/heads/main sequencer/todo; do mkfifo .git/x; mkfifo x; mv x .git/$f; rm -f x; done; mkfifo .gitattributes; mkfifo .gitignore; mkdir s; mkfifo s/.gitignore; mkfifo y; mv y s/.gitattributes",
			"links":                   "for f in logs/HEAD COMMIT_EDITMSG packed-refs index FETCH_HEAD ORIG_HEAD refs/tags; do rm -rf .git/$f; ln -s $PWD/../out .git/$f; ln -s $PWD/../out x; mv x .git/$f; rm -f x; done",
		} {
			b := newBench(t)
			b.repositories()
			b.host("printf '" + strings.ReplaceAll(evil, "\n", "\\n") + "' > evil && chmod +x evil")
			b.sh("E=$PWD/evil; " + script)
			if ran := b.obeyed(); ran != "" {
				t.Errorf("%s: git outside: %s", name, ran)
			}
			links := b.host("find . -path '*/.git/*' ! -type f ! -type d")
			if links != "" {
				t.Errorf("%s: in .git: %s", name, links)
			}
		}
	})
}

// What git writes for a submodule passes.
func TestASubmodulesWayBackIsHarmless(t *testing.T) {
	b := newBench(t)
	b.repositories()
	const config = ".git/modules/x/config"
	o := b.sh("mkdir -p .git/modules/x a/s && printf '[core]\\n\\tworktree = ../../../a/s\\n' > " + config + " && echo 'gitdir: ../../.git/modules/x' > a/s/.git && cp -r .git/HEAD .git/objects .git/refs .git/modules/x && git -C a/s status")
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
			"git config branch.main.merge refs/heads/main":                                               false,
			"git config branch.new.merge refs/heads/main":                                                true,
			"git remote add o https://example.org/x":                                                     true,
			"git remote add e 'ext::sh -c e'":                                                            false,
			"git config core.fsmonitor e":                                                                false,
			"git config core.hooksPath e":                                                                false,
			"git config --unset alias.x":                                                                 false,
			"git config include.path e":                                                                  false,
			"git config submodule.recurse true":                                                          false,
			"git config extensions.objectFormat sha256":                                                  false,
			"git config remote.p.promisor true":                                                          false,
			"git remote add p ../private":                                                                false,
			"git remote add p file:///home/x/private":                                                    false,
			"git config branch.new.remote ./nest":                                                        false,
			"git init -q nest && git remote add nest ./nest":                                             true,
			"cp .git/config .git/c && mv .git/c .git/config":                                             false,
			"cp .git/config.lock x; mv x .git/config.lock .git/config":                                   false,
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
