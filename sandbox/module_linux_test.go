package sandbox

import (
	"testing"

	"github.com/pillion-sidecar/pillion/test/long"
)

// A repository chooses the names of its submodules, and so where in .git/modules the
// directories of those are: also where another submodule would have its branches.
func TestSubmodulesOfEveryNameAreProtected(t *testing.T) {
	t.Parallel()
	long.Test(t)
	everyUser(t, func(t *testing.T) {
		for _, name := range []string{"x", "x/objects/pack", "x/objects/info/y", "x/refs/heads", "x/refs/heads/y/z", "x/logs/refs", "x/worktrees/y/z", "x/worktrees/y/refs/heads"} {
			b := newBench(t)
			b.host(asSomebody + `git init -q -b main other && git -C other commit -q --allow-empty -m one && git init -q -b main .
git -c protocol.file.allow=always submodule --quiet add --name ` + name + ` "$PWD/other" sub && git commit -qm two`)
			for _, script := range []string{
				"echo evil > $G/hooks/pre-commit", "mkdir h && mv $G/hooks h", "echo evil >> $G/config", "echo e > e && mv e $G/config", "rm -f $G/config",
				"echo evil > $G/commondir", "echo evil > $G/config.worktree", "echo evil > $G/config.lock && mv $G/config.lock $G/config",
				"mv $G aside", "mv ${G%/*} aside", "mv .git/modules/x aside", "mkdir aside && mv -T aside $G", "rm $G/HEAD && echo evil >> $G/config", "echo evil > sub/.git",
			} {
				old := b.host("cd .git/modules && find . | sort && cat " + name + "/config ../../sub/.git")
				if o := b.sh("set -e; G=.git/modules/" + name + "; " + script); o.status.Code == 0 {
					t.Errorf("%s: %q worked: %s", name, script, o.out)
				}
				b.host("rm -rf aside h e .git/modules/" + name + "/config.lock; cd .git/modules/" + name + " && test -e HEAD || echo ref: refs/heads/main > HEAD")
				if now := b.host("cd .git/modules && find . | sort && cat " + name + "/config ../../sub/.git"); now != old {
					t.Errorf("%s: %q changed %s", name, script, hostChange(old, now))
				}
			}
			if o := b.sh(asSomebody + `cd sub && echo f > f && git add f && git commit -qm three && git checkout -qb hooks/pre-commit && git branch config
git branch info/x && git commit -q --allow-empty -m four && git branch -m config commondir && git branch -D info/x && git gc -q && git status`); o.status.Code != 0 {
				t.Errorf("%s: %+v", name, o)
			}
			b.host("git -C sub log -1 --format=%s hooks/pre-commit | grep -q four && git -C sub fsck")
		}
	})
}
