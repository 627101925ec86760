package needs

import (
	"os"
	"path/filepath"
	"testing"
)

// Dir is t.TempDir for files alone, whose os.RemoveAll Wine lacks the calls for.
func Dir(t testing.TB) string {
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
