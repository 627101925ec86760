package journal

import (
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A disk that is full takes a part of a record, and has room again later: what is kept
// before and after that can still be read.
func TestAPartOfARecordIsTakenBack(t *testing.T) {
	base := t.TempDir()
	dir, err := unix.Open(base, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(dir)
	name := NewName(time.Now(), "x")
	e, r := NewEntry(dir, name, nil, DefaultBounds()), record{kind: mode, path: "/ws/a file"}
	write := func(most uint64) error {
		t.Helper()
		var was unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &was); err != nil {
			t.Fatal(err)
		}
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: most, Max: was.Max}); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = unix.Setrlimit(unix.RLIMIT_FSIZE, &was) }()
		return e.write(r)
	}
	signal.Ignore(unix.SIGXFSZ)
	defer signal.Reset(unix.SIGXFSZ)
	if err := write(1 << 20); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(base, name, logName)
	whole, err := os.Stat(log)
	if err != nil {
		t.Fatal(err)
	}
	if err := write(uint64(whole.Size()) + 20); !errors.Is(err, unix.EFBIG) {
		t.Fatal(err)
	}
	if err := write(1 << 20); err != nil {
		t.Fatal(err)
	}
	if err := e.End(func(string) (int, error) { return -1, unix.ENOENT }); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(log)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	kinds := ""
	if err := each(f, func(r record) { kinds += string(rune(r.kind)) }); err != nil || kinds != "MME" {
		t.Errorf("%s, %v", kinds, err)
	}
}
