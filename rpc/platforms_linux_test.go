package rpc

import (
	"fmt"
	"os"
	"regexp"
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
		levels := fmt.Sprintf("| %s | %s | %s | %s | %s |", e.FSWrite, e.FSRead, e.Network, e.ProcessTree, e.IPC)
		row := regexp.MustCompile(fmt.Sprintf(`(?m)^\| Linux \| [^|]*%[1]s[^|]* \| (both|%[1]s%[2]s%[1]s) %[3]s`,
			"`", mode, regexp.QuoteMeta(levels)))
		if found := row.FindString(string(b)); !strings.Contains(found, "`"+report.Rung+"`") {
			t.Errorf("docs/platforms.md lacks %s %s %s", report.Rung, mode, levels)
		}
	}
}
