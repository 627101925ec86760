package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is taken out of a repository goes, even where there is no place to keep it.
func TestNoPlaceToKeepWhatIsTakenOut(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		o := b.sh(`git init -q n && git -C n config core.fsmonitor e && mkdir -p n/.git/config.quarantined/x || exit 1
kept=$(echo $PWD/n/.git/config | sed 's,^/,,; s,/,_,g'); for i in $(seq 0 999); do : > $TMPDIR/quarantine-$i-$kept; done`)
		if o.status.Code != 0 {
			t.Fatalf("%+v", o)
		}
		if _, err := os.Lstat(filepath.Join(b.ws, "n/.git/config")); err == nil {
			t.Error("the settings are still there")
		}
		if len(o.seen) != 1 || !strings.HasSuffix(o.seen[0].Grant, "; removed, nothing could keep it") {
			t.Errorf("%+v", o.seen)
		}
	})
}
