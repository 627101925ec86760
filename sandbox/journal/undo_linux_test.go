package journal

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A command makes src, removes it, makes it again and is killed with us before that is
// written. It may be killed at any instruction, so here its last record is left out.
func TestADirectoryMadeAtTheMomentOfAKillGoes(t *testing.T) {
	for _, dry := range []bool{true, false} {
		ws, base := t.TempDir(), t.TempDir()
		check := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		open := func(dir string) int {
			fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
			check(err)
			t.Cleanup(func() { _ = unix.Close(fd) })
			return fd
		}
		dir, src := open(ws), filepath.Join(ws, "src")
		s := Open(base, []string{ws})
		e := NewEntry(open(base), NewName(time.Now(), "killed"), nil, DefaultBounds())
		check(e.Touch(dir, ws))
		check(os.Mkdir(src, 0o755))
		check(e.Created(dir, ws, "src"))
		check(e.Removing(dir, ws, "src", Host(dir, ws)))
		check(os.Rename(src, src+".was")) // so that its number is not given again
		check(os.Mkdir(src, 0o700))
		check(unix.Close(e.log)) // the kernel does this when a process is killed

		r, err := s.Undo(e.name, Options{DryRun: dry, Name: NewName(time.Now(), "undo")})
		check(err)
		_, err = os.Lstat(src)
		if len(r.Left) > 0 || r.Removed != 1 || os.IsNotExist(err) == dry {
			t.Errorf("dry run %v: %+v, then %v", dry, r, err)
		}
	}
}

// An undo that is killed between the making of an entry and its first record has changed
// nothing, and left an entry without a log.
func TestAnEntryWithoutALogIsNothingToUndo(t *testing.T) {
	s := Open(t.TempDir(), nil)
	name := NewName(time.Now().Add(-time.Hour), "killed")
	if err := os.Mkdir(filepath.Join(s.dir, name), 0o700); err != nil {
		t.Fatal(err)
	}
	if r, err := s.Undo(name, Options{Name: "undo"}); err != nil || r.Restored+r.Removed != 0 || len(r.Left) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if err := s.Trim(1<<30, time.Minute); err != nil {
		t.Fatal(err)
	}
	if names, _ := s.names(); len(names) > 0 {
		t.Errorf("%v is left for good", names)
	}
}

// An undo takes what is gone for what it has put back already, so nothing goes meanwhile.
func TestNothingIsTrimmedDuringAnUndo(t *testing.T) {
	s := Open(t.TempDir(), nil)
	entry := filepath.Join(s.dir, NewName(time.Unix(0, 1), "old"))
	if err := os.Mkdir(entry, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, during := range []bool{true, false} {
		unlock := func() {}
		if during {
			unlock = s.Lock()
		}
		if err := s.Trim(0, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(entry); (err == nil) != during {
			t.Errorf("during an undo: %v: %v", during, err)
		}
		unlock()
	}
}
