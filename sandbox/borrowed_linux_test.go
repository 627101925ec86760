package sandbox

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/test/needs"
)

// A repository may borrow the objects of another one of the workspace, and of none outside.
func TestObjectsAreBorrowedWithinTheWorkspace(t *testing.T) {
	t.Parallel()
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		b.repositories()
		if o := b.sh("git clone -q -s $PWD/.git n && git -C n cat-file -e HEAD"); o.status.Code != 0 {
			t.Errorf("%+v", o)
		}
		for _, from := range []string{"/usr/objects", "$PWD/../objects", "../../../../objects", "$PWD/d/objects", "$PWD/.git/./objects"} {
			b.sh("rm -rf m d; mkdir -p d/objects; git init -q m; mkdir -p m/.git/objects/info; echo '# x' >m/.git/objects/info/alternates; echo " + from + " >>m/.git/objects/info/alternates; sync")
			text, _ := os.ReadFile(filepath.Join(b.ws, "m/.git/objects/info/alternates"))
			if strings.Contains(string(text), "objects") {
				t.Errorf("%s: %s", from, text)
			}
		}
	})
}

// Who may not read a directory does not hear what happens in it.
func TestOnlyWhatMayBeReadIsWatched(t *testing.T) {
	needs.Program(t, "python3")
	onRungs(t, Limits{}, func(b *bench) {
		outside := b.t.TempDir()
		o := b.run("/usr/bin/python3", "-c", `
import ctypes, sys
c = ctypes.CDLL(None, use_errno=True)
fd = c.inotify_init()
print(*[c.inotify_add_watch(f, name.encode(), `+strconv.Itoa(unix.IN_CREATE)+`) > 0 for f, name in [(fd, "."), (fd, sys.argv[1]), (fd, "absent"), (99, "."), (0, ".")]])
`, outside)
		if o.out != "True False False False False\n" {
			b.t.Errorf("%+v", o)
		}
	})
}
