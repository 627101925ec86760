package sandbox

import (
	"os"
	"path/filepath"
	"testing"
)

// By the name that somebody knows a folder by, each command of a sandbox finds it; what
// else a link leads to stays as far away as it was.
func TestALinkThatThePolicyNamesLeadsToTheSameFolder(t *testing.T) {
	onEveryRung(t, func(t *testing.T, _ string) {
		b := newBench(t)
		link, outside := filepath.Join(realHome(), "link-"+mark()), filepath.Join(realHome(), "out-"+mark())
		must(t, os.Symlink(b.ws, link))
		must(t, os.Symlink(b.out, outside))
		must(t, os.WriteFile(filepath.Join(b.out, "secret"), nil, 0o600))
		t.Cleanup(func() { _, _ = os.Remove(link), os.Remove(outside) })
		b.policy.Links = []string{link, outside}
		for range 3 {
			if o := b.sh("touch " + link + "/made && cd " + link + " && rm made && test \"$(pwd -P)\" = " + b.ws); o.status.Code != 0 {
				t.Errorf("%+v", o)
			}
			if o := b.sh("cat " + outside + "/secret"); o.status.Code == 0 {
				t.Errorf("%+v", o)
			}
		}
	})
}
