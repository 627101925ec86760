package sandbox

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestTheTableOfWindows keeps docs/sandbox.md as the decisions are. UPDATE=1 writes it.
func TestTheTableOfWindows(t *testing.T) {
	const path, begin, end = "../docs/sandbox.md", "<!-- windows -->\n", "<!-- /windows -->\n"
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(b), begin)
	had, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatal("the table has lost its place")
	}
	if had == windowsTable() {
		return
	}
	if os.Getenv("UPDATE") == "" {
		t.Fatalf("UPDATE=1 writes\n%s", windowsTable())
	}
	if err := os.WriteFile(path, []byte(before+begin+windowsTable()+end+after), 0o600); err != nil {
		t.Fatal(err)
	}
}

func windowsTable() string {
	var b strings.Builder
	b.WriteString("| rung | mode | writes | reads | network | processes | ipc |\n|---|---|---|---|---|---|---|\n")
	for _, rung := range windowsRungs {
		for _, mode := range []Mode{ReadOnly, WorkspaceWrite} {
			e := assess(Policy{Mode: mode, Network: NetworkDeny, Reads: ReadsPrivate}, windowsFacts(rung, mode))
			fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s | %s | %s | %s |\n", rung, mode, e.FSWrite, e.FSRead, e.Network, e.ProcessTree, e.IPC)
		}
	}
	return b.String()
}
