package refs

import (
	"strings"
	"testing"
)

// A branch of the user's gives another name to what a command changes on the one that is
// checked out: git merge, or git rebase, would bring the change to that name.
func TestAMergeWithAnotherBranchBringsNothing(t *testing.T) {
	t.Parallel()
	const mine = `mkdir cfg; for i in 1 2 3 4 5 6; do echo "line $i" >>cfg/f1; done; cp cfg/f1 cfg/f2; git add cfg; git commit -qm cfg; git switch -qc mine; `
	const back = `git add -A; git commit -qm mine; git switch -q main; `
	for name, c := range map[string]struct{ before, command, bad string }{
		"a file":       {mine + `git mv cfg/f1 .vscode/tasks.json; ` + back, `echo evil >>cfg/f1; git commit -qam edit`, "evil"},
		"a directory":  {mine + `git rm -qr .vscode; git mv cfg .vscode; ` + back, `echo evil >cfg/tasks.json; git add cfg; git commit -qm new`, "evil"},
		"a new branch": {mine + `git mv cfg/f1 .vscode/tasks.json; ` + back, `git switch -qc new; echo evil >>cfg/f1; git commit -qam edit; git switch -q main; git merge -q new`, "evil"},
	} {
		for _, watched := range []bool{false, true} {
			dir := project(t)
			git(t, dir, c.before+`echo other >>cfg/f2; git commit -qam f2`)
			w := Look([]string{dir}, dir, "", Sight{})
			git(t, dir, c.command)
			var found []Found
			if watched {
				found = w.Judge(run)
			}
			git(t, dir, `git reset -q --hard; git merge -q -m m mine || true`)
			text := git(t, dir, `cat .vscode/tasks.json 2>/dev/null || true`)
			if strings.Contains(text, c.bad) == watched || watched && (len(found) == 0 || !found[0].Back || len(found[0].Paths) == 0) {
				t.Errorf("%s, watched %v: %q, %+v", name, watched, text, found)
			}
		}
	}
	dir := project(t)
	git(t, dir, mine+`git mv cfg/f1 .vscode/tasks.json; `+back+`echo mine >>cfg/f1; git commit -qam mine`)
	w := Look([]string{dir}, dir, "", Sight{})
	git(t, dir, `echo x >>cfg/f2; echo y >src/new; git add .; git commit -qm work`)
	if found := w.Judge(run); len(found) > 0 {
		t.Errorf("a change of the user's own: %+v", found)
	}
}
