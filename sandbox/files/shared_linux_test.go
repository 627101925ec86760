package files

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// uid 0 owns what permissions keep from everybody else, so for it a directory is
// granted by the fewest rules without such a file.
func TestRootIsGrantedOfADirectoryWhatEverybodyMayRead(t *testing.T) {
	dir := t.TempDir()
	for path, mode := range map[string]os.FileMode{
		"open/": 0o755, "open/a": 0o644, "open/deep/": 0o755, "open/deep/b": 0o604,
		"mixed/": 0o755, "mixed/shadow": 0o640, "mixed/passwd": 0o644, "mixed/certs/": 0o755, "mixed/certs/c": 0o444,
		"mixed/keys/": 0o755, "mixed/keys/k": 0o600,
		"shut/": 0o711, "shut/d": 0o644, "bare": 0o644, "secret": 0o600,
	} {
		full := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if path[len(path)-1] == '/' {
			if err := os.MkdirAll(full, 0o755); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(full, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(full, mode); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"open/link": "nowhere", "mixed/l-file": "passwd", "mixed/l-shadow": "shadow", "mixed/l-dir": "certs", "mixed/l-nowhere": "nowhere",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	got := Shared(dir)
	for i, path := range got.Open {
		got.Open[i], _ = filepath.Rel(dir, path)
	}
	slices.Sort(got.Open)
	if want := []string{"bare", "mixed/certs", "mixed/l-file", "mixed/passwd", "open"}; got.All || !slices.Equal(got.Open, want) {
		t.Errorf("all %v, %q; want %q", got.All, got.Open, want)
	}
	if open := Shared(filepath.Join(dir, "open")); !open.All || len(open.Open) == 0 || len(open.Closed) != 0 {
		t.Errorf("%+v", open)
	}
	slices.Sort(got.Closed)
	if want := []string{dir + "/mixed/keys/k", dir + "/mixed/shadow", dir + "/secret", dir + "/shut"}; !slices.Equal(got.Closed, want) {
		t.Errorf("%q, want %q", got.Closed, want)
	}
}
