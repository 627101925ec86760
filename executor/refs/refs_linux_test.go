package refs

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/test/long"
)

// git runs the user's git in a directory: what the user does, and what we ask it.
func git(t *testing.T, dir, script string) string {
	t.Helper()
	cmd := exec.Command("bash", "-euc", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+filepath.Join(dir, "..", "home"), "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return string(out)
}

func run(dir string, stdin []byte, argv ...string) ([]byte, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(string(stdin))
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%q: %w: %s", argv, err, said.String())
	}
	return out, err
}

// project is a repository with a commit, a branch, a stash and a protected file.
func project(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), "ws")
	for _, d := range []string{dir, filepath.Join(dir, "..", "home")} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	git(t, dir, `
git init -q -b main; git config user.name n; git config user.email e@x
mkdir -p .vscode src; echo '{}' >.vscode/settings.json; echo a >src/a; git add .; git commit -qm one
git switch -qc other; echo b >src/b; git add .; git commit -qm two; git switch -q main
echo stashed >>src/a; git stash -q; echo c >src/c; git add .; git commit -qm three`)
	return dir
}

// evil makes a commit below a branch of that name that holds .vscode/tasks.json, without
// a file of that name.
const evil = `
b=$(echo '{"tasks":"evil"}' | git hash-object -w --stdin)
evil() { # PARENT
	GIT_INDEX_FILE=$PWD/.git/tmp-index git read-tree "$1"
	GIT_INDEX_FILE=$PWD/.git/tmp-index git update-index --add --cacheinfo 100644,$b,.vscode/tasks.json
	t=$(GIT_INDEX_FILE=$PWD/.git/tmp-index git write-tree); rm .git/tmp-index
	git commit-tree -p "$1" ${2+-p $2} -m evil $t
}
stash() { evil main $(git commit-tree -p main -m index main^{tree}); }
`

// add puts a file into a tree, of which commit makes a commit. renamed makes three: b has
// a protected file by another name, f changes it, n adds one beside it.
const (
	add = `
t=main^{tree}
add() { # NAME TEXT MODE
	export GIT_INDEX_FILE=$PWD/.git/tmp-index; git read-tree $t
	git update-index --add --cacheinfo ${3-100644},$(printf %s "${2-}" | git hash-object -w --stdin),$1; t=$(git write-tree); unset GIT_INDEX_FILE; rm .git/tmp-index
}
commit() { git commit-tree -p main -m new $t; }
`
	renamed = add + `
export GIT_INDEX_FILE=$PWD/.git/tmp-index; git read-tree main; git rm -q --cached .vscode/settings.json; t=$(git write-tree); unset GIT_INDEX_FILE; rm .git/tmp-index
add x/t.json '{}
'; b=$(git commit-tree -p main~1 -m base $t); k=$t; add x/t.json '{"tasks":"evil"}
'; f=$(git commit-tree -p $b -m evil $t); t=$k; add x/tasks.json evil; n=$(git commit-tree -p $b -m evil $t)
git update-ref refs/heads/main $(git commit-tree -p main -p $b -m merged main^{tree}); `
)

// lines are two of a log: to a commit, and back.
const lines = `; printf '%s %s n <e@x> 1 +0000\tcommit: x\n%s %s n <e@x> 2 +0000\treset: moving\n' $h $c $c $h `

