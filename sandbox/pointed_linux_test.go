package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/test/long"
)

// What the user's own settings point to inside the workspace is run by the user's git.
func TestWhatSettingsPointToStaysAsItIs(t *testing.T) {
	t.Parallel()
	long.Test(t)
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		b.repositories()
		b.host(`mkdir -p .husky/_ scripts tools/vscode agents/x conf deep/a/b && echo 'echo ok' > .husky/_/h && echo h > .husky/pre-commit
git config core.hooksPath .husky/_; echo 'echo link' > scripts/pc; mkdir -p .git/hooks && ln -s ../../scripts/pc .git/hooks/pre-push
git config include.path ../conf/gitconfig && touch conf/gitconfig; git config merge.x.driver './tools/merge %O %A' && echo m > tools/merge
git config alias.y '!sh deep/a/b/run.sh' && echo y > deep/a/b/run.sh; git config core.attributesFile deep/attrs
ln -s tools/vscode .vscode; ln -s agents .claude; rm .envrc && ln -s envrc.shared .envrc; echo e > envrc.shared; git config --get core.hooksPath`)
		old := b.host("find .husky scripts tools agents conf deep envrc.shared -type f | sort | xargs -d '\\n' ls -ld --time-style=full-iso; cat .husky/_/h scripts/pc envrc.shared")
		for _, script := range []string{
			"rm .husky/pre-commit", "mv .husky h", "echo evil > .husky/commit-msg", "mkdir .husky/x", "mv scripts/pc scripts/p2", "rm scripts/pc",
			"ln -f .husky/_/h alias", "mv scripts s2", "echo evil > x && mv x scripts/pc", "ln -sf /bin/true conf/gitconfig", "chmod 777 scripts/pc", "chmod -x .husky/_/h && chmod +x .husky/_/h",
			"mv tools t2", "echo evil > tools/vscode/tasks.json", "echo evil > .vscode/tasks.json", "mkdir agents/y", "mv deep d2", "rm -r deep/a", "echo x > deep/attrs", "mv agents a2",
		} {
			if o := b.sh(script); o.status.Code == 0 {
				t.Errorf("%q worked", script)
			}
		}
		// An opener writes a copy.
		for _, file := range []string{".husky/_/h", "scripts/pc", "conf/gitconfig", "tools/merge", "deep/a/b/run.sh", "envrc.shared"} {
			o := b.sh("echo evil > " + file)
			if _, total := o.seen, len(o.seen); total == 0 {
				t.Errorf("%s: nothing is told", file)
			}
			if o = b.sh("cat " + file + " > same && cat same > " + file + " && cp same x && mv x " + file + " && rm same"); o.status.Code != 0 || len(o.seen) > 0 {
				t.Errorf("%s, with what is there: %+v", file, o)
			}
		}
		if now := b.host("find .husky scripts tools agents conf deep envrc.shared -type f | sort | xargs -d '\\n' ls -ld --time-style=full-iso; cat .husky/_/h scripts/pc envrc.shared"); now != old {
			t.Errorf("changed: %s", hostChange(old, now))
		}
		if o := b.sh("echo x > scripts/other && mkdir conf/d && echo x > deep/z && mv scripts/other scripts/o && rm scripts/o"); o.status.Code != 0 {
			t.Errorf("beside it: %+v", o)
		}
		// A relative path means one in every work tree.
		for _, script := range []string{
			"mkdir -p wt/.husky && echo evil > wt/.husky/pre-commit", "git worktree add -q wt2 && mkdir wt2/.husky", "mkdir h && echo evil > h/pre-commit && mv h wt/.husky",
			"mkdir -p n && git init -q n && mkdir n/.husky",
		} {
			if o := b.sh(script); o.status.Code == 0 {
				t.Errorf("%q worked", script)
			}
		}
		// The user changes the settings while commands come and go.
		b.host("git config core.hooksPath hooks.d && mkdir hooks.d && echo x > .husky/z")
		if _, err := os.Stat(filepath.Join(b.ws, "hooks.d")); err != nil {
			t.Fatal(err)
		}
		if o := b.sh("echo evil > hooks.d/pre-commit"); o.status.Code == 0 {
			t.Errorf("%+v", o)
		}
		if o := b.sh("echo mine > .husky/pre-commit"); o.status.Code != 0 || !strings.Contains(b.host("cat .husky/pre-commit"), "mine") {
			t.Errorf("%+v", o)
		}
	})
}

