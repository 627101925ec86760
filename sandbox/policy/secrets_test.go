package policy

import (
	"path"
	"testing"
)

func TestSecretsAreWrittenAsPathsBelowAHome(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range HomeSecrets {
		if path.IsAbs(s) || path.Clean(s) != s || seen[s] {
			t.Errorf("%q", s)
		}
		seen[s] = true
	}
	for _, s := range RootSecrets {
		if !path.IsAbs(s) || path.Clean(s) != s {
			t.Errorf("%q", s)
		}
	}
}
