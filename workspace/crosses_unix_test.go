//go:build unix

package workspace

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAPathThatLeadsThroughAFolderIsKnown(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(top, name) }
	for _, dir := range []string{"ws/sub", "other/deep", "deep"} {
		if err := os.MkdirAll(in(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{
		"ws/out": "../other", "into": "ws/out", "up": "ws/sub/../../other", "round": "round", "v": "other/deep", "plain": in("other"), "twice": "into/deep",
	} {
		if err := os.Symlink(to, in(name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]bool{
		"ws": true, "ws/none": true, "ws/out/deep": true, "into": true, "into/deep": true, "twice": true, "round": true, "v/../../ws/out": true, "plain/deep/../../into/deep": true,
		"other/deep": false, "plain/deep": false, "v/..": false, "none/at/all": false, "wsx": false,
	} {
		if got := Crosses(top+"/"+name, []string{in("ws")}); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
