package caches

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

func TestLocksAreSharedOrSole(t *testing.T) {
	path := filepath.Join(needs.Dir(t), "a.lock")
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
	path := filepath.Join(needs.Dir(t), "a.lock")
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

func TestWhatIsNoLockIsNotWaitedFor(t *testing.T) {
	began := time.Now()
	f, err := Lock(filepath.Join(needs.Dir(t), "none", "a.lock"))
	if err == nil {
		_ = f.Close()
	}
	if !errors.Is(err, fs.ErrNotExist) || time.Since(began) > lockTime {
		t.Errorf("%v after %v", err, time.Since(began))
	}
}