var attacks = []struct{ name, command, user string }{
	{"another branch", `git update-ref refs/heads/other $(evil other)`, `git switch -q other`},
	{"a new branch", `git branch new $(evil main)`, `git switch -q new 2>/dev/null || true`},
	{"a new branch, packed", `git branch new $(evil main); git pack-refs --all`, `git switch -q new 2>/dev/null || true`},
	{
		"the own branch, hidden by skip-worktree",
		`git reset -q --soft $(evil main); git read-tree HEAD; git update-index --skip-worktree .vscode/tasks.json`,
		`git status --short >/dev/null; git switch -q other; git switch -q main`,
	},
	{"the own branch", `git reset -q --mixed $(evil main)`, `git stash -q 2>/dev/null || true; git reset -q --hard`},
	{"the last stash", `git stash store -m wip $(stash)`, `git stash pop -q || true`},
	{
		"a stash before the last one",
		`s=$(git rev-parse stash@{0}); git stash store -m wip $(stash); git stash store -m top $s`,
		`git stash drop -q; git stash pop -q || true`,
	},
	{"an autostash", `stash >.git/MERGE_AUTOSTASH`, `echo x >src/x; git add .; git commit -qm x`},
	{"the index", `git update-index --add --cacheinfo 100644,$b,.vscode/tasks.json`, `git checkout -q -- . `},
	{"the index, another file", `git update-index --cacheinfo 100644,$b,.vscode/settings.json`, `git checkout -q -- . `},
	{"the index, split", `git update-index --split-index; git update-index --add --cacheinfo 100644,$b,.vscode/tasks.json`, `git checkout -q -- . `},
	{"the index, in its shortest form", `git update-index --index-version 4; git update-index --add --cacheinfo 100644,$b,.vscode/tasks.json`, `git checkout -q -- . `},
	{"a detached HEAD from a detached one", `git checkout -q --detach; git update-ref --no-deref HEAD $(evil main)`, `git reset -q --hard`},
	{"a detached HEAD", `git update-ref --no-deref HEAD $(evil main)`, `git reset -q --hard`},
	{
		"a replaced commit", `git replace -f $(git rev-parse other) $(evil other)`,
		`git switch -q other`,
	},
	{
		"a merge whose parents have it not",
		`p=$(git rev-parse other); e=$(evil main); t=$(git rev-parse $e^{tree}); git update-ref refs/heads/other $(git commit-tree -p main -p $p -m m $t)`,
		`git switch -q other`,
	},
	{
		"the index of a new work tree",
		`git worktree add -q wt -b wt && git -C wt update-index --add --cacheinfo 100644,$b,.vscode/tasks.json`,
		`git -C wt checkout -q -- . && mv wt/.vscode/tasks.json .vscode || true`,
	},
	{"a branch, below a ref in the way", `git update-ref refs/pillion HEAD; git branch new $(evil main)`, `git switch -q new 2>/dev/null || true`},
	{"the own branch, locked", `git reset -q --mixed $(evil main); : >.git/refs/heads/main.lock`, `rm -f .git/refs/heads/main.lock; git reset -q --hard`},
	{
		"the own branch, where it is kept locked", `git reset -q --mixed $(evil main); mkdir -p .git/refs/pillion/aside/heads; : >.git/refs/pillion/aside/heads/main.lock`,
		`git reset -q --hard`,
	},
	{"the own branch, without objects that are read", `git update-ref refs/heads/other $(evil other); chmod 000 .git/objects/*`, `chmod 755 .git/objects/*; git switch -q other`},
	{"a symbolic HEAD", `git update-ref refs/x/y $(evil main); git symbolic-ref HEAD refs/x/y`, `git reset -q --hard`},
	{"a symbolic branch", `git update-ref refs/notes/z $(evil main); git symbolic-ref refs/heads/main refs/notes/z`, `git reset -q --hard`},
	{"the index, locked", `git update-index --add --cacheinfo 100644,$b,.vscode/tasks.json; : >.git/index.lock`, `rm .git/index.lock; git checkout -q -- . || git reset -q`},
	{
		"many branches", `e=$(evil main); for i in $(seq 300); do echo "$e refs/heads/b$i"; done | sort -k2 >>.git/packed-refs; git rev-parse main >.git/refs/heads/aa`,
		`git switch -q b17 2>/dev/null || true`,
	},
	{"what was checked out before", `printf '%s %s n <e@x> 1700000000 +0000\tcheckout: moving from %s to main\n' $(git rev-parse HEAD HEAD) $(evil main) >>.git/logs/HEAD`, `git checkout -q -`},
	{"the begin of a rebase", `mkdir .git/rebase-merge; cd .git/rebase-merge; echo refs/heads/main >head-name; git rev-parse HEAD >onto; cd ../..; evil main >.git/rebase-merge/orig-head; cd .git/rebase-merge; : >git-rebase-todo; : >done; echo 0 >msgnum; echo 0 >end; : >interactive`, `git rebase --abort || true`},
	{"the begin of picks", `mkdir .git/sequencer; evil main >.git/sequencer/head; git rev-parse HEAD >.git/sequencer/abort-safety; echo "pick $(git rev-parse HEAD)" >.git/sequencer/todo`, `git cherry-pick --abort || true`},
	{"the begin of a bisect", `evil main > .git/BISECT_START; : >.git/BISECT_LOG; : >.git/BISECT_NAMES`, `git bisect reset || true`},
	{
		"a step of a rebase", `mkdir .git/rebase-merge; echo "pick $(evil main)" >.git/rebase-merge/git-rebase-todo; cd .git/rebase-merge; echo refs/heads/main >head-name; git rev-parse HEAD | tee onto >orig-head; : >done; echo 0 >msgnum; echo 1 >end; : >interactive`,
		`GIT_EDITOR=true git rebase --continue || true`,
	},
	{
		"a mail", `for n in 1 2; do printf 'From 0000000000000000000000000000000000000001 Mon Sep 17 00:00:00 2001\nFrom: n <e@x>\nDate: Mon, 1 Jan 2024 00:00:00 +0000\nSubject: [PATCH] a\n\n---\n'; test $n = 1 && printf 'diff --git a/src/a b/src/a\n--- a/src/a\n+++ b/src/a\n@@ -1 +1 @@\n-none\n+x\n' || printf 'diff --git a/.vscode/tasks.json b/.vscode/tasks.json\nnew file mode 100644\n--- /dev/null\n+++ b/.vscode/tasks.json\n@@ -0,0 +1 @@\n+evil\n'; done >.git/mails; git am -q .git/mails 2>/dev/null || true`,
		`git am -q --skip || true`,
	},
	{
		"the index of a work tree elsewhere", `git worktree add -q ../wt -b wt; touch .git/WT; git -C ../wt update-index --add --cacheinfo 100644,$b,.vscode/tasks.json`,
		`git -C ../wt checkout -q -- . && mv ../wt/.vscode/tasks.json .vscode || true`,
	},
	{"a change of a file by its old name", renamed + `git branch feature $f`, `git merge -q -m m feature || true`},
	{"a change of a file by its old name, from the other branch", renamed + `git branch feature $f`, `git switch -q feature 2>/dev/null || exit 0; git merge -q -m m main || true`},
	{"a stash of a file by its old name", renamed + `git stash store -m wip $(git commit-tree -p $b -p $(git commit-tree -p $b -m index $b^{tree}) -m wip $f^{tree})`, `git stash pop -q || true`},
	{"a file beside one by its old name", renamed + `git branch feature $n`, `git merge -q -m m feature || true`},
	{
		"a file renamed to one that is ignored", `echo .vscode/ >>.git/info/exclude; git rm -q -r --cached .vscode; mkdir x; cp .vscode/settings.json x/t.json; git add x; git commit -qm base
export GIT_INDEX_FILE=$PWD/.git/tmp-index; git read-tree HEAD; git rm -q --cached x/t.json; git update-index --add --cacheinfo 100644,$(git hash-object .vscode/settings.json),.vscode/settings.json; f=$(git commit-tree -p HEAD -m f $(git write-tree))
unset GIT_INDEX_FILE; git branch feature $f; echo evil >x/t.json; git commit -qam evil`, `git merge -q -m m feature || true`,
	},
	{
		"a git directory by another name", add + `add kit/HEAD 'ref: refs/heads/main'; add kit/config "[core]
repositoryformatversion=0
bare=false
worktree=$PWD
fsmonitor=echo evil >.vscode/tasks.json; false"; add kit/objects/.x; add kit/refs/.x; git branch new $(commit)`,
		`git switch -q new 2>/dev/null || exit 0; (cd kit; git status >/dev/null)`,
	},
	{
		"the rest of a git directory", add + `mkdir kit; echo 'ref: refs/heads/main' >kit/HEAD; echo "[core]
repositoryformatversion=0
bare=false
worktree=$PWD
fsmonitor=echo evil >.vscode/tasks.json; false" >kit/config; add kit/objects/.x; add kit/refs/.x; git branch new $(commit)`,
		`git switch -q new 2>/dev/null || exit 0; (cd kit; git status >/dev/null)`,
	},
	{
		"a hook that the user's settings name", add + `add .husky/pre-commit '#!/bin/sh
echo evil >.vscode/tasks.json' 100755; git branch new $(commit)`,
		`git switch -q new 2>/dev/null || exit 0; git -c core.hooksPath=.husky commit -qm x --allow-empty`,
	},
	{"a link that leads out", add + `add link "$(cd ..; pwd)/home" 120000; git branch new $(commit)`, `git switch -q new 2>/dev/null || exit 0; mkdir ../home/x; mv link/x .vscode/tasks.json`},
	{"a link that leads up", add + `add src/link ../../home 120000; git stash store -m wip $(git commit-tree -p main -p $(git commit-tree -p main -m i main^{tree}) -m wip $t)`, `git stash pop -q; test -e src/link/x || { mkdir ../home/x; mv src/link/x .vscode/tasks.json || true; }`},
	{"a link in the index", `git update-index --add --cacheinfo 120000,$(printf ../home | git hash-object -w --stdin),link`, `git checkout -q -- . ; mkdir ../home/x; mv link/x .vscode/tasks.json || true`},
	{"a line of a branch's log", `c=$(evil main); h=$(git rev-parse main)` + lines + `>>.git/logs/refs/heads/main`, `git reset -q --hard main@{1}`},
	{"a line of HEAD's log", `c=$(evil main); h=$(git rev-parse main)` + lines + `>>.git/logs/HEAD`, `git reset -q --hard HEAD@{1}`},
	{"the log of a new branch", `c=$(evil main); h=$(git rev-parse main); git branch log` + lines + `>.git/logs/refs/heads/log`, `git checkout -q log@{1} 2>/dev/null || true`},
	{
		"a move to it, far from the log's end", `printf '%s %s n <e@x> 1 +0000\tcheckout: moving from %s to main\n' $(git rev-parse HEAD HEAD) $(evil main) >>.git/logs/HEAD
l=$(printf '%s %s n <e@x> 2 +0000\treset: x' $(git rev-parse HEAD HEAD)); yes "$l" | head -n 2000 >>.git/logs/HEAD`, `git checkout -q -`,
	},
	{"what was taken back, by its log", `git reset -q --mixed $(evil main)`, `for c in $(cut -d' ' -f1,2 .git/logs/HEAD .git/logs/refs/heads/main); do git checkout -q $c -- . 2>/dev/null || true; done`},
	{"a branch by a file that is none", `evil main >.git/objects/x; echo 'ref: objects/x' >.git/refs/heads/new`, `git switch -q new 2>/dev/null || true`},
	{"a branch in large letters", `evil main | tr a-f A-F >.git/refs/heads/new`, `git switch -q new 2>/dev/null || true`},
	{"a packed branch behind a tab", `git pack-refs --all; printf '%s\trefs/heads/zz\n' $(evil main) >>.git/packed-refs`, `git switch -q zz 2>/dev/null || true`},
	{"a file that git takes for a branch", `git branch testing; evil main >.git/testing`, `git reset -q --hard testing 2>/dev/null`},
	{"a tag of a tree", `git tag -m t v1 $(evil main)^{tree}`, `git checkout -q v1 -- . 2>/dev/null || true`},
	{"a tag", `git tag -f -m t v1 $(evil main)`, `git checkout -q v1 2>/dev/null || true`},
}

