package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/journal"

	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// journaled gives the bench a journal, and a way to run one script as one entry.
func (b *bench) journaled() *journal.Store {
	b.t.Helper()
	b.policy.Journal = filepath.Join(filepath.Dir(b.ws), "journal")
	must(b.t, os.Mkdir(b.policy.Journal, 0o700))
	return journal.Open(b.policy.Journal, []string{b.ws})
}

// kept runs a script and returns the name of its entry, "" where it changed nothing.
func (b *bench) kept(s *journal.Store, script string) string {
	b.t.Helper()
	b.entry = journal.NewName(time.Now(), "x")
	defer func() { b.entry = "" }()
	if o := b.sh(script); o.status.Code != 0 {
		b.t.Logf("%s: %+v", script, o)
	}
	items, err := s.List()
	must(b.t, err)
	for _, i := range items {
		if i.Name == b.entry {
			if i.Ended.IsZero() {
				b.t.Errorf("%s: the entry has no end", script)
			}
			return i.Name
		}
	}
	return ""
}

// state describes everything of a tree that undo promises: content, modes, links,
// attributes and times.
func state(t *testing.T, dir string) string {
	t.Helper()
	out, err := exec.Command("sh", "-c", `cd "$1" && find . -printf '%P %y %m %T@ %l\n' | LC_ALL=C sort &&
		find . -type f -links +1 -printf '%i %P\n' | LC_ALL=C sort | awk '{ n[$1] = n[$1] " " $2 } END { for (i in n) if (split(n[i], f, " ") > 1) print "one file:" n[i] }' | LC_ALL=C sort &&
		find . -type f -exec sha256sum {} + | LC_ALL=C sort -k 2`, "sh", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out) + attributesBelow(t, dir)
}

// attributesBelow are the extended attributes of everything in a tree.
func attributesBelow(t *testing.T, dir string) string {
	var b strings.Builder
	must(t, filepath.WalkDir(dir, func(file string, _ fs.DirEntry, err error) error {
		list := make([]byte, 1000)
		n, _ := unix.Llistxattr(file, list) // no such thing here
		for _, key := range strings.FieldsFunc(string(list[:max(n, 0)]), func(r rune) bool { return r == 0 }) {
			value := make([]byte, 1000)
			n, err := unix.Lgetxattr(file, key, value)
			must(t, err)
			fmt.Fprintf(&b, "%s %s=%q\n", file, key, value[:n])
		}
		return err
	}))
	return b.String()
}

// attributed gives some of the user's tree attributes, where the file system has them.
func attributed(t *testing.T, ws string) {
	for _, name := range []string{"src/a.go", "src", "src/gen", "docs/empty", "big"} {
		err := unix.Setxattr(filepath.Join(ws, name), "user.note", []byte("of "+name+"\x00"), 0)
		if err != nil && err != unix.ENOTSUP {
			t.Fatal(err)
		}
	}
}

const usersTree = `
mkdir -p src/gen docs/empty private && printf 'package a\n' >src/a.go && printf '#!/bin/sh\n' >run.sh && chmod 755 run.sh
printf 'one\n' >src/gen/one && printf 'two\n' >src/gen/two && ln -s a.go src/link && ln -s nowhere dangling
head -c 200000 /dev/zero >big && printf x >'a
b' && printf y >"$(printf 'not \377 utf8')" && ln run.sh again.sh && mkfifo pipe && chmod 700 private && printf z >private/z
printf ro >readonly && chmod 400 readonly && touch -d '2001-02-03 04:05:06.789' src/a.go src/gen docs`

// binds makes a UNIX socket.
var binds = func() string {
	exe, _ := os.Executable()
	return "'" + exe + "' bind "
}()

