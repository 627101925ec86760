package executor

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/journal"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// outside is what the user's own git does.
func (r *rig) outside(script string) string {
	r.t.Helper()
	cmd := exec.Command("sh", "-euc", script)
	cmd.Dir = r.ws
	cmd.Env = append(os.Environ(), "HOME="+r.t.TempDir(), "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return string(out)
}

const bring = `b=$(echo evil | git hash-object -w --stdin)
GIT_INDEX_FILE=$TMPDIR/index2 git read-tree main && GIT_INDEX_FILE=$TMPDIR/index2 git update-index --add --cacheinfo 100644,$b,.vscode/tasks.json
t=$(GIT_INDEX_FILE=$TMPDIR/index2 git write-tree); c=$(git commit-tree -p main -m evil $t)
i=$(git commit-tree -p main -m index main^{tree}); s=$(git commit-tree -p main -p $i -m stash $t)
`

// A command can't write .vscode/tasks.json, but a commit that holds one, and git writes
// it at the user's next switch, commit or stash pop.
func TestGitBringsNothingThatACommandCouldNotWrite(t *testing.T) {
	needs.Program(t, "git")
	for name, kept := range map[string]bool{"with undo": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			journals := t.TempDir()
			r := newRig(t, func(c *Config) {
				if kept {
					c.JournalDir = journals
				}
			})
			r.outside(`git init -q -b main && git config user.name n && git config user.email e@x && echo a >a && git add . && git commit -qm one && git branch other`)
			before := r.outside("git for-each-ref; cat .git/HEAD; git status --short")
			res, _ := r.must(Request{ID: "evil", Command: bring + `git update-ref refs/heads/other $c; echo $s >.git/MERGE_AUTOSTASH; git stash store -m wip $s; git branch fresh $c; echo x >made`})
			if len(res.Violations) < 4 {
				t.Errorf("%+v", res.Violations)
			}
			for _, v := range res.Violations {
				if v.Rule != ruleRefs || !strings.Contains(v.Grant, ".vscode/tasks.json; it was taken back, and is kept as refs/pillion/aside/") {
					t.Errorf("%+v", v)
				}
			}
			r.outside("git switch -q other; echo y >y; git add .; git commit -qm y; git stash list; git stash pop -q 2>/dev/null || true; git fsck --strict 2>&1")
			if _, err := os.Lstat(filepath.Join(r.ws, ".vscode")); err == nil {
				t.Error("it came")
			}
			r.outside("git switch -q main; git reset -q --hard main; git branch -qf other main; rm -f made; for ref in $(git for-each-ref --format='%(refname)' refs/pillion); do git update-ref -d $ref; done")
			if now := r.outside("git for-each-ref; cat .git/HEAD; git status --short"); now != before {
				t.Errorf("was\n%s\nis\n%s", before, now)
			}
			if kept && journal.Supported {
				r.must(Request{ID: "evil2", Command: bring + `git update-ref refs/heads/other $c; echo x >made`})
				if _, u, err := r.e.Journal([]string{r.ws}).Undo("evil2", journal.Options{}); err != nil || len(u.Left) > 0 {
					t.Errorf("%+v, %v", u, err)
				}
				if now := r.outside("git for-each-ref; cat .git/HEAD; git status --short"); now != before {
					t.Errorf("undone:\n%s\nbefore\n%s", now, before)
				}
			}
		})
	}
}

// A git that the command has left where PATH finds it is not asked.
func TestAGitOfTheCommandSaysNothing(t *testing.T) {
	needs.Program(t, "git")
	r := newRig(t, func(c *Config) { c.Path = []string{filepath.Join(filepath.Dir(c.SpoolDir), "ws/bin")} })
	r.outside(`/usr/bin/git init -q -b main && git config user.name n && git config user.email e@x && echo a >a && git add . && git commit -qm one && mkdir bin`)
	r.outside(`echo 'printf "[core]\n\thooksPath = /x\n[safe]\n\tdirectory = /x\n" >"$HOME/.gitconfig"' >home.sh`)
	res, _ := r.must(Request{ID: "evil", Command: bring + `git branch fresh $c; printf '#!/bin/sh\n' >bin/git; chmod +x bin/git; sh home.sh`})
	if len(res.Violations) != 1 || !strings.Contains(res.Violations[0].Grant, "refs/pillion/aside/heads/fresh") {
		t.Errorf("%+v", res.Violations)
	}
}