// A repository in a directory of the workspace has settings of its own, and nobody walks
// through the workspace to find it.
func TestWhatSettingsOfNestedRepositoriesPointToStaysAsItIs(t *testing.T) {
	t.Parallel()
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		b.repositories()
		const state = "find deep -path '*/.git' -prune -o -type f -print | sort | xargs -d '\\n' ls -ld --time-style=full-iso; cat deep/n/.husky/pre-commit deep/n/inc deep/n/tools/m deep/n/vs/tasks.json"
		b.host(`mkdir -p deep && git init -q deep/n && cd deep/n && mkdir -p .husky scripts tools vs more/x && echo 'echo ok' > .husky/pre-commit && echo 'echo link' > scripts/pc
mkdir -p .git/hooks && ln -s ../../scripts/pc .git/hooks/pre-push; git config core.hooksPath .husky
printf '[include]\n\tpath = ../inc\n[merge "x"]\n\tdriver = ./tools/m %%O "%%A" ; a comment\n' >> .git/config; printf '[alias]\n\ty = "!sh more/x/run.sh"\n' > inc
echo m > tools/m; echo y > more/x/run.sh; echo '{}' > vs/tasks.json; ln -s vs .vscode; git -c user.name=a -c user.email=a@b commit -q --no-verify --allow-empty -m x; git worktree add -q ../w`)
		old := b.host(state)
		for _, script := range []string{
			"rm deep/n/.husky/pre-commit", "mv deep/n/.husky h", "echo evil > deep/n/.husky/commit-msg", "mkdir deep/n/.husky/x", "mv deep/n/scripts/pc deep/n/scripts/p2",
			"echo evil > x && mv x deep/n/scripts/pc", "echo evil > x; mv x deep/n/inc", "cd deep/n && mv scripts s2", "cd deep/n/more/x && rm run.sh", "cd deep/n/more && mv x y",
			"mv deep/n/tools t2", "echo evil > deep/n/vs/new.json", "ln -sf /bin/true deep/n/inc", "mkdir deep/w/.husky", "chmod 777 deep/n/scripts/pc",
		} {
			if o := b.sh(script); o.status.Code == 0 {
				t.Errorf("%q worked", script)
			}
		}
		for _, file := range []string{".husky/pre-commit", "inc", "tools/m", "vs/tasks.json"} {
			if o := b.sh("echo evil > deep/n/" + file); len(o.seen) == 0 {
				t.Errorf("%s: nothing is told", file)
			}
		}
		if now := b.host(state); now != old {
			t.Errorf("changed: %s", hostChange(old, now))
		}
		if o := b.sh("cd deep/n && echo x > scripts/other && echo x > f && mkdir d && mv f d/f && rm -r d && rm scripts/other && git status"); o.status.Code != 0 || len(o.seen) > 0 {
			t.Errorf("beside it: %+v", o)
		}
	})
}

// A nested repository may point beyond its own work tree, or have it elsewhere.
func TestWhatANearRepositoryPointsToStaysAsItIs(t *testing.T) {
	t.Parallel()
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		b.host(`mkdir -p hk wt/hk lib && for f in hk/pre-commit wt/hk/pre-commit inc; do echo '[core]' >$f; done
git init -q near; git -C near config core.hooksPath ../hk; git -C near config include.path ../../inc
git init -q lib/far; git --git-dir=lib/far/.git config core.worktree ../../../wt; git --git-dir=lib/far/.git config core.hooksPath hk`)
		for _, file := range []string{"hk/pre-commit", "wt/hk/pre-commit", "inc"} {
			b.sh("echo evil > " + file + "; echo evil > new && mv new " + file)
			if text := b.host("cat " + file); text != "[core]\n" {
				t.Errorf("%s: %q", file, text)
			}
		}
	})
}

