package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// What the program carries is what lies in the repository, and a test of rpc/protocol/generate
// says that this is current.
func TestSchemaPrintsThePublishedFiles(t *testing.T) {
	for format, file := range map[string]string{
		"jsonschema": "docs/protocol.schema.json",
		"typescript": "editors/protocol/protocol.ts",
		"lua":        "editors/protocol/protocol.lua",
		"kotlin":     "editors/protocol/Protocol.kt",
	} {
		want, err := os.ReadFile(filepath.Join(module, file))
		if err != nil {
			t.Fatal(err)
		}
		got, err := exec.Command(filepath.Join(bin, "pillion"), "schema", "--format="+format).Output()
		if err != nil || string(got) != string(want) {
			t.Errorf("%s: %d bytes, want %d of %s: %v", format, len(got), len(want), file, err)
		}
	}
}