// Nobody looks for repositories in a workspace: what one held is read when a command comes
// to it, also by way of another name, and after another one had that name.
func TestGitBringsNothingFromARepositoryFarBelow(t *testing.T) {
	needs.Program(t, "git")
	r := newRig(t, nil)
	r.outside(`for n in a/b/c/n k .; do git init -q -b main $n; (cd $n; git config user.name n && git config user.email e@x && echo f >f && git add f && git commit -qm one); done; git clone -q --bare k bare`)
	const up = `[ -e .vscode ] && echo it came || true`
	for name, c := range map[string]struct{ command, user string }{
		"a branch":     {`cd a/b/c/n; ` + bring + `git branch new $c`, `cd a/b/c/n; git switch -q new 2>/dev/null; ` + up},
		"the index":    {`cd a/b/c/n; ` + bring + `git update-index --add --cacheinfo 100644,$b,.vscode/tasks.json`, `cd a/b/c/n; git checkout -q .; ` + up},
		"a bare one":   {`cd k; ` + bring + `git push -q ../bare $c:refs/heads/new`, `git clone -q -b new bare "$HOME/c" 2>/dev/null; cd "$HOME/c" && ` + up},
		"a moved one":  {`cd a/b/c/n; ` + bring + `git branch moved $c; cd ../../../..; mv a/b d`, `mv d a/b; cd a/b/c/n; git switch -q moved 2>/dev/null; ` + up},
		"in its place": {`echo x >a/b/c/n/.git/ORIG_HEAD; mv a/b/c/n x; mv k a/b/c/n; cd a/b/c/n; ` + bring + `git branch other $c`, `mv a/b/c/n k; mv x a/b/c/n; cd k; git switch -q other 2>/dev/null; ` + up},
	} {
		res, _ := r.must(Request{ID: strings.ReplaceAll(name, " ", "-"), Command: c.command})
		if len(res.Violations) != 1 || res.Violations[0].Rule != ruleRefs {
			t.Errorf("%s: %+v", name, res)
		}
		if said := r.outside(`set +e; ` + c.user); strings.Contains(said, "it came") {
			t.Errorf("%s: %s", name, said)
		}
	}
}

// A command is judged against what there was when none ran: not against what another one
// has made up, and takes back before its own end.
func TestGitBringsNothingFromTwoCommandsAtOnce(t *testing.T) {
	needs.Program(t, "git")
	r := newRig(t, nil)
	r.outside(`git init -q -b main && git config user.name n && git config user.email e@x && echo a >a && git add . && git commit -qm one && git branch dev; rm .git/logs/refs/heads/dev`)
	const up = `up() { git -c core.logAllRefUpdates=false update-ref refs/heads/dev $1; }; await() { for i in $(seq 3000); do [ -e $1 ] && break; sleep 0.02; done; }; `
	second := `await evil; up $(cat evil); touch running; await ended; up $(cat evil)`
	first := bring + `up $c; echo $c >new; mv new evil; await running; up main`
	var done sync.WaitGroup
	done.Go(func() {
		r.must(Request{ID: "first", Command: up + first})
		r.outside("echo b >b; git add b; git commit -qm mine; touch ended")
	})
	r.outside(up + "await evil")
	res, _ := r.must(Request{ID: "second", Command: up + second})
	done.Wait()
	if len(res.Violations) != 1 || !strings.Contains(res.Violations[0].Grant, "it was taken back, and is kept as refs/pillion/aside/heads/dev") {
		t.Errorf("%+v", res.Violations)
	}
	if out := r.outside("git ls-tree -r --name-only dev; git log --format=%s main"); out != "a\nmine\none\n" {
		t.Error(out)
	}
	r.e.Stop(Shutdown, 0)
	if left, _ := os.ReadDir(r.e.conf.RefsDir); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// What git goes on from without a name of an object is taken back as well, and said.
func TestGitDoesNothingForACommandLater(t *testing.T) {
	needs.Program(t, "git")
	r := newRig(t, nil)
	r.outside(`git init -q -b main && git config user.name n && git config user.email e@x && seq 9 >a && cp a b && git add . && git commit -qm one && git commit -q --allow-empty -m two
git switch -qc mine; mkdir .vscode; git mv b .vscode/b; git commit -qm mine; git switch -q main`)
	for command, says := range map[string]string{
		`mkdir -p .git/rr-cache/1; echo evil >.git/rr-cache/1/postimage`: "git would resolve conflicts so, in any file; that was taken back",
		`git rev-parse HEAD >.git/shallow`:                               "git gc would drop the history that it cuts off; that was taken back",
		`git update-index --skip-worktree a; echo evil >>a`:              "git status would not show changes of a; that was taken back",
		`echo evil >>b; git add b; git commit -qm b`:                     "it brings .vscode/b; it was taken back, and is kept as refs/pillion/aside/heads/main",
	} {
		res, _ := r.must(Request{ID: "evil", Command: command})
		if len(res.Violations) != 1 || res.Violations[0].Rule != ruleRefs || res.Violations[0].Grant != "none: "+says {
			t.Errorf("%s: %+v", command, res.Violations)
		}
	}
	if said := r.outside("ls .git/rr-cache/1; cat .git/shallow 2>/dev/null || git status --short; git log --format=%s"); said != " M a\nM  b\ntwo\none\n" {
		t.Errorf("left: %s", said)
	}
}

// What is put back without git is in no journal: an undo loses nothing by that, and says
// what it leaves.
func TestAnUndoOfWhatWasSetAsideLosesNothing(t *testing.T) {
	needs.Program(t, "git")
	journals := t.TempDir()
	r := newRig(t, func(c *Config) { c.JournalDir = journals })
	r.outside(`git init -q -b main && git config user.name n && git config user.email e@x && echo a >a && git add . && git commit -qm one; for i in $(seq 30); do git branch o$i; done`)
	const look = "git for-each-ref; cat .git/HEAD; git status --short; git fsck --no-dangling"
	before := r.outside(look)
	r.must(Request{ID: "many", Command: bring + `for i in $(seq 30); do git branch n$i $c; git update-ref refs/heads/o$i $c; done`})
	_, u, err := r.e.Journal([]string{r.ws}).Undo("many", journal.Options{})
	if now := r.outside(look); err != nil || len(u.Left) == 0 || now != before {
		t.Errorf("%v %+v\n%s\nbefore\n%s", err, u.Left, now, before)
	}
}
