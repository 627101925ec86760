package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/test/long"
)

// While the user's git changes its settings, what will be .git/config is called
// config.lock. A process that has it open, has another name for it or puts another file in
// its place writes the settings.
func TestSettingsThatGitOutsideIsWritingAreProtected(t *testing.T) {
	t.Parallel()
	long.Test(t)
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		b.repositories()
		locks := []string{".git/config.lock", ".git/config.worktree.lock", ".git/worktrees/wt/config.worktree.lock", ".git/modules/m/config.lock", ".gitmodules.lock"}
		b.host("mkdir -p .git/modules/m && cp -r .git/HEAD .git/objects .git/refs .git/modules/m")
		for _, lock := range locks {
			for _, script := range []string{
				"echo evil >> $L", "echo evil > $L", "truncate -s 0 $L", "chmod 777 $L", "ln $L alias", "rm -f $L", "mv $L moved",
				"echo evil > x && mv x $L", "echo evil > x && ln -f x $L", "ln -sf x $L", "exec 3< $L && echo evil >> /proc/self/fd/3",
			} {
				b.host("rm -f moved alias; echo host > " + lock)
				old := b.host("stat -c '%i %a %h' " + lock)
				if o := b.sh("L=" + lock + "; " + script); o.status.Code == 0 {
					t.Errorf("%s: %q worked: %s", lock, script, o.out)
				}
				if b.host("cat "+lock) != "host\n" || b.host("stat -c '%i %a %h' "+lock) != old {
					t.Errorf("%s: %q changed it", lock, script)
				}
			}
			b.host("rm " + lock)
		}
	})
}

// A lock of the command's own is its own, and nobody else could remove it.
func TestALockOfTheCommandEndsWithIt(t *testing.T) {
	t.Parallel()
	long.Test(t)
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		b.repositories()
		const lock = ".git/config.lock"
		for _, script := range []string{
			"echo x > $L && echo y >> $L && chmod 600 $L && rm $L", "touch $L && mv $L x && rm x", "touch $L && mv $L x && echo y > x",
			"touch $L", "exec 3> $L; echo x >&3; kill -9 $$", "(set -C; echo x > $L) && ! (set -C; echo y > $L) 2> /dev/null",
			"for i in $(seq 300); do echo $i > $L && rm $L || exit 1; done; for i in $(seq 300); do touch $L && mv $L x || exit 1; done",
		} {
			if o := b.sh("L=" + lock + "; " + script); o.status.Code != 0 && !strings.Contains(script, "kill") {
				t.Errorf("%q: %+v", script, o)
			}
			if _, err := os.Lstat(filepath.Join(b.ws, lock)); err == nil {
				t.Errorf("%q left it", script)
			}
		}
		b.host("git config user.name host")
	})
}
