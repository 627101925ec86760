package caches

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func pool(t *testing.T, dir string, limit int64) *Pool {
	t.Helper()
	p := NewPool(dir, limit, slog.New(slog.DiscardHandler))
	t.Cleanup(p.Close)
	return p
}

// filled makes caches of 1000 bytes that were used some days ago; directories are
// unwritable, as go leaves them.
func filled(t *testing.T, dir, key string, days int) {
	t.Helper()
	deep, work := filepath.Join(dir, key, "a", "b"), filepath.Join(dir, key+viewsSuffix, "0", "work", "pip", "work")
	err := errors.Join(
		os.MkdirAll(filepath.Join(work, "index"), 0o700), os.Chmod(work, 0), // as the kernel leaves it
		os.MkdirAll(deep, 0o700),
		os.WriteFile(filepath.Join(deep, "f"), make([]byte, 1000), 0o400),
		os.Chmod(deep, 0o500), os.Chmod(filepath.Dir(deep), 0o500),
		os.WriteFile(filepath.Join(dir, key+LockSuffix), nil, 0o600),
	)
	if err != nil {
		t.Fatal(err)
	}
	then := time.Now().AddDate(0, 0, -days)
	if err := os.Chtimes(filepath.Join(dir, key+LockSuffix), then, then); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { openUp(dir, -1) })
}

func exists(path string) bool { _, err := os.Lstat(path); return err == nil }

func TestOldCachesAreRemovedAndThoseInUseAreNot(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "caches")
	for key, days := range map[string]int{"oldest-but-used": 9, "old": 8, "newer": 1} {
		filled(t, dir, key, days)
	}
	others, err := ShareLock(filepath.Join(dir, "oldest-but-used"+LockSuffix)) // another sidecar's
	if err != nil {
		t.Fatal(err)
	}
	defer others.Close()
	p := pool(t, dir, 1500)
	if _, err := p.Use("mine", nil); err != nil {
		t.Fatal(err)
	}
	p.work.Wait()
	for name, want := range map[string]bool{
		"oldest-but-used": true, "old": false, "old.lock": false, "old.gone": false, "old.views": false, "old.views.gone": false, "newer.views": true, "newer": true, "newer.lock": true, "mine": true, "mine.lock": true, "trimmed": true,
	} {
		if exists(filepath.Join(dir, name)) != want {
			t.Errorf("%s exists: %v", name, !want)
		}
	}
}

// The end of a session doesn't wait for a large cache. Its name is free at once,
// and the next session removes the rest.
func TestARemovalThatWasInterruptedGoesOn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "caches")
	filled(t, dir, "old", 8)
	ended, end := context.WithCancel(t.Context())
	end()
	if !RemoveUnused(ended, filepath.Join(dir, "old")) {
		t.Fatal("it is in use")
	}
	if exists(filepath.Join(dir, "old")) || !exists(filepath.Join(dir, "old.gone", "a", "b", "f")) {
		t.Error("it was removed under its name, or at once")
	}
	p := pool(t, dir, 1<<30)
	if _, err := p.Use("mine", nil); err != nil {
		t.Fatal(err)
	}
	p.work.Wait()
	if exists(filepath.Join(dir, "old.gone")) {
		t.Error("the rest is still there")
	}
}

func TestCachesAreSizedUpOnceInAWhile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "caches")
	filled(t, dir, "old", 8)
	if err := os.WriteFile(filepath.Join(dir, trimmedFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p := pool(t, dir, 0)
	if _, err := p.Use("mine", nil); err != nil {
		t.Fatal(err)
	}
	p.work.Wait()
	if !exists(filepath.Join(dir, "old")) {
		t.Error("it was sized up again")
	}
}

// A command may leave anything in its cache. What is done there from outside
// must not follow it out.
func TestNoLinkInACacheLeadsOut(t *testing.T) {
	dir, victim := filepath.Join(t.TempDir(), "caches"), t.TempDir()
	if err := errors.Join(
		os.MkdirAll(filepath.Join(dir, "k", "sub"), 0o700), os.Symlink(victim, filepath.Join(dir, "k", "cargo")),
		os.Symlink(victim, filepath.Join(dir, "k", "sub", "link")), os.Chmod(victim, 0o500),
		os.Chmod(filepath.Join(dir, "k", "sub"), 0o500),
	); err != nil {
		t.Fatal(err)
	}
	p := pool(t, dir, 1<<30)
	d, err := p.Use("k", map[string]string{"cargo/registry": "/x"})
	if err != nil {
		t.Fatal(err)
	}
	if d.Has("cargo") || d.Has("cargo/registry") {
		t.Error("a link counts as a cache")
	}
	p.Close()
	if !RemoveUnused(t.Context(), filepath.Join(dir, "k")) {
		t.Error("it could not be removed")
	}
	info, err := os.Stat(victim)
	if err != nil || info.Mode().Perm() != 0o500 {
		t.Errorf("the directory behind the link: %v, %v", info, err)
	}
	if left, _ := os.ReadDir(victim); len(left) > 0 {
		t.Errorf("made behind the link: %v", left)
	}
}

func TestCachesAreNobodyElses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "caches")
	p := pool(t, dir, 1<<30)
	if _, err := p.Use("k", map[string]string{"cargo/registry": "/home/u/.cargo/registry"}); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{dir, filepath.Join(dir, "k"), filepath.Join(dir, "k/cargo")} {
		if info, err := os.Stat(d); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", d, info.Mode(), err)
		}
	}
	if to, err := os.Readlink(filepath.Join(dir, "k/cargo/registry")); err != nil || to != "/home/u/.cargo/registry" {
		t.Errorf("%q, %v", to, err)
	}
}

func TestALockThatWasRemovedMeanwhileIsNotHeld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k.lock")
	first, err := ShareLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := soleLock(path); err == nil {
		t.Error("two hold it")
	}
	_ = first.Close()
	sole, err := soleLock(path)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan *os.File)
	go func() { f, _ := ShareLock(path); got <- f }()
	time.Sleep(20 * time.Millisecond) // it waits for the lock of the old file
	if err := errors.Join(os.Remove(path), sole.Close()); err != nil {
		t.Fatal(err)
	}
	f := <-got
	defer f.Close()
	ours, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if now, err := os.Stat(path); err != nil || !os.SameFile(ours, now) {
		t.Errorf("the lock of a file that is gone: %v", err)
	}
}
