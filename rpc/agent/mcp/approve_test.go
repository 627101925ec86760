package mcp

import (
	"slices"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

func TestTheFormOffersWhatTheServerDoes(t *testing.T) {
	for _, rule := range []*protocol.SessionRule{nil, {}} {
		p := protocol.ApprovalParams{SessionRule: rule}
		d := form(p)["properties"].(map[string]any)["decision"].(map[string]any)
		values, names := d["enum"].([]string), d["enumNames"].([]string)
		if len(values) != len(names) || values[0] != choiceNo || slices.Contains(values, choiceSession) != (rule != nil) {
			t.Errorf("%v, %v", values, names)
		}
	}
}

// A command that runs waits for the use of a key: to run it or not is not the question.
func TestTheFormOfAUseIsNotAboutRunning(t *testing.T) {
	p := protocol.ApprovalParams{SessionRule: &protocol.SessionRule{}, Subject: protocol.ApprovalSubject{Type: protocol.SubjectAccess}}
	d := form(p)["properties"].(map[string]any)["decision"].(map[string]any)
	for _, name := range d["enumNames"].([]string) {
		if strings.Contains(strings.ToLower(name), "run") {
			t.Error(name)
		}
	}
}
