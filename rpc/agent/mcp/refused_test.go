package mcp

import (
	"fmt"
	"testing"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// TestAMistakeOfTheModelIsNoFaultOfPillion: "internalError" asks a person to report it.
func TestAMistakeOfTheModelIsNoFaultOfPillion(t *testing.T) {
	for want, err := range map[string]error{
		"notUndone":     func() error { _, err := new(session).take("x", false); return err }(),
		"invalidParams": (&open{ready: make(chan protocol.PortParams)}).refuses(AnswerArguments{Text: "x"}),
		"unknownExec":   fmt.Errorf("wrapped: %w", Refusal{Kind: "unknownExec"}),
	} {
		if r := refusalOf(err, protocol.ExecParams{}); r.Kind != want {
			t.Errorf("%v: %q, want %q", err, r.Kind, want)
		}
	}
	if r := refusalOf(fmt.Errorf("broken"), protocol.ExecParams{}); r.Kind != "internalError" || r.Code != int(protocol.CodeInternal) {
		t.Errorf("%+v", r)
	}
	if got := argument("/sandbox/mode: expected x, got y"); got != "/mode: expected x, got y" {
		t.Error(got)
	}
}
