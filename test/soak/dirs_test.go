//go:build linux

package soak

import (
	"os"
	"os/exec"
	"testing"
)

// dirs are all places where the sidecar may leave something.
type dirs struct{ root, workspace string }

func newDirs(t *testing.T) dirs {
	root, err := os.MkdirTemp("", "pillion-soak-*")
	check(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	d := dirs{root, root + "/ws"}
	for _, name := range []string{"ws", "home", "cache", "state", "tmp"} {
		check(t, os.Mkdir(root+"/"+name, 0o700))
	}
	return d
}

func (d dirs) environ() []string {
	return append(os.Environ(), "HOME="+d.root+"/home", "XDG_CACHE_HOME="+d.root+"/cache", "XDG_STATE_HOME="+d.root+"/state", "TMPDIR="+d.root+"/tmp", "GOTRACEBACK=all")
}

// build makes the program that is tested.
func build(t *testing.T, d dirs) string {
	pillion := d.root + "/pillion"
	if b, err := exec.Command("go", "build", "-o", pillion, "../..").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	return pillion
}