func TestWhatACommitBringsIsSetAside(t *testing.T) {
	t.Parallel()
	for _, a := range long.Part(attacks, 5) {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			for _, watched := range []bool{false, true} {
				dir := project(t)
				w := Look([]string{dir}, dir, "", Sight{Pointed: []string{filepath.Join(dir, ".husky")}})
				git(t, dir, evil+a.command)
				var found []Found
				if watched {
					found = w.Judge(run)
				}
				git(t, dir, a.user)
				text, _ := os.ReadFile(filepath.Join(dir, ".vscode/settings.json"))
				_, err := os.Lstat(filepath.Join(dir, ".vscode/tasks.json"))
				obeyed := err == nil || string(text) != "{}\n"
				switch {
				case !watched && !obeyed:
					t.Error("the attack does not work: this proves nothing")
				case watched && obeyed:
					t.Errorf("it came: %+v", found)
				case watched && len(found) == 0:
					t.Error("nothing is reported")
				}
				for _, f := range found {
					if f.Err != nil {
						t.Errorf("%+v", f)
					}
				}
				if watched {
					git(t, dir, "git fsck --strict 2>&1")
				}
			}
		})
	}
}

// An undo takes back what git has written where the command ran, and the objects with it. A
// row that we write would stay, and name none.
func TestWhatIsSetAsideIsGitsToWrite(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		`for i in $(seq 30); do git branch n$i $(evil main); done`,
		`git reset -q --mixed $(evil main); : >.git/refs/heads/main.lock`,
	} {
		dir := project(t)
		w := Look([]string{dir}, dir, "", Sight{})
		git(t, dir, evil+command)
		found := w.Judge(run)
		packed, _ := os.ReadFile(filepath.Join(dir, ".git/packed-refs"))
		if kept := git(t, dir, "git for-each-ref "+asideRefs); kept == "" || strings.Contains(string(packed), asideRefs) {
			t.Errorf("%s: %+v\n%s\n%s", command, found, kept, packed)
		}
	}
}

