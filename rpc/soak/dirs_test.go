//go:build linux

package soak

import (
	"os"
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