var destructive = []string{
	`rm -rf src`, `rm -rf .[!.]* *`, `rm big`, `: >big`, `echo more >>big`, `sed -i s/one/three/ src/gen/one`, `mv src/a.go src/b.go`,
	`mv src other`, `mv -f src/gen/one src/gen/two`, `chmod 600 run.sh`, `chmod -R a-w src`, `touch src/a.go`, `truncate -s 3 big`,
	`ln -sfn elsewhere dangling`, `rmdir docs/empty`, `mv docs/empty new`, `rm pipe`, `rm -f "$(printf 'not \377 utf8')" 'a
b'`, `mkdir -p x/y/z; echo 1 >x/y/z/f; mv src/a.go x/y/; mv x moved`, `cp run.sh copy; echo evil >run.sh`, `echo evil >again.sh`,
	`rm -f readonly; echo new >readonly`, `for i in 1 2 3; do echo $i >t; mv t src/gen/one; done`, `ln src/a.go src/hard; echo w >src/hard; rm src/a.go`,
	`rm -rf src; mkdir src; echo new >src/a.go`, `tar cf t.tar src && rm -rf src && tar xf t.tar`, `find . -name '*.go' -delete`,
	`mv src/gen/one tmp; mv src/gen/two src/gen/one; mv tmp src/gen/two`, `echo a >new; ln new new2; rm new`, `dd if=/dev/zero of=big bs=1 count=5 conv=notrunc`,
	`cat src/a.go >src/a.tmp && echo x >>src/a.tmp && mv src/a.tmp src/a.go && chmod 600 src/a.go && rm src/a.go`,
	`cp --attributes-only --preserve=xattr src/a.go run.sh 2>/dev/null || :`, `cp --attributes-only --preserve=xattr src/a.go big 2>/dev/null; rm -rf src`,
	`cp -a src copied; rm -rf src; cp -a copied src`, binds + `new; ` + binds + `src/gen/new`, `rm src/a.go; ` + binds + `src/a.go; rm -r docs; ` + binds + `docs`, `chmod 200 src/a.go; echo x >src/a.go; chmod 600 src/a.go`, `chmod 200 run.sh; echo x >again.sh; chmod 700 run.sh`,
	`chmod 200 big; mv big src/b; truncate -s 1 src/b; chmod 400 src/b`, `chmod 0 src/a.go; echo x >src/a.go; rm -f src/a.go`, `mv -T docs/empty docs/e && rm -r docs && touch docs`,
	`chmod 777 src; rm -rf src; mkdir src; touch src/f`, `chmod 710 src/gen; mv src/gen g; rm -rf g; mkdir -m 750 src/gen; touch src/gen/f`,
	`exec 3<src/a.go; rm src/a.go; echo x >/proc/self/fd/3`, `exec 3<run.sh; rm again.sh; mv big run.sh; : >/proc/self/fd/3`,
	`ln big own; exec 3<own; rm big own; echo x >>/proc/self/fd/3`, `echo x >tmp; exec 3<tmp; ln tmp new; rm tmp; chmod 600 /proc/self/fd/3 && echo y >/proc/self/fd/3 && touch done`, `exec 3<big; rm big; touch -d 2001-01-01 /proc/self/fd/3; truncate -s 1 /proc/self/fd/3; chmod 0 /proc/self/fd/3`,
}

func TestWhatACommandDestroyedComesBack(t *testing.T) {
	t.Parallel()
	onEveryRung(t, func(t *testing.T, _ string) {
		for _, script := range long.Part(destructive, 4) {
			b := newBench(t)
			s := b.journaled()
			outside(t, b.ws, usersTree)
			attributed(t, b.ws)
			before := state(t, b.ws)
			name := b.kept(s, script)
			after := state(t, b.ws)
			if name == "" {
				if after != before {
					t.Errorf("%s: nothing was kept", script)
				}
				continue
			}
			dry, err := s.Undo(name, journal.Options{DryRun: true})
			if now := state(t, b.ws); err != nil || len(dry.Left) > 0 || now != after {
				t.Errorf("trying to undo %s: %v %+v\n%s", script, err, dry, difference(after, now))
			}
			undone := journal.NewName(time.Now(), "undo")
			r, err := b.foreseen(s, name, journal.Options{Name: undone})
			if now := state(t, b.ws); err != nil || len(r.Left) > 0 || now != before {
				t.Errorf("%s: %v %+v\n%s", script, err, r, difference(before, now))
				continue
			}
			again, err := b.foreseen(s, undone, journal.Options{Name: journal.NewName(time.Now(), "redo")})
			if now := state(t, b.ws); err != nil || len(again.Left) > 0 || now != after {
				t.Errorf("redo of %s: %v %+v\n%s", script, err, again, difference(after, now))
			}
		}
	})
}

