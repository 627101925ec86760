package reply

import (
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// TestWhatToDoInsteadIsSaidOnce, also where its title is the command.
func TestWhatToDoInsteadIsSaidOnce(t *testing.T) {
	said := Denied(protocol.GuardVerdict{Decision: guard.Ask, Findings: []protocol.Finding{{
		RuleID: "git/force-push", Decision: guard.Ask, Message: "git overwrites branches",
		Suggestion: &protocol.Suggestion{Title: "git push --force-with-lease", Command: "git push --force-with-lease origin"},
	}}})
	if strings.Count(said, "--force-with-lease") != 1 {
		t.Error(said)
	}
}
