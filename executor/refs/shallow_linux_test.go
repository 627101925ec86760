package refs

import (
	"strings"
	"testing"
)

// Where a history is cut off, git gc drops what was before.
func TestNoHistoryIsCutOff(t *testing.T) {
	t.Parallel()
	for _, watched := range []bool{false, true} {
		for _, command := range []string{`git rev-parse HEAD >.git/shallow`, `c=$(git commit-tree -p HEAD -m new HEAD^{tree}); git update-ref HEAD $c; echo $c >.git/shallow`} {
			dir := project(t)
			w := Look([]string{dir}, dir, "", Sight{})
			git(t, dir, command)
			if watched {
				if found := w.Judge(run); len(found) != 1 || found[0].Name != shallowFile || !found[0].Back {
					t.Errorf("%+v", found)
				}
			}
			text := git(t, dir, `git stash clear; git branch -q -D other; git reflog expire --expire=now --all; git gc -q --prune=now; git log --format=%s`)
			if whole := strings.HasSuffix(text, "three\none\n"); whole != watched {
				t.Errorf("%s, watched %v: %s", command, watched, text)
			}
		}
	}
}

// What git fetch cuts off was never there.
func TestAHistoryMayBeFetchedInParts(t *testing.T) {
	t.Parallel()
	const fetch = `git fetch -q --depth=1 origin main`
	dir := project(t)
	git(t, dir, `git clone -q "file://$PWD" full; git clone -q --depth=1 "file://$PWD" part; for n in 4 5; do git commit -q --allow-empty -m $n; done`)
	for _, c := range []struct{ in, command, commits string }{
		{"/part", fetch, "1"},
		{"/part", `git fetch -q --deepen=1 origin main`, "4"},
		{"/part", `git fetch -q --unshallow origin main`, "4"},
		{"/full", fetch, "1"},
		{"/full", `git fetch -q --unshallow origin main`, "4"},
	} {
		w := Look([]string{dir + c.in}, dir+c.in, "", Sight{})
		git(t, dir+c.in, c.command)
		found := w.Judge(run) // git fetch lists a parent of what was listed
		if joins := strings.Contains(c.command, "deepen"); len(found) > 0 && !joins || joins && (len(found) != 1 || !found[0].Back) {
			t.Errorf("%s: %+v", c.command, found)
		}
		if n := git(t, dir+c.in, `git rev-list --count FETCH_HEAD; git fsck 2>&1; git gc -q`); !strings.HasPrefix(n, c.commits+"\n") {
			t.Errorf("%s: %s", c.command, n)
		}
	}
}
