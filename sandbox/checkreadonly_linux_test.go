package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// In read-only mode the workspace is one more directory outside: every attack on
// one is tried on it.
func TestReadOnlyModeChangesNothingInTheWorkspace(t *testing.T) {
	onEveryRung(t, func(t *testing.T, rung string) {
		r := newRoom(t, rung)
		r.policy.Mode = ReadOnly
		must(t, os.WriteFile(filepath.Join(r.ws, "keep"), []byte("keep"), 0o644))
		must(t, os.Mkdir(filepath.Join(r.ws, "empty"), 0o755))
		before := snapshot(t, r.ws)
		for _, c := range fileChecks {
			for _, script := range c.scripts {
				if !strings.Contains(script, "$OUT") || c.want[rung].is != deny {
					continue
				}
				o := r.sh("cd $TMPDIR && " + strings.ReplaceAll(script, "$OUT", r.ws))
				if o.status.Code == 0 || o.status.Code == proofless {
					t.Errorf("%s: exit %d: %s", script, o.status.Code, o.out)
				}
				if after := snapshot(t, r.ws); after != before {
					t.Fatalf("%s changed the workspace:\n%s", script, hostChange(before, after))
				}
			}
		}
		if o := r.sh("echo x > $TMPDIR/own && echo x > $HOME/own && cat keep"); o.status.Code != 0 || o.out != "keep" {
			t.Errorf("reading, and writing in HOME and TMPDIR: %+v", o)
		}
	})
}
