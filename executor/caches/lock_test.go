package caches

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/pillion-sidecar/pillion/test/long"
)

// tempDir is t.TempDir, whose os.RemoveAll Wine lacks the calls for.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "pillion-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
		_ = os.Remove(dir)
	})
	return dir
}

func TestLocksAreSharedOrSole(t *testing.T) {
	path := filepath.Join(tempDir(t), "a.lock")
	first, err := ShareLock(path)
	if err != nil {
		t.Fatal(err)
	}
	second, err := ShareLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if f, err := soleLock(path); err == nil {
		_ = f.Close()
		t.Error("it was shared, and somebody has it alone")
	}
	if err := errors.Join(first.Close(), second.Close()); err != nil {
		t.Fatal(err)
	}
	sole, err := soleLock(path)
	if err != nil {
		t.Fatal(err)
	}
	defer sole.Close()
	if f, err := soleLock(path); err == nil {
		_ = f.Close()
		t.Error("two have it alone")
	}
}

func TestNobodyWaitsForEverForWhoWasStopped(t *testing.T) {
	long.Test(t)
	path := filepath.Join(tempDir(t), "a.lock")
	sole, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	defer sole.Close()
	if f, err := Lock(path); err == nil {
		_ = f.Close()
		t.Error("two have it alone")
	}
}