// Settings with a way from where they are name something else once their repository has
// been moved: there a command would have prepared it.
func TestARepositoryIsNotMovedFromWhatItsSettingsName(t *testing.T) {
	t.Parallel()
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		b.repositories()
		ran := filepath.Join(filepath.Dir(b.ws), "ran")
		for name, set := range map[string]string{
			"include":  "git -C in/n config include.path ../../conf",
			"hooks":    "git -C in/n config core.hooksPath ../hk",
			"program":  "git -C in/n config core.fsmonitor ../bin/fs",
			"link":     "ln -s ../../../hk/pre-commit in/n/.git/hooks/pre-commit",
			"worktree": "mkdir in/wt; git -C in/n config core.worktree ../../wt; git --git-dir=in/n/.git config core.hooksPath hk",
			"sealed":   "ln -s ../vs in/n/.vscode",
		} {
			b.host("rm -rf in deep; mkdir in; git init -q in/n; cd in/n; git config user.name n; git config user.email e@x; cd ../..;" + set)
			plant := "mkdir -p deep/to/hk deep/to/wt/hk deep/to/bin deep/to/vs; printf '[core]\\nfsmonitor=\"touch " + ran + "; false\"\\n' > deep/to/conf; printf '#!/bin/sh\\ntouch " + ran + "\\n' | tee deep/to/hk/pre-commit deep/to/wt/hk/pre-commit > deep/to/bin/fs; chmod +x deep/to/*/* deep/to/wt/hk/*; echo evil > deep/to/vs/x; "
			for _, move := range []string{"mv in/n deep/to/n", "mv in deep/to/n", "mv in/n deep/to/y; mkdir deep/to/z; mv deep/to/y deep/to/z/n"} {
				b.sh(plant + move)
			}
			b.host("for d in deep/to/n deep/to/n/n deep/to/z/n; do (test -e $d/.git && cd $d && { git status; git commit -qm x --allow-empty; test ! -e .vscode/x || touch " + ran + "; }) >/dev/null 2>&1 || true; done")
			if _, err := os.Lstat(ran); err == nil {
				t.Errorf("%s: it was obeyed: %s", name, b.host("rm "+ran+"; find . -name .git"))
			}
		}
		b.host("rm -rf in deep; mkdir -p in deep/to; git init -q in/n; git -C in/n config core.hooksPath .husky")
		if o := b.sh("mv in/n deep/to/n && mv deep d2 && mv d2/to t"); o.status.Code != 0 {
			t.Errorf("one whose settings name nothing beyond it: %+v", o)
		}
	})
}

// A virtual environment's directory in PATH is in the workspace, and what is run to ask
// for the user's settings runs outside the sandbox.
func TestNoGitOfTheWorkspaceIsRunOutside(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		b.repositories()
		b.host("mkdir .venv && ln -s .venv venv")
		for _, dir := range []string{".venv", "venv"} {
			t.Setenv("PATH", filepath.Join(b.ws, dir)+":"+os.Getenv("PATH"))
		}
		ran := filepath.Join(filepath.Dir(b.ws), "ran")
		plant := "mkdir -p .venv && printf '#!/bin/sh\ntouch " + ran + "\nexec /usr/bin/git \"$@\"\n' > .venv/git && chmod +x .venv/git"
		if o := b.sh(plant); o.status.Code != 0 {
			t.Fatalf("%+v", o)
		}
		b.host("/usr/bin/git config core.hooksPath .husky && mkdir .husky && echo mine > .husky/pre-commit")
		if o := b.sh("echo evil > .husky/commit-msg"); o.status.Code == 0 {
			t.Error("settings were not looked up: this proves nothing")
		}
		if _, err := os.Lstat(ran); err == nil {
			t.Error("a program of the workspace was run outside the sandbox")
		}
	})
}
