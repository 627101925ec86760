package sandbox

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// What a program has added to its own directory builds on what was there: a revision of the
// user's on top of a command's would be lost with that one.
func TestUndoCutsNothingBackThatOthersHaveAddedTo(t *testing.T) {
	t.Parallel()
	long.Test(t)
	needs.Program(t, "hg")
	const (
		hg    = "export HGUSER=x HGRCPATH=; "
		tree  = hg + "hg init; for i in 1 2 3; do seq 99 >f$i; done; hg commit -qAm one; echo x >>f3; hg commit -qm two"
		mine  = hg + "echo mine >>f1; hg commit -qm mine"
		holds = hg + "hg verify -q; hg log -pr 'desc(mine)' | grep -q mine; "
	)
	everyUser(t, func(t *testing.T) {
		for _, row := range []struct{ command, person, holds string }{
			{hg + "echo x >>f1; hg commit -qm 1; echo x >>f2; hg commit -qm 2", mine, "hg cat -r tip f2 | grep -q x"},
			{hg + "echo x >f4; hg commit -qAm 4", mine, "hg cat -r tip f4 | grep -q x"},
			{hg + "hg --config extensions.strip= strip -q tip", mine, ""},
			{hg + "mkdir sub; cd sub; hg init; echo x >f1; hg commit -qAm 1", "cd sub; " + mine, "cd sub; hg verify -q; hg log -pr 'desc(mine)' | grep -q mine"},
		} {
			q, r, err := undoBehind(t, tree, row.command, row.person)
			if err != nil || len(r.Left) == 0 || len(r.Left) > 9 {
				t.Errorf("%s; then %s: %v %+v", row.command, row.person, err, r)
			}
			if !strings.HasPrefix(row.person, "cd") {
				row.holds = holds + row.holds
			}
			c := exec.Command("sh", "-ec", hg+row.holds)
			c.Dir = q.ws
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%s; then %s: %v\n%s\n%+v", row.command, row.person, err, out, r)
			}
		}
		// Who only looks keeps nothing from being taken back.
		q, r, err := undoBehind(t, tree, hg+"echo x >>f2; hg commit -qm change", hg+"hg log -p; hg tags; hg branches")
		c := exec.Command("sh", "-ec", hg+"hg verify -q; hg log -T '{rev} {desc}\n'; hg status")
		c.Dir = q.ws
		if out, failed := c.CombinedOutput(); err != nil || failed != nil || string(out) != "1 two\n0 one\n" {
			t.Errorf("after a look: %v %v %s\n%+v", err, failed, out, r)
		}
	})
}

// So it is with any program's directory, and with no other.
func TestUndoLeavesAProgramsDirectoryWhole(t *testing.T) {
	t.Parallel()
	everyUser(t, func(t *testing.T) {
		const tree = "mkdir -p .tool/data; echo 1 >.tool/log; echo 1 >.tool/data/a; echo 1 >log; echo 1 >a"
		const command = "echo 2 >>.tool/data/a; echo 2 >>a; echo 2 >.tool/data/b; echo 2 >>.tool/log; echo 2 >>log"
		for person, want := range map[string]string{
			"echo 3 >>.tool/log; echo 3 >>log": "a 1 log 1 2 3 .tool/log 1 2 3 .tool/data/a 1 2 .tool/data/b 2",
			"echo 3 >.tool/data/c; echo 3 >c":  "a 1 log 1 .tool/log 1 .tool/data/a 1 .tool/data/c 3",
		} {
			q, r, err := undoBehind(t, tree, command, person)
			c := exec.Command("sh", "-c", "for f in a log .tool/log .tool/data/*; do echo $f $(cat $f); done")
			c.Dir = q.ws
			if out, _ := c.Output(); err != nil || strings.Join(strings.Fields(string(out)), " ") != want {
				t.Errorf("%s: %q %v %+v", person, out, err, r)
			}
		}
	})
}