func TestOrdinaryWorkIsLeftAlone(t *testing.T) {
	t.Parallel()
	for _, command := range long.Part([]string{
		`echo x >src/x; echo x >.gitignore; echo A=1 >.env; echo '* text=auto' >src/.gitattributes; mkdir .github; echo x >.github/x.yml; git add -f .; git commit -qm x; echo y >.gitignore`,
		`echo x >src/x; git add .; git commit -qm x; git commit -q --amend -m y; git gc -q; git commit-graph write --reachable --split; git pack-refs --all`,
		`git switch -q other; git merge -q -m m main; git switch -q main; git merge -q other`,
		`git switch -q other; git rebase -q main; git switch -q main`,
		`git stash pop -q; git stash -q; git stash list`,
		`git stash -q -u || true; git stash drop -q; git branch -D other -q; git tag v1; git tag -a -m t v2`,
		`git cherry-pick other; git revert --no-edit HEAD; git reset -q --hard HEAD~1`,
		`git worktree add -q ../wt -b wt 2>/dev/null; git worktree remove ../wt`,
		`git update-index --refresh; git status -s; git rm -q --cached .vscode/settings.json`,
		`git checkout -q --orphan fresh; git commit -qm root; git switch -q main`,
		`ln -s src link; ln -s ../src/a src/b; ln -s /usr/bin/env env; mkdir -p hooks/objects config/refs; echo x >hooks/objects/config; echo x >config/refs/x; git add .; git commit -qm links; git switch -qc more; ln -s ../link src/d; echo y >hooks/y; git add .; git commit -qm x; git switch -q main; git mv src/a hooks/a; git commit -qm mv; git merge -q -m m more`,
		`git bisect start HEAD HEAD~1 >/dev/null; git bisect reset 2>/dev/null`,
		`git notes add -m note; git fetch -q . other:copy; git branch from-copy copy`,
		`git update-index --index-version 4; echo y >src/y; git add .; git commit -qm y`,
		`git branch -m other new; git switch -q new; echo y >src/y; git add .; git commit -qm y; git switch -q -; git reflog delete HEAD@{1}; git reflog expire --expire=now refs/heads/new; git gc -q`,
		`git branch fine main~1; git branch -D fine -q; git commit -q --amend -m again; git reset -q --hard main@{1}`,
		`git commit -q --amend -m y; git branch -D other -q; git reflog expire --expire=now --all; git prune --expire=now`,
		`git stash drop -q; git reset -q --hard HEAD~1; git commit -q --allow-empty -m x; git reflog expire --expire=now --all; git gc -q --prune=now`,
	}, 4) {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			dir := project(t)
			// What the user has thought better of is in the logs.
			git(t, dir, "echo mine >.vscode/old; git add .; git commit -qm old; git reset -q --hard HEAD~1")
			w := Look([]string{dir}, dir, "", Sight{})
			git(t, dir, command)
			refs := git(t, dir, "git for-each-ref; git ls-files -s; cat .git/HEAD; cat .git/logs/HEAD")
			if found := w.Judge(run); len(found) > 0 {
				t.Errorf("%+v", found)
			}
			if now := git(t, dir, "git for-each-ref; git ls-files -s; cat .git/HEAD; cat .git/logs/HEAD"); now != refs {
				t.Errorf("was\n%s\nis\n%s", refs, now)
			}
		})
	}
}

