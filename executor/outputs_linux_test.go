package executor

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A moment without descriptors costs the commands of that moment, and no later one:
// what was made half-way stood in the way of all that came after it.
func TestOutputsOpenAfterAMomentWithoutDescriptors(t *testing.T) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	failed, opened := 0, false
	for free := uint64(0); !opened && free < 4096; free++ { // what is open lies anywhere
		o := newOutputs(filepath.Join(t.TempDir(), "saved"), slog.New(slog.DiscardHandler))
		err := withDescriptors(t, free, limit, o.open)
		if opened = err == nil; !opened {
			failed++
			if !errors.Is(err, syscall.EMFILE) {
				t.Errorf("%d free: %v", free, err)
			}
			if err := o.open(); err != nil {
				t.Errorf("after %d free: %v", free, err)
			}
		}
		o.close()
	}
	if failed == 0 || !opened {
		t.Errorf("%d tries failed, then %v: that proves nothing", failed, opened)
	}
}

// withDescriptors runs f where only so many more descriptors can be had.
func withDescriptors(t *testing.T, free uint64, limit unix.Rlimit, f func() error) error {
	t.Helper()
	next, err := unix.Open(os.DevNull, unix.O_CLOEXEC, 0) // the lowest that is free
	if err != nil {
		t.Fatal(err)
	}
	_ = unix.Close(next)
	few := unix.Rlimit{Cur: uint64(next) + free, Max: limit.Max}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
			t.Fatal(err)
		}
	}()
	return f()
}
