package sandbox

import (
	"os"
	"path/filepath"
	"testing"
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
