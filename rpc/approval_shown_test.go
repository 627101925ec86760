package rpc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// An attack: the dangerous end out of sight, characters that turn the line
// around, a description that says something else.
func TestApprovalShowsWhatRuns(t *testing.T) {
	c := asking(t, "")
	command := "touch " + strings.Repeat("harmless ", 100) + "\nrm -rf ./sources"
	body, _ := json.Marshal(map[string]any{"command": command, "description": "list \u202efiles\x1b[2K"})
	c.request(2, "exec", string(body))
	_, p := c.question(1)
	if !strings.HasPrefix(p.Title, "Run touch harmless") || !strings.HasSuffix(p.Title, `\nrm -rf ./sources?`) || len([]rune(p.Title)) > 300 {
		t.Errorf("title %q", p.Title)
	}
	if p.Subject.Command != command || p.Description != `list \u202efiles\u001b[2K` {
		t.Errorf("%q %q", p.Subject.Command, p.Description)
	}
	for _, f := range p.Findings {
		if strings.ContainsAny(f.Message+f.Explanation, "\n\x1b\u202e") {
			t.Errorf("%q", f.Message)
		}
	}
}

// A message has no exact text beside it: it says that something is missing.
func TestApprovalByMessageKeepsTheEnd(t *testing.T) {
	c := connected(t, `{}`, `"approvals":{"fallback":"showMessageRequest"}`)
	c.request(2, "exec", fmt.Sprintf(`{"command":"touch %s; touch last"}`, strings.Repeat("x", 2000)))
	p := string(c.asked("window/showMessageRequest", 1).Params)
	if !strings.Contains(p, `xx; touch last\nin `) || !strings.Contains(p, "1018 characters in the middle of the command are not shown.") {
		t.Error(p)
	}
}

// Of several commands none is cut out of the middle.
func TestApprovalByMessageShowsEveryCommand(t *testing.T) {
	c := connected(t, `{}`, `"approvals":{"fallback":"showMessageRequest"}`)
	long := strings.Repeat("x", 2000)
	c.request(2, "exec", fmt.Sprintf(`{"commands":["echo %s","touch hidden\necho","echo %s"],"ignoreErrors":true}`, long, long))
	p := string(c.asked("window/showMessageRequest", 1).Params)
	if !strings.Contains(p, `Run 3 commands, whatever fails\n1. echo x`) || !strings.Contains(p, `\n2. touch hidden\\necho\n3. echo x`) ||
		!strings.Contains(p, "3344 characters in the middle of the command are not shown.") {
		t.Error(p)
	}
}

func TestApprovalByMessage(t *testing.T) {
	for answer, run := range map[string]bool{
		`"result":{"title":"Run once"}`:          true,
		`"result":{"title":"Run once","id":1}`:   true, // an editor may keep more with a button
		`"result":{"title":"Don't run"}`:         false,
		`"result":{"title":"run once"}`:          false,
		`"result":{"title":["Run once"]}`:        false,
		`"result":null`:                          false,
		`"result":"Run once"`:                    false,
		`"result":{}`:                            false,
		`"error":{"code":-32601,"message":"no"}`: false,
	} {
		c := connected(t, `{}`, `"approvals":{"fallback":"showMessageRequest"}`)
		c.request(2, "exec", `{"command":"touch ran\necho"}`)
		m := c.asked("window/showMessageRequest", 1)
		var p protocol.ShowMessageRequestParams
		if err := json.Unmarshal(m.Params, &p, json.RejectUnknownMembers(true)); err != nil {
			t.Fatal(err)
		}
		if p.Type != 2 || fmt.Sprint(p.Actions) != "[{Run once} {Don't run}]" || !strings.HasPrefix(p.Message, `Run touch ran\necho`+"\nin "+resolved(t, c.ws)) ||
			!strings.Contains(p.Message, "ask-touch") {
			t.Errorf("%+v", p)
		}
		c.body(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, m.ID, answer))
		if run {
			c.result(2, new(protocol.ExecResult))
		} else {
			c.fails(2, -31003, "approvalDeclined")
		}
		if c.ran("ran") != run {
			t.Errorf("%s: ran %v", answer, !run)
		}
	}
}

// A client that serves exec/requestApproval is asked by it, whatever the fallback.
func TestApprovalPrefersTheRequest(t *testing.T) {
	c := asking(t, `"approvals":{"fallback":"showMessageRequest"}`)
	c.request(2, "exec", `{"command":"touch ran"}`)
	c.question(1)
}
