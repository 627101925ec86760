package display

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

func TestOneRuleSpeaksOnce(t *testing.T) {
	finding := func(rule string, decision guard.Decision, message string, at int) protocol.Finding {
		return protocol.Finding{RuleID: rule, Decision: decision, Message: message, Span: protocol.Span{Start: at, End: at + 1}}
	}
	v := protocol.GuardVerdict{Decision: "deny", Findings: []protocol.Finding{
		finding("a", "deny", "deletes 1", 0), finding("a", "deny", "deletes 2", 1), finding("a", "deny", "deletes 2", 2),
		finding("b", "deny", "reads", 3), finding("c", "deny", "writes", 4), finding("d", "deny", "sends", 5),
		finding("a", "ask", "deletes 3", 6), finding("e", "ask", "asks", 7), finding("e", "ask", "asks again", 8),
	}}
	main, others := byRule(v)
	var got []string
	for _, m := range main {
		got = append(got, m.RuleID+": "+strings.Join(append([]string{m.Message}, m.likewise...), ", "))
	}
	if d := cmp.Diff([]string{"a: deletes 1, deletes 2", "b: reads", "c: writes"}, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"e", "d"}, distinct(others)); d != "" {
		t.Error(d)
	}
}