// A workspace may be on another file system than the home: what is removed there is kept
// as a copy, and comes back as one. That two names were one file does not.
func TestWhatACommandDestroyedComesBackFromAnotherFileSystem(t *testing.T) {
	long.Test(t)
	t.Parallel()
	plain := func(t *testing.T, dir string) string {
		lines := slices.DeleteFunc(strings.SplitAfter(state(t, dir), "\n"), func(l string) bool { return strings.HasPrefix(l, "one file:") })
		return strings.Join(lines, "")
	}
	refused := 0
	for _, script := range append(destructive, "echo x >big; echo y >big", "rm -f private/z; echo a >private/z; echo b >private/z") {
		b := newBench(t)
		other, err := os.MkdirTemp("/dev/shm", "pillion-journal-")
		must(t, err)
		t.Cleanup(func() { _ = os.RemoveAll(other) })
		b.policy.Journal = other
		s := journal.Open(other, []string{b.ws})
		outside(t, b.ws, usersTree)
		before := plain(t, b.ws)
		name := b.kept(s, script)
		if after := plain(t, b.ws); name == "" || after == before {
			if refused++; after != before {
				t.Errorf("%s: nothing was kept", script)
			}
			continue
		}
		r, err := s.Undo(name, journal.Options{Name: journal.NewName(time.Now(), "undo")})
		// What was written by way of a removed file, or of another name of it, is only told.
		if now := plain(t, b.ws); err != nil || len(r.Left) == 0 && now != before || len(r.Left) > 0 && !strings.ContainsAny(script, "03") && !strings.HasPrefix(script, "ln ") {
			t.Errorf("%s: %v %+v\n%s", script, err, r, difference(before, now))
		}
	}
	if refused > 4 {
		t.Errorf("%d commands changed nothing", refused)
	}
}

// What an undo puts back is as what it took away was, also for the undo of a command before.
func TestUndoAndRedoLeaveWhatCameBeforeUndoable(t *testing.T) {
	long.Test(t)
	t.Parallel()
	everyUser(t, func(t *testing.T) {
		firsts := []string{"echo first >src/a.go; chmod 640 run.sh; touch big", "mv src/a.go src/c.go; mv src/c.go src/a.go; echo x >>big"}
		for i, script := range destructive {
			q := &sequence{bench: newBench(t)}
			q.store = q.journaled()
			outside(t, q.ws, usersTree)
			q.run(t, append(firsts, destructive[(i+7)%len(destructive)])[i%3])
			q.run(t, script)
			q.comesBack(t)
		}
	})
}

// A user who may change a directory's mode may undo what is in it, whatever its mode; what
// a person has put there stays, and so does its mode.
func TestUndoAndRedoOfDirectoriesThatAreShut(t *testing.T) {
	t.Parallel()
	everyUser(t, func(t *testing.T) {
		q := &sequence{bench: newBench(t)}
		q.store = q.journaled()
		t.Cleanup(func() { outside(t, q.ws, "chmod -R u+rwX .") })
		outside(t, q.ws, "mkdir -p ro/in m0; echo 1 >ro/x; echo 2 >ro/in/y; echo 3 >m0/z; chmod 555 ro/in ro; chmod 0 m0")
		name := q.kept(q.store, "chmod -R u+rwX ro m0; rm -rf ro m0")
		undo := func(left bool, then string) {
			t.Helper()
			r, err := q.undo(name)
			if name = q.undone; err != nil || len(r.Left) > 0 != left {
				t.Errorf("%v %+v", err, r)
			}
			outside(t, q.ws, then)
		}
		const there = `test "$(stat -c %a ro ro/in m0 | tr '\n' ' ')" = "555 555 0 "; `
		undo(false, there)
		undo(false, "test ! -e ro && test ! -e m0")
		undo(false, there+`chmod 700 m0; test "$(cat ro/x ro/in/y m0/z | tr -d '\n')" = 123; chmod 700 ro; echo mine >ro/mine; chmod 555 ro`)
		undo(true, `test "$(cat ro/mine)" = mine && test "$(stat -c %a ro)" = 555`)
	})
}