// A person has edited a protected file, and the command commits all there is.
func TestWhatIsInTheWorkTreeMayBeCommitted(t *testing.T) {
	t.Parallel()
	dir := project(t)
	git(t, dir, `echo '{"mine":1}' >.vscode/settings.json; echo '{}' >.vscode/launch.json`)
	w := Look([]string{dir}, dir, "", Sight{})
	git(t, dir, `git add -A; git stash -q; git stash pop -q; git commit -qam all`)
	if found := w.Judge(run); len(found) > 0 {
		t.Errorf("%+v", found)
	}
}

// What we read of an index is what git reads of it, in every form that git writes.
func TestAnIndexIsReadAsGitReadsIt(t *testing.T) {
	t.Parallel()
	dir := project(t)
	git(t, dir, `mkdir -p a/.idea "b c/.vscode"; for f in a/.idea/x "b c/.vscode/launch.json" .vscode/é .envrc a/.envrc-not src/long-$(printf %0200d 1) .zed; do echo $f >"$f"; done; git add -A -f; git add -N src/c; chmod +x .envrc; git add .envrc`)
	for _, form := range []string{"2", "3", "4"} {
		git(t, dir, "git update-index --index-version "+form+"; git update-index --skip-worktree .zed")
		got := Sight{}.indexOf(filepath.Join(dir, ".git/index"), dir)
		if got.err != nil || len(got.entries) != 6 {
			t.Errorf("version %s: %+v", form, got)
		}
		want, err := (&judge{run: run}).listed(gitDir{path: filepath.Join(dir, ".git"), top: dir})
		if err != nil || !maps.Equal(got.entries, want) {
			t.Errorf("version %s: %v\n%v, git:\n%v", form, err, got.entries, want)
		}
	}
}

