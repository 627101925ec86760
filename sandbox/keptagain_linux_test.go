package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox/journal"
	"github.com/pillion-sidecar/pillion/test/long"
)

// Where an undo leaves a directory of the command's, because something of the user's is in
// it by now, what was there before comes back beside that. Whoever undoes the same command
// again, by force or not, loses nothing of it, whatever he has done with it meanwhile.
func TestAnUndoThatComesAgainTakesNothingAwayThatTheFirstHasPutBack(t *testing.T) {
	t.Parallel()
	everyUser(t, func(t *testing.T) {
		fill := `find . -type d -perm -300 -exec sh -c 'echo theirs >"$1/theirs"' sh {} \;`
		scripts := append([]string{
			`rm -rf src; mkdir src; echo new >src/new`, `rmdir docs/empty; mkdir docs/empty; echo new >docs/empty/new`,
			`mv src was; mkdir -p src/gen; mv was/gen/one src/gen/one; echo new >src/gen/new`,
			`rm -rf src; mkdir -p src/gen/sub; echo new >src/gen/sub/new; mv run.sh src/gen/sub/run.sh`,
		}, long.Part(destructive, 4)...)
		for i, script := range scripts {
			for _, meanwhile := range []string{"true", `find . -type f -perm -600 ! -name theirs -exec sh -c 'echo mine >>"$1"' sh {} \;`} {
				b := newBench(t)
				s := b.journaled()
				outside(t, b.ws, usersTree)
				before := names(state(t, b.ws))
				name := b.kept(s, script)
				if name == "" {
					continue
				}
				outside(t, b.ws, fill)
				again := journal.Options{Force: i%3 != 2}
				var r journal.Result
				for _, o := range []journal.Options{{}, again, {Force: true}} {
					o.Name = journal.NewName(time.Now(), "undo")
					var err error
					if r, err = b.foreseen(s, name, o); err != nil {
						break // all of it was undone
					}
					outside(t, b.ws, meanwhile)
				}
				now := names(state(t, b.ws))
				for _, path := range before {
					told := slices.ContainsFunc(r.Left, func(l journal.Left) bool { return strings.HasPrefix(b.ws+"/"+path, l.Path) })
					if !slices.Contains(now, path) && !told {
						t.Errorf("%s\n%s: %s is gone: %+v", script, meanwhile, path, r)
					}
				}
			}
		}
	})
}

// What an undo puts back, and takes away again with a step that comes later, is no work of
// its own: it is kept.
func TestWhatAnUndoPutsBackAndTakesAwayAgainIsKept(t *testing.T) {
	t.Parallel()
	everyUser(t, func(t *testing.T) {
		for _, row := range []struct{ command, person string }{
			{"rm a; mv src/sub/a a; rm a", "rm -rf src/sub"},
			{"rm a; mv src/sub/a a; rm a", "rm -rf src/sub; echo mine >src/sub; echo mine, too >a"},
			{"rm -r docs; mv src/sub docs; rm -r docs", "rm -rf src"},
			{"rm a; mv src/sub/a a; mv -f src/a a; rm a", "rm -rf src"},
			{"rm src/sub/a; meet; rm src/sub/a", "echo mine >src/sub/a"},
			{"echo new >t; meet; rm t", "echo mine >t"},
			{"echo new >a; meet; echo newer >a", "echo mine >a"},
		} {
			q := newSequence(t, 0)
			name, person := "", func() { outside(t, q.ws, row.person) }
			if strings.Contains(row.command, "meet") {
				name = q.together(t, row.command, person)
			} else {
				name = q.kept(q.store, row.command)
				person()
			}
			had := q.contents()
			r, err := q.foreseen(q.store, name, journal.Options{Name: journal.NewName(time.Now(), "undo"), Force: true})
			for range 2 { // and undo, and redo
				r, _ = q.foreseen(q.store, r.Entry, journal.Options{Name: journal.NewName(time.Now(), "redo")})
			}
			if lost := q.lost(had); err != nil || len(lost) > 0 {
				t.Errorf("%s; then %s: %q is nowhere: %v %+v", row.command, row.person, lost, err, r)
			}
		}
	})
}

// Where the journal is on another file system the number of a file that is removed is free:
// what gets it, at the same name, is no reason to forget what was kept.
func TestAnotherFileWithTheNumberOfARemovedOneIsAnother(t *testing.T) {
	t.Parallel()
	q := newNumbers(t)
	other, err := os.MkdirTemp("/dev/shm", "pillion-journal-")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(other) })
	q.policy.Journal, q.store = other, journal.Open(other, []string{q.ws})
	for i := range 5 {
		outside(t, q.ws, "echo precious >p")
		name := q.kept(q.store, "rm p")
		outside(t, q.ws, "echo mine >p")
		had := q.contents()
		r, err := q.foreseen(q.store, name, journal.Options{Name: journal.NewName(time.Now(), "undo"), Force: i%2 == 1})
		if lost := q.lost(had); err != nil || len(lost) > 0 || len(r.Left) == i%2 {
			t.Errorf("%q is nowhere: %v %+v", lost, err, r)
		}
	}
}

// contents are those of all files that there are, in the workspace or kept.
func (q *sequence) contents() map[string]bool {
	q.t.Helper()
	all := map[string]bool{}
	for _, dir := range []string{q.ws, q.policy.Journal} {
		must(q.t, filepath.WalkDir(dir, func(file string, e os.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() || dir != q.ws && slices.Contains([]string{"log", "meta", "rest", "rest.log"}, e.Name()) {
				return err
			}
			text, err := os.ReadFile(file)
			all[string(text)] = true
			return err
		}))
	}
	return all
}

// lost is what was there, and is nowhere now.
func (q *sequence) lost(had map[string]bool) (lost []string) {
	q.t.Helper()
	now := q.contents()
	for text := range had {
		if !now[text] {
			lost = append(lost, text)
		}
	}
	return lost
}

// names are those of what a state is about.
func names(state string) (all []string) {
	for line := range strings.Lines(state) {
		if words := strings.Fields(line); len(words) > 3 && len(words[1]) == 1 {
			all = append(all, words[0])
		}
	}
	return all
}

// An undo by force keeps what is there now. What it can't keep, since neither a name of it
// nor a copy may be made, stays: a file of another user's in a directory of one's own.
func TestAnUndoByForceLeavesWhatItCanNotKeep(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		return // no file is somebody else's
	}
	exe, err := os.Executable()
	must(t, err)
	for _, script := range []string{"mkdir made; echo 1 >made/f", "rm p", "mv p q", "rm p; mkdir made; echo 1 >made/f"} {
		b := newBench(t)
		s := b.journaled()
		outside(t, b.ws, "echo precious >p")
		name := b.kept(s, script)
		outside(t, b.ws, `for f in ./theirs made/theirs p; do test ! -d ${f%/*} && test $f != p || test -e $f || echo secret >$f; done
			chmod 711 .. ../..; chown -R 65534:65534 . ../journal; find . -type f -exec grep -qx secret {} \; -exec chown 0:0 {} + -exec chmod 600 {} +`)
		there := b.host("grep -rlx secret . | sort")
		cmd := exec.Command("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", exe, "undo", b.policy.Journal, b.ws, name, "10000000", "force")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v %s", script, err, out)
		}
		if now := b.host("grep -rlx secret . | sort"); now != there || there == "" {
			t.Errorf("%s: of %s is left %s", script, there, now)
		}
	}
}
