package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A cache is written by commands in every mode and is still there for the next
// sandbox; the one beside it, another workspace's, is not to be seen.
func TestCachesOutliveTheSandbox(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		mine, others := filepath.Join(b.out, "mine"), filepath.Join(b.out, "others")
		for _, d := range []string{mine, others} {
			if err := os.Mkdir(d, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		b.policy.Caches = []string{mine}
		b.policy.Mode = ReadOnly
		if o := b.sh("mkdir -p $OUT/mine/a && echo kept > $OUT/mine/a/f && chmod 555 $OUT/mine/a"); o.status.Code != 0 {
			t.Errorf("code %d: %s", o.status.Code, o.out)
		}
		if o := b.sh("echo x > $OUT/others/f; ls $OUT/others"); o.status.Code == 0 {
			t.Errorf("another workspace's cache: %s", o.out)
		}
		b.policy.Mode, b.policy.Name = WorkspaceWrite, "another"
		if o := b.sh("cat $OUT/mine/a/f && echo x > $OUT/mine/g"); o.status.Code != 0 || !strings.HasPrefix(o.out, "kept") {
			t.Errorf("code %d: %s", o.status.Code, o.out)
		}
	})
}

func TestHomeFilesAreThereAndMayBeChanged(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		b.policy.HomeFiles = []HomeFile{{Path: ".config/x/y", Text: "one\n"}, {Path: ".z", Text: "two\n"}}
		o := b.sh("cat ~/.config/x/y ~/.z && echo three >> ~/.z && cat ~/.z")
		if o.status.Code != 0 || o.out != "one\ntwo\ntwo\nthree\n" {
			t.Errorf("code %d: %s", o.status.Code, o.out)
		}
	})
}

// Caches lie in our own state directory, of which commands see nothing else, also
// where they may read the whole disk.
func TestCachesAreSeenInTheHiddenState(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		state := filepath.Join(filepath.Dir(b.ws), "state")
		mine := filepath.Join(state, "caches", "mine")
		for _, d := range []string{mine, filepath.Join(state, "caches", "others")} {
			if err := os.MkdirAll(d, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		b.policy.Caches = []string{mine}
		b.m.Tested()
		for _, reads := range []Reads{ReadsPrivate, ReadsAll} {
			b.policy.Reads = reads
			o := b.sh("echo kept >> " + mine + "/f && cat " + mine + "/f; ls " + state + "/caches " + state)
			if !strings.HasPrefix(o.out, "kept\n") {
				t.Errorf("%s: %s", reads, o.out)
			}
			if b.m.Report().Rung == RungFull && (strings.Contains(o.out, "others") || strings.Contains(o.out, "sandboxes")) {
				t.Errorf("%s shows: %s", reads, o.out)
			}
		}
		if data, err := os.ReadFile(filepath.Join(mine, "f")); err != nil || string(data) != "kept\nkept\n" {
			t.Errorf("%q, %v", data, err)
		}
	})
}
