package executor

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox"
)

func exists(path string) bool { _, err := os.Lstat(path); return err == nil }

// The engine: what one command cached the next one has, in the next session, too.
func TestCachesAreKept(t *testing.T) {
	state := t.TempDir()
	caches := func(c *Config) { c.CacheDir, c.Limits.CacheTotalBytes = filepath.Join(state, "caches"), 1<<30 }
	r := newRig(t, caches)
	r.must(sh(`test -n "$GOCACHE" && mkdir -p $GOCACHE && echo kept > $GOCACHE/f && mkdir -p $XDG_CACHE_HOME $PIP_CACHE_DIR $npm_config_cache`))
	again := newRig(t, caches) // another workspace
	if res, _ := again.must(sh("ls $GOCACHE")); *res.ExitCode == 0 {
		t.Error("another workspace's cache is there")
	}
	again.f = r.f // this one, in another session
	if res, _ := again.must(sh("cat $GOCACHE/f")); string(res.Output[Stdout].Inline) != "kept\n" {
		t.Errorf("%s", res.Output[Stderr].Inline)
	}
	reading := sh("ls $GOCACHE")
	reading.Sandbox.Mode = sandbox.ReadOnly
	if res, _ := again.must(reading); *res.ExitCode == 0 {
		t.Error("a reading command shares the cache")
	}
	var found []string
	_ = filepath.WalkDir(filepath.Join(state, "caches"), func(p string, d fs.DirEntry, _ error) error {
		if d.Type().IsRegular() && d.Name() == "f" {
			found = append(found, p)
		}
		return nil
	})
	if len(found) != 1 {
		t.Errorf("%v", found)
	}
}

func TestWithoutASandboxNoCacheIsOurs(t *testing.T) {
	r := newRig(t, func(c *Config) {
		c.CacheDir, c.Grants.Off, c.Policy.Mode = filepath.Join(t.TempDir(), "caches"), true, sandbox.Off
	})
	if res, _ := r.must(sh("echo ${GOCACHE:-none}")); string(res.Output[Stdout].Inline) != "none\n" {
		t.Errorf("%s", res.Output[Stdout].Inline)
	}
}
