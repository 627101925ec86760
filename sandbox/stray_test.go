package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Names from outside of the home would tell a command what there is.
func TestStrayFilesAreThoseOfTheHomeThatAreNew(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	since := time.Now()
	for _, name := range []string{"a", "d/b", "d/.hidden", ".cache/c", "old"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(outside, "theirs"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(dir, "old"), since.Add(-time.Hour), since.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"out": outside, "d/file": filepath.Join(outside, "theirs")} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Logf("no links here: %v", err) // an ordinary user of Windows
		}
	}
	if d := cmp.Diff([]string{"a", filepath.Join("d", "b")}, stray(dir, since)); d != "" {
		t.Error(d)
	}
	if got := stray(filepath.Join(dir, "none"), since); got != nil {
		t.Errorf("%q", got)
	}
}

func TestOfManyStrayFilesSomeAreNamed(t *testing.T) {
	dir := t.TempDir()
	for i := range maxStray + 10 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(stray(dir, time.Time{}.Add(time.Hour))); got == 0 || got > maxStray {
		t.Errorf("%d", got)
	}
}
