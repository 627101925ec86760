package rpc

import (
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// What a client sends once must not stay: neither input nor variables.
func TestOnlySmallRunsCanBeRetried(t *testing.T) {
	refused := &protocol.ExecResult{ExecID: "a", Violations: []protocol.Violation{{Allow: &protocol.AccessGrant{Kind: "read", Value: "/srv/x"}}}}
	huge := strings.Repeat("x", maxRetryBytes)
	for name, p := range map[string]protocol.ExecParams{
		"input": {Command: "cat", Stdin: &protocol.StdinParams{Text: &huge}}, "words": {Argv: []string{"echo", huge}},
		"variables": {Command: "true", Env: map[string]protocol.Nullable[string]{"A": {Set: true, Value: huge}}},
	} {
		var kept retries
		if kept.keep(p, refused); len(kept.list) != 0 {
			t.Errorf("%s: it is kept", name)
		}
	}
	var kept retries
	for range 2 * maxRetries {
		kept.keep(protocol.ExecParams{Command: "true"}, refused)
	}
	if len(kept.list) != maxRetries {
		t.Errorf("%d are kept", len(kept.list))
	}
}
