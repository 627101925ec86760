package config

import (
	"os"
	"path/filepath"
	"testing"
)

// A start that was killed leaves its probe, which the next one removes.
func TestNoProbeStaysInAPrivateDirectory(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".probe"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := privateDir(dir); err != nil {
			t.Fatal(err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%v, %v", left, err)
		}
	}
}
