package mcp

import (
	"slices"
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
