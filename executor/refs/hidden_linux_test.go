package refs

import (
	"strings"
	"testing"
	"time"
)

// What an index says to take for unchanged, git status does not show.
func TestNoChangeIsHidden(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		`git update-index --assume-unchanged src/a; echo evil >src/a`, `git update-index --skip-worktree src/a; echo evil >src/a`,
		`git update-index --split-index; git update-index --skip-worktree src/a; echo evil >src/a`,
		`git update-index --assume-unchanged src/a; git update-index --skip-worktree src/a; echo evil >src/a`,
		`git update-index --index-version 4 --skip-worktree src/a; rm src/a`,
	} {
		for _, watched := range []bool{false, true} {
			dir := project(t)
			git(t, dir, `git update-index --assume-unchanged src/c; echo mine >src/c`)
			w := Look([]string{dir}, dir, "", Sight{})
			git(t, dir, command)
			var found []Found
			if watched {
				found = w.Judge(run)
			}
			text := git(t, dir, "git status --short")
			if strings.Contains(text, "src/a") != watched || strings.Contains(text, "src/c") || watched && (len(found) != 1 || found[0].Name != "hidden" || !found[0].Back) {
				t.Errorf("%s, watched %v: %q, %+v", command, watched, text, found)
			}
		}
	}
}

// What a sparse checkout leaves out is not there.
func TestACheckoutMayBeSparse(t *testing.T) {
	t.Parallel()
	dir := project(t)
	for _, command := range []string{`git sparse-checkout set .vscode; ! test -e src`, `git sparse-checkout reapply; echo x >y; git add y`, `git sparse-checkout disable; test -e src`} {
		w := Look([]string{dir}, dir, "", Sight{})
		git(t, dir, command)
		if found := w.Judge(run); len(found) > 0 {
			t.Errorf("%s: %+v", command, found)
		}
	}
}

// What the user had hidden stays so, also where the index was known from the command before.
func TestWhatAnIndexHidStaysHidden(t *testing.T) {
	t.Parallel()
	dir, kept := project(t), t.TempDir()
	git(t, dir, `git update-index --assume-unchanged src/c; echo mine >src/c`)
	time.Sleep(2 * clockTick) // or it is read again
	for range 2 {
		w := Look([]string{dir}, dir, kept, Sight{})
		if found := w.Judge(run); len(found) > 0 {
			t.Errorf("%+v", found)
		}
	}
	w := Look([]string{dir}, dir, kept, Sight{})
	git(t, dir, `echo x >y; git add y`)
	if found := w.Judge(run); len(found) > 0 || strings.Contains(git(t, dir, "git status --short"), "src/c") {
		t.Errorf("%+v", found)
	}
}
