package sandbox

import (
	"os/exec"
	"strings"
	"testing"
)

// Git's objects are of whoever names them: a commit on top of a command's needs that one's.
// What an undo leaves is a repository that git can read, and all that a person has put in it.
func TestUndoTakesNoObjectThatIsNeeded(t *testing.T) {
	t.Parallel()
	const more, by = "; echo x >f2; git commit -qam more", "git -c user.name=x -c user.email=x "
	everyUser(t, func(t *testing.T) {
		for _, row := range []struct{ command, person, holds string }{
			{"git stash -q" + more, "git commit -q --allow-empty -m mine", "git show HEAD~1:f2"},
			{"git add f2", "git commit -qm mine", "git show HEAD:f2"},
			{"git stash -q" + more, "git tag mine", "git show mine:f2"},
			{"git stash -q" + more, "git branch mine; git pack-refs --all", "git show mine:f2"},
			{"git stash -q; git merge -q -s ours topic", "git worktree add -q --detach wt", "git -C wt log -p"},
			{"git init -q sub; cd sub; echo x >x; git add x; " + by + "commit -qm x", "cd sub; " + by + "commit -q --allow-empty -m mine", "git -C sub show HEAD:x"},
			{"git clone -q . sub", "git -C sub tag mine", "git -C sub log mine"},
			{"git init -q --bare sub; git push -q sub main", "git -C sub branch mine main", "git -C sub show mine:f2"},
			{"git init -q sub; cd sub; " + by + "commit -q --allow-empty -m x", "echo mine >sub/mine", "git -C sub log; exit 0"},
		} {
			q, r, err := undoBehind(t, usersRepository, row.command, row.person)
			if err != nil || len(r.Left) == 0 || len(r.Left) > 9 {
				t.Errorf("%s; then %s: %v %+v", row.command, row.person, err, r)
			}
			c := exec.Command("sh", "-ec", row.holds+"; for d in . sub; do test ! -e $d || git -C $d fsck --no-dangling; done")
			c.Dir = q.ws
			if out, err := c.CombinedOutput(); err != nil || strings.Contains(string(out), "missing") {
				t.Errorf("%s; then %s: %v\n%s\n%+v", row.command, row.person, err, out, r)
			}
		}
	})
}
