package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-sidecar/pillion/guard"
)

func TestThePageOfRulesIsCurrent(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "rules.md"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(page), rulesPage(guard.DefaultPolicy())); d != "" {
		t.Errorf("docs/rules.md is out of date, run make generate:\n%s", d)
	}
}
