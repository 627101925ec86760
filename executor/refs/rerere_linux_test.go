package refs

import (
	"strings"
	"testing"
)

// What git rerere has recorded has no path: it resolves the same conflict in any file.
const (
	conflicting = `git switch -q other; echo '{"a":1}' >.vscode/settings.json; git commit -qam a; git switch -q main; echo '{"b":2}' >.vscode/settings.json; git commit -qam b; `
	conflict    = `git -c rerere.enabled=true merge -q other >/dev/null 2>&1 || true; `
	recorded    = conflict + `echo evil >.vscode/settings.json; git rerere; git reset -q --hard; `
	// pending is a conflict of another file, which git goes on with.
	pending = conflict + `p=$(tr '\0' '\n' <.git/MERGE_RR | cut -f1); git reset -q --hard; echo evil >src/c; printf '%s\tsrc/c\0' $p >.git/MERGE_RR; `
)

func TestARecordedResolutionIsAPersonsOwn(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]struct{ before, command, user string }{
		"a new one":            {"", recorded, ""},
		"one that was another": {conflict + `echo mine >.vscode/settings.json; git rerere; git reset -q --hard; `, `echo evil >$(echo .git/rr-cache/*/postimage)`, ""},
		"one of another file":  {conflict, `printf '%s\tsrc/c\0' $(tr '\0' '\n' <.git/MERGE_RR | cut -f1) >.git/MERGE_RR; echo evil >src/c`, `git -c rerere.enabled=true commit -qam mine; git reset -q --hard HEAD~1; `},
		"one that git records": {"", pending, `git -c rerere.enabled=true rerere; git checkout -q src; `},
	} {
		for _, watched := range []bool{false, true} {
			dir := project(t)
			git(t, dir, conflicting+a.before)
			w := Look([]string{dir}, dir, "", Sight{})
			git(t, dir, a.command)
			var found []Found
			if watched {
				found = w.Judge(run)
			}
			text := git(t, dir, a.user+conflict+`cat .vscode/settings.json`)
			if evil := strings.Contains(text, "evil"); evil == watched || watched && len(found) == 0 {
				t.Errorf("%s, watched %v: %q, %+v", name, watched, text, found)
			}
		}
	}
}

// A command can merge, with what a person has recorded, which stays.
func TestAPersonsResolutionsStay(t *testing.T) {
	t.Parallel()
	dir := project(t)
	git(t, dir, `git switch -q other; echo o >src/a; git commit -qam o; git switch -q main; echo m >src/a; git commit -qam m; git config rerere.enabled true; `+
		conflict+`echo mine >src/a; git rerere; git reset -q --hard; sleep 0.2`)
	for _, command := range []string{conflict, `git add .; git commit -qm merged`, `git reset -q --hard HEAD~1`, conflict + `[ "$(cat src/a)" = mine ]`, `git merge --abort`} {
		w := Look([]string{dir}, dir, "", Sight{})
		git(t, dir, command)
		if found := w.Judge(run); len(found) > 0 {
			t.Errorf("%s: %+v", command, found)
		}
	}
	git(t, dir, `rm -r .git/rr-cache/*`)
	w := Look([]string{dir}, dir, "", Sight{})
	git(t, dir, conflict)
	if found := w.Judge(run); len(found) != 1 || found[0].Name != rerereDir || !found[0].Back {
		t.Errorf("a conflict that is left: %+v", found)
	}
	if text := git(t, dir, `git rerere; echo mine >src/a; git rerere; cat .git/rr-cache/*/postimage*`); text != "Recorded preimage for 'src/a'\nRecorded resolution for 'src/a'.\nmine\n" {
		t.Errorf("git does not find it again: %q", text)
	}
}
