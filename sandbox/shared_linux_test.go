package sandbox

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pillion-sidecar/pillion/test/needs"
)

// A hard link that was there before may be a store's file: what is written through the
// workspace's name stays in the workspace.
func TestWritingThroughAHardLinkStaysInside(t *testing.T) {
	t.Parallel()
	onRungs(t, Limits{}, func(b *bench) {
		t := b.t
		for _, script := range []string{
			"echo evil >> l", "echo evil > l", "truncate -s 1 l", "dd if=/dev/zero of=l bs=1 count=1 conv=notrunc 2> /dev/null", "exec 3<> l; echo evil >&3",
			"ln -s l s; echo evil > s", "python3 -c 'open(\"l\", \"r+\").write(\"evil\")' || echo evil > l", "ln l m; echo evil > m",
		} {
			store := filepath.Join(b.out, "store")
			if err := os.WriteFile(store, []byte("theirs\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			b.host("rm -f l s m; ln " + store + " l")
			o := b.sh(script)
			if text, err := os.ReadFile(store); err != nil || string(text) != "theirs\n" {
				t.Errorf("%q changed the store: %q, %v", script, text, err)
			}
			if text := b.host("cat l; stat -c %a l"); o.status.Code != 0 || text == "theirs\n755\n" && script != "ln l m; echo evil > m" {
				t.Errorf("%q did nothing: %q, %+v", script, text, o)
			}
		}
		if o := b.sh("echo 1 > a && ln a b && echo 2 >> b && test \"$(cat a)\" = \"$(printf '1\\n2')\" && ln b c && echo 3 > c && test $(cat a) = 3"); o.status.Code != 0 {
			t.Errorf("names that the command made: %+v", o)
		}
		b.host("rm -f a b c")
	})
}

// So does what is said of it: a mode, an attribute. Its time is that of its content.
func TestAModeThroughAHardLinkStaysInside(t *testing.T) {
	t.Parallel()
	onRungs(t, Limits{}, func(b *bench) {
		b.storeStays(map[string]bool{
			"chmod 777 l && test $(stat -c %a l) = 777 && test $(stat -c %Y l) = 1000000000": true,
			"chmod 600 l && chmod 755 l && test $(stat -c %a l) = 755":                       true,
			"chmod 640 l": true,
		})
		if o := b.sh("echo 1 > a && ln a b && chmod 700 a && test $(stat -c %a b) = 700 && rm a && chmod 600 b"); o.status.Code != 0 {
			b.t.Errorf("names that the command made: %+v", o)
		}
		b.host("rm -f a b")
	})
}

// Nor does a descriptor lead out, of which no shell knows.
func TestAModeThroughADescriptorStaysInside(t *testing.T) {
	t.Parallel()
	needs.Program(t, "python3")
	onRungs(t, Limits{}, func(b *bench) {
		b.storeStays(map[string]bool{
			"python3 -c 'import os; os.fchmod(os.open(\"l\", os.O_RDONLY), 0o777)'":                true,
			"python3 -c 'import os; f = os.open(\"l\", 0); os.remove(\"l\"); os.fchmod(f, 0o777)'": false,
			"python3 -c 'import os; os.setxattr(\"l\", \"user.x\", b\"1\")' || true":               true,
		})
	})
}

// storeStays runs scripts that change l, another name of a file outside, of which each
// works or does not.
func (b *bench) storeStays(scripts map[string]bool) {
	b.t.Helper()
	store := filepath.Join(b.out, "store")
	for script, works := range scripts {
		b.host("rm -f l " + store + "; echo theirs > " + store + "; chmod 640 " + store + "; touch -d @1000000000 " + store + "; ln " + store + " l")
		look := "stat -c %a " + store + "; getfattr -d " + store + " 2>/dev/null || true"
		before := b.host(look)
		if o := b.sh(script); (o.status.Code == 0) != works {
			b.t.Errorf("%q: %+v", script, o)
		}
		if now := b.host(look); now != before {
			b.t.Errorf("%q: from %q to %q", script, before, now)
		}
	}
}