func outside(t *testing.T, dir, script string) {
	t.Helper()
	c := exec.Command("sh", "-c", script)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func difference(want, got string) string {
	lines := map[string]int{}
	for line := range strings.Lines(want) {
		lines[line]--
	}
	for line := range strings.Lines(got) {
		lines[line]++
	}
	var b strings.Builder
	for line, n := range lines {
		if n < 0 {
			b.WriteString("- " + line)
		} else if n > 0 {
			b.WriteString("+ " + line)
		}
	}
	return b.String()
}

const usersRepository = `
git init -q -b main && git config user.name you && git config user.email you@example.org
for i in 1 2 3; do echo $i >f$i; git add f$i; git commit -qm "commit $i"; done
git switch -qc topic HEAD~1 && echo topic >f3 && git add f3 && git commit -qm topic && git switch -q main
echo stashed >f1 && git stash -q && git branch other HEAD~2 && git tag v1
echo changed >f2; echo new >untracked; echo staged >f1; git add f1; mkdir -p build && echo o >build/o && echo build >.git/info/exclude`

var destructiveGit = []string{
	`git reset -q --hard HEAD~1`, `git clean -fdxq`, `git checkout -q -- .`, `git restore --staged .`, `git stash -q -u`, `git stash drop -q`,
	`git commit -qam amended --amend`, `git branch -D other`, `git tag -d v1`, `git commit -qam more`, `git stash -q && git rebase -q topic`,
	`git merge -q topic`, `git stash -q; git switch -q topic`, `git gc -q --prune=now`, `git reflog expire --expire=now --all && git gc -q --prune=now`,
	`rm -rf .git`, `git rm -q --cached f3`, `git rm -qf f1 f2`, `git update-ref -d refs/heads/main`, `git pack-refs --all --prune`, `git worktree add -q ../ws/wt topic`,
	`git cherry-pick topic`, `git stash -q && git filter-branch -f --msg-filter 'cat; echo x' 2>/dev/null`, `git init -q sub && cd sub && git commit -q --allow-empty -m x`,
	`git mv f3 f4 && git commit -qm mv`, `git add -A && git reset -q --soft HEAD~2`, `git clone -q . sub && git -C sub config user.name x && git -C sub config user.name y`, `git clone -q --bare . sub.git`,
	`git init -q sub && git -C sub config user.name x && mv sub moved && git -C moved config user.name y`, `git checkout -q --orphan fresh && git rm -rfq . `,
}

// What git itself says of a repository, besides its files.
const describe = `git status --porcelain && git log --all --oneline --decorate=full && git stash list && git fsck --no-progress && git reflog`

func TestWhatGitThrewAwayComesBack(t *testing.T) {
	t.Parallel()
	onEveryRung(t, func(t *testing.T, _ string) {
		for i, script := range long.Part(destructiveGit, 4) {
			if user, all, rung := share(); needs.Everything() && (i+rung)%all != user {
				continue // the other user tries it on this rung
			}
			b := newBench(t)
			s := b.journaled()
			outside(t, b.ws, usersRepository)
			said := func() string {
				out, _ := exec.Command("sh", "-c", `cp -a "$1" "$2" && cd "$2" && `+describe, "sh", b.ws, filepath.Join(t.TempDir(), "copy")).CombinedOutput()
				return string(out)
			}
			before, saying := state(t, b.ws), said()
			name := b.kept(s, script)
			if name == "" {
				continue
			}
			r, err := s.Undo(name, journal.Options{Name: journal.NewName(time.Now(), "undo")})
			if now := state(t, b.ws); err != nil || len(r.Left) > 0 || now != before {
				t.Errorf("%s: %v %+v\n%s", script, err, r, difference(before, now))
			}
			if now := said(); now != saying {
				t.Errorf("%s:\n%s", script, difference(saying, now))
			}
		}
	})
}

// What was put in the place of a file meanwhile is not what is restored: neither its
// mode nor its times are those of something outside.
func TestUndoFollowsNoLinkThatStandsInThePlace(t *testing.T) {
	b := newBench(t)
	s := b.journaled()
	secret := filepath.Join(b.out, "secret")
	outside(t, b.ws, `printf x >f && chmod 644 f && printf s >"`+secret+`" && chmod 600 "`+secret+`"`)
	before := state(t, b.out)
	name := b.kept(s, "chmod 600 f")
	must(t, os.Remove(filepath.Join(b.ws, "f")))
	must(t, os.Symlink(secret, filepath.Join(b.ws, "f")))
	r, err := s.Undo(name, journal.Options{Force: true, Name: journal.NewName(time.Now(), "undo")})
	if now := state(t, b.out); err != nil || len(r.Left) == 0 || now != before {
		t.Errorf("%v %+v\n%s", err, r, difference(before, now))
	}
}

// A file that was put there since may be a link to one outside: not even undo --force
// writes through it, or changes its mode.
func TestUndoWritesThroughNoHardLinkThatStandsInThePlace(t *testing.T) {
	for _, script := range []string{"echo evil >f", "chmod 777 f"} {
		b := newBench(t)
		s := b.journaled()
		profile := filepath.Join(b.out, "profile")
		outside(t, b.ws, `printf before >f && printf safe >"`+profile+`" && chmod 600 "`+profile+`"`)
		name := b.kept(s, script)
		must(t, os.Remove(filepath.Join(b.ws, "f")))
		must(t, os.Link(profile, filepath.Join(b.ws, "f")))
		if _, err := s.Undo(name, journal.Options{Force: true, Name: journal.NewName(time.Now(), "undo")}); err != nil {
			t.Error(err)
		}
		text, err := os.ReadFile(profile)
		must(t, err)
		info, err := os.Stat(profile)
		must(t, err)
		if string(text) != "safe" || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %s %v", script, text, info.Mode())
		}
	}
}

