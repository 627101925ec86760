package rpc

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// docs/platforms.md has a row for every rung and mode; initialize says the same.
func TestInitializeReportsWhatThePlatformTableSays(t *testing.T) {
	b, err := os.ReadFile("../docs/platforms.md")
	if err != nil {
		t.Fatal(err)
	}
	c := start(t)
	c.request(1, "initialize", fmt.Sprintf(`{"processId":null,"workspaceFolders":[{"uri":%q}],"capabilities":{}}`, "file://"+c.ws))
	var r protocol.InitializeResult
	c.result(1, &r)
	report := r.Capabilities.Sandbox
	for _, mode := range []string{"read-only", "workspace-write"} {
		e := report.Modes[mode]
		row := fmt.Sprintf("| Linux | `%s` | `%s` | %s | %s | %s | %s | %s |", report.Rung, mode, e.FSWrite, e.FSRead, e.Network, e.ProcessTree, e.IPC)
		if !strings.Contains(string(b), row) {
			t.Errorf("docs/platforms.md lacks %s", row)
		}
	}
}
