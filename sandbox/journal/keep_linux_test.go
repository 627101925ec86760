package journal

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What could not be kept once must not be taken for kept: the second write of the same
// command would destroy it, and nobody would hear of it.
func TestWhatCouldNotBeKeptIsNotTakenForKept(t *testing.T) {
	dir := t.TempDir()
	base, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(base)
	other, err := os.MkdirTemp("/dev/shm", "pillion-") // a copy on another file system is never a clone
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(other)
	file := filepath.Join(other, "f")
	if err := os.WriteFile(file, make([]byte, 5000), 0o600); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Open(file, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	e := NewEntry(base, NewName(time.Now(), "x"), nil, Bounds{File: 1000, Refuse: func(string, string) {}})
	for range 3 {
		if err := e.Writing(fd, file, 1); err != unix.EDQUOT {
			t.Errorf("writing: %v", err)
		}
	}
	e.bounds.File = 10_000
	if err := e.Writing(fd, file, 1); err != nil || e.Modified != 1 {
		t.Errorf("%v %+v", err, e.Counts)
	}
}
