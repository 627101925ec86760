package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// The kernel takes a mount away when its file is replaced on the host, as npm
// login and passwd do: what was hidden must not be seen by the next command.
func TestASecretStaysHiddenWhenTheHostReplacesIt(t *testing.T) {
	needs.Namespaces(t)
	home, err := os.UserHomeDir()
	must(t, err)
	dir, err := os.MkdirTemp(home, ".pillion-test") // not below /tmp, which is private
	must(t, err)
	t.Cleanup(func() { files.RemoveTree(dir) })
	t.Setenv("HOME", dir)
	secret := filepath.Join(dir, ".netrc")
	save := func() {
		must(t, os.WriteFile(secret+".new", []byte("hunter2\n"), 0o600))
		must(t, os.Rename(secret+".new", secret))
	}
	save()
	must(t, os.MkdirAll(filepath.Join(dir, ".ssh"), 0o700))
	must(t, os.WriteFile(filepath.Join(dir, ".ssh", "key"), []byte("hunter3\n"), 0o600))
	b := newBench(t)
	b.policy.Reads = ReadsAll
	script := "cat " + secret + " " + dir + "/.ssh/key; ls " + dir + "/.netrc"
	for range 3 {
		if o := b.sh(script); strings.Contains(o.out, "hunter") || !strings.Contains(o.out, "/.netrc") {
			t.Fatalf("%q", o.out)
		}
		save()
		must(t, os.Rename(filepath.Join(dir, ".ssh"), filepath.Join(dir, ".ssh2")))
		must(t, os.RemoveAll(filepath.Join(dir, ".ssh2")))
		must(t, os.Mkdir(filepath.Join(dir, ".ssh"), 0o700))
		must(t, os.WriteFile(filepath.Join(dir, ".ssh", "key"), []byte("hunter3\n"), 0o600))
	}
}

// Root owns the devices: through the broker a chmod of one would be the host's.
func TestDevicesOfTheHostKeepTheirMode(t *testing.T) {
	onRungs(t, Limits{}, func(b *bench) {
		var before, after unix.Stat_t
		must(b.t, unix.Stat("/dev/null", &before))
		o := b.sh("for f in /dev/null /proc/self/fd/0 /dev/stdin; do chmod 600 $f && echo $f; chown 1:1 $f && echo $f; touch -d 2001-01-01 $f && echo $f; done < /dev/null 2> errors; rm errors")
		must(b.t, unix.Stat("/dev/null", &after))
		if o.out != "" || before.Mode != after.Mode || before.Uid != after.Uid || after.Mtim.Sec == 978307200 {
			b.t.Errorf("%q; mode %o, was %o", o.out, after.Mode, before.Mode)
		}
		if after.Mode != before.Mode {
			must(b.t, unix.Chmod("/dev/null", before.Mode&0o7777))
		}
	})
}