// Somebody has moved the directory since: by force a new one is made, and redo takes it away.
func TestUndoComesBackWhereTheDirectoryIsGone(t *testing.T) {
	t.Parallel()
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		s := b.journaled()
		outside(t, b.ws, "mkdir -p d/e && echo 1 >d/e/f && echo 2 >d/e/g && echo 3 >d/h")
		name := b.kept(s, "rm d/e/f; echo x >d/e/g; rm d/h")
		outside(t, b.ws, "mv d moved")
		gone := state(t, b.ws)
		if r, err := s.Undo(name, journal.Options{Name: journal.NewName(time.Now(), "undo")}); err != nil || len(r.Left) != 3 {
			t.Errorf("%v %+v", err, r)
		}
		redo := journal.NewName(time.Now(), "undo")
		r, err := s.Undo(name, journal.Options{Force: true, Name: redo})
		if err != nil || len(r.Left) > 0 {
			t.Errorf("%v %+v", err, r)
		}
		outside(t, b.ws, `test "$(cat d/e/f d/e/g d/h | tr -d '\n')" = 123`)
		r, err = s.Undo(redo, journal.Options{Name: journal.NewName(time.Now(), "undo")})
		if now := state(t, b.ws); err != nil || len(r.Left) > 0 || now != gone {
			t.Errorf("%v %+v\n%s", err, r, difference(gone, now))
		}
	})
}

// Where nobody was asked because all comes back, what would not come back is refused.
func TestWhatCanNotBeKeptIsRefusedWhereAllMustBe(t *testing.T) {
	t.Parallel()
	everyUser(t, func(t *testing.T) {
		if os.Geteuid() != 0 {
			return // no file is somebody else's
		}
		b := newBench(t)
		s := b.journaled()
		outside(t, b.ws, "echo mine >secret; chown 12345 secret; chmod 202 secret")
		b.keepAll, b.entry = true, journal.NewName(time.Now(), "x")
		if o := b.sh("echo theirs >>secret; echo new >made; rm secret"); !strings.Contains(o.out, "uota") {
			t.Errorf("%+v", o)
		}
		b.keepAll = false
		r, err := s.Undo(b.entry, journal.Options{Name: journal.NewName(time.Now(), "undo")})
		outside(t, b.ws, "chmod 600 secret")
		if text, _ := os.ReadFile(filepath.Join(b.ws, "secret")); err != nil || string(text) != "mine\n" {
			t.Errorf("%q, %+v, %v", text, r, err)
		}
	})
}
