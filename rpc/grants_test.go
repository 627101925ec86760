package rpc

import (
	"fmt"
	"testing"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

func TestApprovalForTheSession(t *testing.T) {
	c := asking(t, "")
	c.request(2, "exec", `{"command":"touch ran"}`)
	id, p := c.question(1)
	rule := p.SessionRule
	if fmt.Sprint(p.AvailableDecisions) != "[accept acceptForSession decline cancel edit]" || rule.Kind != "exact" || rule.Command != "touch ran" ||
		fmt.Sprint(rule.RuleIDs) != "[ask-touch]" || rule.Cwd != p.Subject.Cwd || rule.Sandbox != "workspace-write" || rule.Network == "" || rule.PolicyHash == "" {
		t.Errorf("%+v", p)
	}
	c.reply(id, `{"decision":"acceptForSession"}`)
	var r protocol.ExecResult
	c.result(2, &r)
	again := c.exec(3, `{"command":"touch ran"}`)
	if r.Approval.GrantID == "" || again.Approval.Decision != "acceptForSession" || again.Approval.GrantID != r.Approval.GrantID {
		t.Errorf("%+v %+v", r.Approval, again.Approval)
	}
	grants := func(id int, params string) []protocol.Grant {
		c.request(id, "guard/grants", params)
		var g protocol.GrantsResult
		c.result(id, &g)
		return g.Grants
	}
	if g := grants(4, `{"action":"list"}`); len(g) != 1 || g[0].GrantID != r.Approval.GrantID || g[0].Uses != 1 || g[0].CreatedAt == "" || g[0].Rule.Command != "touch ran" {
		t.Errorf("%+v", g)
	}
	if g := grants(5, `{"action":"clear","grantId":"g-other"}`); len(g) != 1 {
		t.Errorf("%+v", g)
	}
	if g := grants(6, `{"action":"clear"}`); g == nil || len(g) != 0 {
		t.Errorf("%+v", g)
	}
	c.request(7, "exec", `{"command":"touch ran"}`)
	c.question(2)
	for i, params := range []string{`{}`, `{"action":"all"}`, `{"action":"list","grantId":"x"}`, `{"action":"clear","grantID":"x"}`} {
		c.request(10+i, "guard/grants", params)
		c.fails(10+i, -32602, "invalidParams")
	}
}

// Another connection doesn't know the grants of this one.
func TestApprovalForTheSessionEndsWithTheConnection(t *testing.T) {
	first := asking(t, "")
	first.request(2, "exec", `{"command":"touch ran"}`)
	id, _ := first.question(1)
	first.reply(id, `{"decision":"acceptForSession"}`)
	first.result(2, new(protocol.ExecResult))
	second := asking(t, "")
	second.request(2, "guard/grants", `{"action":"list"}`)
	var g protocol.GrantsResult
	if second.result(2, &g); len(g.Grants) != 0 {
		t.Errorf("%+v", g)
	}
}