// git cherry-pick takes the tree that a commit graph names.
func TestACommitGraphThatLiesIsRemoved(t *testing.T) {
	t.Parallel()
	for _, watched := range []bool{false, true} {
		dir := project(t)
		w := Look([]string{dir}, dir, "", Sight{})
		git(t, dir, "git commit-graph write --reachable")
		oid := func(script string) []byte {
			b, err := hex.DecodeString(strings.TrimSpace(git(t, dir, evil+script)))
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		graph := filepath.Join(dir, ".git", graphFile)
		text, err := os.ReadFile(graph)
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.ReplaceAll(text, oid("git rev-parse main^{tree}"), oid("git rev-parse $(evil main)^{tree}"))
		sum := sha1.Sum(text[:len(text)-sha1.Size])
		if err := errors.Join(os.Remove(graph), os.WriteFile(graph, append(text[:len(text)-sha1.Size], sum[:]...), 0o444)); err != nil {
			t.Fatal(err)
		}
		if watched {
			if found := w.Judge(run); len(found) != 1 || !found[0].Back || found[0].Err != nil {
				t.Errorf("%+v", found)
			}
		}
		git(t, dir, "git switch -q other; git cherry-pick main || true")
		if _, err := os.Lstat(filepath.Join(dir, ".vscode/tasks.json")); (err == nil) == watched {
			t.Errorf("watched: %v, it came: %v", watched, err)
		}
	}
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x01"))
	f.Fuzz(func(_ *testing.T, b []byte) { _, _ = parseIndex(b, func(string, string, byte) bool { return true }) })
}

func BenchmarkLook(b *testing.B) {
	dir, _ := filepath.Abs("../..")
	for b.Loop() {
		Look([]string{dir}, dir, "", Sight{})
	}
}

// What comes from a server is reported where it stays, and git does not switch to it by
// itself.
func TestAFetchIsReported(t *testing.T) {
	t.Parallel()
	dir := project(t)
	git(t, dir, `git clone -q . ../up; git remote add origin ../up; git fetch -q
cd ../up; git config user.name n; git config user.email e@x; mkdir -p .vscode; echo evil >.vscode/tasks.json; git add .; git commit -qm up`)
	w := Look([]string{dir}, dir, "", Sight{})
	git(t, dir, `git fetch -q origin`)
	logged := git(t, dir, "cat .git/logs/refs/remotes/origin/main")
	found := w.Judge(run)
	if now := git(t, dir, "cat .git/logs/refs/remotes/origin/main"); now != logged {
		t.Errorf("the log was %s, is %s", logged, now)
	}
	names := map[string]string{}
	for _, f := range found {
		names[f.Name] = f.Aside + strings.Join(f.Paths, " ")
	}
	if len(names) != 2 || names["refs/remotes/origin/main"] != ".vscode/tasks.json" || names["FETCH_HEAD"] == "" {
		t.Errorf("%+v", found)
	}
}

// What one command leaves is no more known to the next one than to the first.
func TestTwoCommandsBringNothingEither(t *testing.T) {
	long.Test(t)
	t.Parallel()
	later := `e=$(evil main); mv .git/objects/${e:0:2}/${e:2} .git/tmp_later; h=$(git rev-parse main) c=$e; `
	there := `e=$(cat src/tmp_name); mkdir -p .git/objects/${e:0:2}; mv .git/tmp_later .git/objects/${e:0:2}/${e:2}`
	for name, c := range map[string][3]string{
		"what was set aside":            {`git update-ref refs/heads/new $(evil main)`, `git branch -f new refs/pillion/aside/heads/new`, `git switch -q new 2>/dev/null || true`},
		"HEAD for what was set aside":   {`git update-ref refs/heads/new $(evil main)`, `git symbolic-ref HEAD refs/pillion/aside/heads/new`, `git checkout -q -f || true`},
		"a branch for what will be":     {`git symbolic-ref refs/heads/new refs/pillion/aside/heads/new`, `git update-ref refs/pillion/aside/heads/new $(evil main)`, `git switch -q new 2>/dev/null || true`},
		"a tree's HEAD for it":          {`git worktree add -q wt -b wt; git update-ref refs/heads/new $(evil main)`, `git -C wt symbolic-ref HEAD refs/pillion/aside/heads/new`, `git -C wt checkout -q -f; mv wt/.vscode/tasks.json .vscode || true`},
		"a branch without its commit":   {later + `echo $e | tee src/tmp_name >.git/refs/heads/new`, there, `git switch -q new 2>/dev/null || true`},
		"a log without its commit":      {later + `echo $e >src/tmp_name` + lines + `>>.git/logs/HEAD`, there, `git reset -q --hard HEAD@{1}`},
		"an operation without its head": {later + `mkdir .git/sequencer; echo $e | tee src/tmp_name >.git/sequencer/head; echo $h >.git/sequencer/abort-safety; echo "pick $h" >.git/sequencer/todo`, there, `git cherry-pick --abort || true`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, watched := range []bool{false, true} {
				dir := project(t)
				for i, command := range c[:2] {
					w := Look([]string{dir}, dir, "", Sight{Offline: true})
					git(t, dir, evil+command)
					if watched || i == 0 && strings.Contains(command, "new $(evil") {
						w.Judge(run)
					}
				}
				git(t, dir, c[2])
				if _, err := os.Lstat(filepath.Join(dir, ".vscode/tasks.json")); (err == nil) == watched {
					t.Errorf("watched: %v, it came: %v", watched, err)
				}
			}
		})
	}
}

