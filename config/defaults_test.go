package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox"
)

// user gives the test a home and an environment of its own.
func user(t *testing.T) (home string) {
	t.Helper()
	home = t.TempDir()
	t.Setenv("HOME", home)
	for _, name := range []string{"XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "GOPATH", "GOMODCACHE", "CARGO_HOME", "RUSTUP_HOME", "PYENV_ROOT", "NVM_DIR", "VOLTA_HOME"} {
		t.Setenv(name, "")
	}
	return home
}

func TestDefaultIsFailClosed(t *testing.T) {
	home := user(t)
	c, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	p := c.Sandbox
	if p.Mode != sandbox.WorkspaceWrite || p.Network != sandbox.NetworkDeny || p.Reads != sandbox.ReadsPrivate || p.Require != sandbox.RequireEnforced {
		t.Errorf("default sandbox is %+v", p)
	}
	if g := c.Grants; g.Off || g.Network || g.ReadsAll || g.NoTimeout || g.EnvAll || len(g.Writable) != 0 {
		t.Errorf("somebody granted %+v", g)
	}
	if c.Home != home || c.SpoolDir != filepath.Join(home, ".cache/pillion/spool") || c.StateDir != filepath.Join(home, ".local/state/pillion") {
		t.Errorf("home %s, spool %s, state %s", c.Home, c.SpoolDir, c.StateDir)
	}
	if _, err := os.Stat(c.StateDir); err == nil {
		t.Error("the state directory was made although nothing is kept there")
	}
}

func TestDefaultLimitsAreTheProtocols(t *testing.T) {
	l := DefaultLimits()
	if l.MaxCommandBytes != 65536 || l.MaxConcurrent != 16 || l.MaxQueued != 256 || l.MaxChunkBytes != 65536 {
		t.Errorf("%+v", l)
	}
	if l.StreamMaxBytes != 8<<20 || l.SpoolMaxBytes != 256<<20 || l.SpoolTailBytes != 1<<20 || l.SpoolTotalBytes != 1<<30 || l.InlineMaxBytes != 65536 {
		t.Errorf("%+v", l)
	}
	if l.Retention != 10*time.Minute || l.RetainedExecs != 64 {
		t.Errorf("%+v", l)
	}
	if l.DefaultTimeout != 2*time.Minute || l.KillGrace != 2*time.Second || l.DrainIdle != 250*time.Millisecond || l.DrainMax != 2*time.Second {
		t.Errorf("%+v", l)
	}
}

func TestSpoolIsPrivateAndLeavesNoProbe(t *testing.T) {
	home := user(t)
	spool := filepath.Join(home, ".cache/pillion/spool")
	if err := os.MkdirAll(spool, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(spool, 0o777); err != nil { // umask
		t.Fatal(err)
	}
	if _, err := Default(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(spool)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("spool is %v, %v; others can look in", info.Mode(), err)
	}
	if left, _ := os.ReadDir(spool); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestXDGCacheHomeIsUsedWhenAbsolute(t *testing.T) {
	home := user(t)
	cache := t.TempDir()
	for value, want := range map[string]string{cache: cache, "relative/dir": filepath.Join(home, ".cache")} {
		t.Setenv("XDG_CACHE_HOME", value)
		c, err := Default()
		if err != nil || c.SpoolDir != filepath.Join(want, "pillion/spool") {
			t.Errorf("XDG_CACHE_HOME=%s: spool in %s, %v", value, c.SpoolDir, err)
		}
	}
}

// Falling back to /tmp or /run would put output into memory on many machines.
func TestNoCacheDirectoryIsAnErrorThatNamesTheRemedy(t *testing.T) {
	home := user(t)
	file := filepath.Join(home, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, cache := range []string{file, "/proc/none", filepath.Join(file, "below")} {
		t.Setenv("XDG_CACHE_HOME", cache)
		_, err := Default()
		if err == nil || !strings.Contains(err.Error(), "set XDG_CACHE_HOME") || !strings.Contains(err.Error(), cache) {
			t.Errorf("XDG_CACHE_HOME=%s: %v", cache, err)
		}
	}
}

func TestSpoolMayNotBeALink(t *testing.T) {
	home := user(t)
	elsewhere := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, ".cache/pillion"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(home, ".cache/pillion/spool")); err != nil {
		t.Fatal(err)
	}
	if _, err := Default(); err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("a linked spool: %v", err)
	}
}

func TestNoHomeIsAnError(t *testing.T) {
	user(t)
	for _, home := range []string{"", "relative"} {
		t.Setenv("HOME", home)
		if _, err := Default(); err == nil || !strings.Contains(err.Error(), "HOME") {
			t.Errorf("HOME=%q: %v", home, err)
		}
	}
}
