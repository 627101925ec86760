package sandbox

import (
	"os"
	"path/filepath"
	"strings"
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

// git format-patch writes 0001-fix.patch, npm install package-lock.json: through a link of
// that name into a granted directory of the user's, it wrote what the next python runs. As
// root that goes for the system, too.
func TestALinkToWhereTheUserWritesHasTheNameOfTheFile(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		must(t, os.WriteFile(filepath.Join(b.out, "python3.11"), []byte("x"), 0o755))
		must(t, os.WriteFile(filepath.Join(b.out, "tool"), []byte("x"), 0o755))
		b.policy.Readable = append(b.policy.Readable, b.out)
		links := map[string]bool{
			"python3 " + b.out + "/python3.11": true, "tool " + b.out + "/tool": true, "0001-fix.patch " + b.out + "/tool": false,
			"log /tmp/log": true, "0002-fix.patch /tmp/log": false, "deep /tmp/a/b": false, "package.json /dev/zero": false, "new " + b.out + "/new": false, "dir " + b.out: false, "env /usr/bin/env": true, "null /dev/null": true,
			"other /usr/bin/env": os.Geteuid() != 0, "passwd.new /etc/passwd.new": os.Geteuid() != 0, "lib /usr/lib": os.Geteuid() != 0,
		}
		for link, ok := range links {
			name, to, _ := strings.Cut(link, " ")
			if o := b.sh("ln -s " + to + " " + name); (o.status.Code == 0) != ok {
				t.Errorf("%s: %+v", link, o)
			}
		}
		for _, move := range []string{"mv tool 0001-fix.patch", "ln -P tool 0001-fix.patch", "mkdir d && mv tool d/t"} {
			if o := b.sh(move); o.status.Code == 0 {
				t.Errorf("%s is done", move)
			}
		}
	})
}