// A submodule has branches and an index like any repository, and its commit is in the
// index of the one that has it.
func TestASubmoduleIsComparedToo(t *testing.T) {
	long.Test(t)
	t.Parallel()
	for name, c := range map[string][2]string{
		"a branch":       {`cd sub; git branch new $(evil main)`, `git -C sub switch -q new 2>/dev/null || true`},
		"the index":      {`cd sub; git update-index --add --cacheinfo 100644,$(blob),.vscode/tasks.json`, `git -C sub checkout -q -- .`},
		"its commit":     {`c=$(cd sub; evil main); git -C sub update-ref refs/x $c; git update-index --cacheinfo 160000,$c,sub`, `git submodule -q update`},
		"one further in": {`cd sub/in; git branch new $(evil main)`, `git -C sub/in switch -q new 2>/dev/null || true; cp -r sub/in/.vscode sub || true`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, watched := range []bool{false, true} {
				dir := project(t)
				git(t, dir, `export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=protocol.file.allow GIT_CONFIG_VALUE_0=always
for m in in sub; do git init -q -b main ../$m; (cd ../$m; git config user.name n; git config user.email e@x; echo a >a; git add .; git commit -qm a); done
git -C ../sub submodule -q add ../in; git -C ../sub commit -qm in; git submodule -q add ../sub; git submodule -q update --init --recursive; git commit -qm sub; for m in sub sub/in; do git -C $m switch -q main; git -C $m config user.name n; git -C $m config user.email e@x; done`)
				w := Look([]string{dir}, dir, "", Sight{})
				git(t, dir, evilIn+c[0])
				if watched {
					w.Judge(run)
				}
				git(t, dir, c[1])
				if _, err := os.Lstat(filepath.Join(dir, "sub/.vscode/tasks.json")); (err == nil) == watched {
					t.Errorf("watched: %v, it came: %v", watched, err)
				}
			}
		})
	}
}

