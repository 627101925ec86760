package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/test/long"
)

// Wherever a link of the workspace leads on the host, it is not to what a command may
// have written unseen, nor to what the user's own programs would run.
func TestLinksLeadToNothingOfTheUsers(t *testing.T) {
	t.Parallel()
	long.Test(t)
	onRungs(t, Limits{}, func(b *bench) {
		t := b.t
		conf := b.box.box.conf
		private := strings.Join([]string{conf.Dir, filepath.Dir(filepath.Dir(conf.Dir)) + "/caches/x"}, " ")
		// As many directories up as lead out of the workspace from m, and not from deep below.
		levels := strings.Count(b.ws, "/") + 1
		b.env = append(b.env, "UP=.."+strings.Repeat("/..", levels-1), "DEEP=q"+strings.Repeat("/r", levels-1))
		b.env = append(b.env, "PRIVATE="+private, "DIR="+conf.Dir, "FILE="+conf.UserHome+"/.bashrc")
		for _, script := range []string{
			"for p in $PRIVATE; do ln -s $p l && exit 0; done; exit 1",
			"ln -s /proc/self/root$DIR l", "mkdir -p d/e && cd d/e && ln -s /proc/self/cwd/../../..$DIR l",
			"mkdir -p q1/q2 && ln -s ../../../../../../../../../..$DIR q1/q2/l", "ln -s x/../..$DIR l", "ln -s l2 l && ln -s $DIR l2",
			"mkdir -p $DEEP && ln -s $UP$DIR $DEEP/l && mv -T $DEEP m", "mkdir -p $DEEP/u && ln -s ../$UP$DIR $DEEP/u/l && mv -T $DEEP m",
			"mkdir -p $DEEP && ln -s $UP$DIR $DEEP/l && ln -P $DEEP/l l", "mkdir -p $DEEP && ln -s $UP$DIR $DEEP/l && mv $DEEP/l .",
			"ln -s $DIR $TMPDIR/l && cp -P $TMPDIR/l l", "ln -s $DIR $TMPDIR/l && mv $TMPDIR/l l",
			"test -n \"${FILE#/.bashrc}\" && ln -s $FILE '#notes.txt#'", "ln -s / l", "ln -s /proc/1/cwd l", "ln -s .. l",
		} {
			if script == "ln -s .. l" && !strings.HasPrefix(b.ws, conf.UserHome+"/") {
				continue // the directory above is nobody's in particular
			}
			if o := b.sh(script); o.status.Code == 0 {
				t.Errorf("%q worked", script)
			}
			b.host("rm -rf l l2 d q q1 m '#notes.txt#'")
		}
		for _, script := range []string{
			"ln -s f l && ln -s ./f l2", "mkdir d && ln -s ../f d/l", "ln -s $PWD/f l", "ln -s /usr/bin/env l", "ln -s /dev/null l",
			"ln -s ann@host.123:456 '.#f'", "mkdir -p n/.bin n/x && ln -s ../x/cli.js n/.bin/x && mv n m", "mkdir -p d/e && ln -s ../../f d/e/l && mv d/e d/g",
			"python3 -m venv --without-pip v 2>/dev/null || ln -s /usr/bin/python3 v", "mkdir -p d/e && ln -s ../x d/e/l && mv d/e g",
			"mkdir -p $DEEP/u && ln -s $UP$DIR $DEEP/l && ln -s ../$UP$DIR $DEEP/u/l",
		} {
			if o := b.sh(script); o.status.Code != 0 {
				t.Errorf("%q: %+v", script, o)
			}
			b.host("rm -rf l l2 d n m g v q '.#f'")
		}
	})
	if _, err := os.Stat("/proc/self"); err != nil {
		t.Fatal(err)
	}
}