// evilIn is evil for any git directory.
var evilIn = strings.NewReplacer("$PWD/", "", "\nevil() {", "\nevil() { b=$(blob)\n", "b=$(echo", "blob() { echo", "--stdin)", "--stdin; }", ".git/tmp-index", "$(git rev-parse --absolute-git-dir)/tmp-index").Replace(evil)

// A repository below the top one is looked at when a command comes to it.
func TestANestedRepositoryIsComparedToo(t *testing.T) {
	long.Test(t)
	t.Parallel()
	for name, c := range map[string]struct{ near, command, user string }{
		"a branch":         {"a/n/.git", `cd a/n; git branch new $(evil main)`, `git -C a/n switch -q new 2>/dev/null || true`},
		"the index":        {"a/n/.git", `cd a/n; git update-index --add --cacheinfo 100644,$(blob),.vscode/tasks.json`, `git -C a/n checkout -q -- .`},
		"a moved one":      {"a/n/.git", `cd a/n; git branch new $(evil main); cd ../..; mv a b`, `mv b a; git -C a/n switch -q new 2>/dev/null || true`},
		"one with a tree":  {"a/n/.git", `cd a/n; git branch new $(evil main)`, `git -C a/n worktree add -q ../t new 2>/dev/null && mv a/t/.vscode a/n/ || true`},
		"a bare one":       {"bare", `cd a/n; git push -q ../../bare $(evil main):refs/heads/new`, `git clone -q bare -b new c && mv c/.vscode a/n/ || true`},
		"its commit, here": {"a/n/.git", `c=$(cd a/n; evil main); git -C a/n update-ref refs/x $c; git update-index --add --cacheinfo 160000,$c,a/n`, `git submodule -q update a/n`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, watched := range []bool{false, true} {
				dir := project(t)
				git(t, dir, `mkdir a; git init -q -b main a/n; cd a/n; git config user.name n; git config user.email e@x; echo a >a; git add .; git commit -qm a; git clone -q --bare . ../../bare
cd ../..; git config -f .gitmodules submodule.n.path a/n; git config -f .gitmodules submodule.n.url ./bare; git config submodule.n.url ./bare; git add .gitmodules a/n 2>/dev/null; git commit -qm n`)
				w := Look([]string{dir}, dir, "", Sight{})
				w.Near(filepath.Join(dir, c.near))
				git(t, dir, evilIn+c.command)
				if watched {
					for _, f := range w.Judge(run) {
						if f.Err != nil {
							t.Errorf("%+v", f)
						}
					}
				}
				git(t, dir, c.user)
				if _, err := os.Lstat(filepath.Join(dir, "a/n/.vscode/tasks.json")); (err == nil) == watched {
					t.Errorf("watched: %v, it came: %v", watched, err)
				}
			}
		})
	}
}

// What many branches and long logs cost before a command.
func BenchmarkLookAtMany(b *testing.B) {
	dir := b.TempDir()
	cmd := exec.Command("bash", "-euc", `git init -q -b main; git config user.name n; git config user.email e@x; echo a >a; git add .; git commit -qm a
h=$(git rev-parse HEAD); l="$h $h n <e@x> 1700000000 +0000\tcommit: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
for i in $(seq 200); do echo $h >.git/refs/heads/b$i; printf "$l\n" >.git/logs/refs/heads/b$i; done
for i in $(seq 5000); do printf "$l\n"; done >>.git/logs/HEAD; sleep 0.2`)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for b.Loop() {
		Look([]string{dir}, dir, "", Sight{})
	}
}
