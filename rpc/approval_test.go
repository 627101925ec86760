package rpc

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// askRule has touch asked about: what it leaves shows whether it ran.
const askRule = `"policy":{"rule":[{"id":"ask-touch","decision":"ask","prefix":["touch"]}]}`

// asking makes a connection of a client that announced approvals.
func asking(t *testing.T, options string, change ...func(*Options)) *client {
	t.Helper()
	return connected(t, `{"exec":{"approval":true}}`, options, change...)
}

func connected(t *testing.T, capabilities, options string, change ...func(*Options)) *client {
	t.Helper()
	c := start(t, change...)
	if options != "" {
		options = "," + options
	}
	c.request(1, "initialize", fmt.Sprintf(`{"processId":null,"workspaceFolders":[{"uri":%q}],"capabilities":%s,"initializationOptions":{%s%s}}`,
		"file://"+c.ws, capabilities, askRule, options))
	c.result(1, new(protocol.InitializeResult))
	c.notify("initialized", "{}")
	c.forget()
	return c
}

// question waits for the n-th request of the server.
func (c *client) question(n int) (id string, p protocol.ApprovalParams) {
	c.t.Helper()
	m := c.asked("exec/requestApproval", n)
	if err := json.Unmarshal(m.Params, &p, json.RejectUnknownMembers(true)); err != nil {
		c.t.Fatal(err)
	}
	return string(m.ID), p
}

func (c *client) asked(method string, n int) message {
	c.t.Helper()
	seen := map[string]int{}
	c.wait(fmt.Sprintf("%s %d", method, n), func(m message) bool {
		if m.Method == method && seen[string(m.ID)] == 0 {
			seen[string(m.ID)] = len(seen) + 1
		}
		return seen[string(m.ID)] == n && m.Method == method
	})
	var found message
	for _, m := range c.all() {
		if m.Method == method && seen[string(m.ID)] == n {
			found = m
		}
	}
	return found
}

func (c *client) reply(id, result string) {
	c.t.Helper()
	c.body(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result))
}

func (c *client) ran(name string) bool {
	_, err := os.Stat(filepath.Join(c.ws, name))
	return err == nil
}

func TestApprovalRequestHasEveryMember(t *testing.T) {
	c := asking(t, "")
	c.request(2, "exec", `{"execId":"a","command":"touch ran","description":"d","env":{"B":"1","A":null}}`)
	id, p := c.question(1)
	s := p.Subject
	if !strings.HasPrefix(p.ApprovalID, "a-") || p.ExecID != "a" || p.Title != "Run touch ran?" || p.Description != "d" || p.Reason != "guard" ||
		s.Type != "command" || s.Command != "touch ran" || s.Argv != nil || s.Cwd != resolved(t, c.ws) || fmt.Sprint(s.Env) != "[A B]" ||
		s.Sandbox.Mode != "workspace-write" || s.Network == "" || len(p.Findings) != 1 || p.Findings[0].RuleID != "ask-touch" ||
		fmt.Sprint(p.AvailableDecisions) != "[accept decline cancel edit]" || p.SessionRule != nil {
		t.Errorf("%+v", p)
	}
	if at, err := time.Parse(time.RFC3339, p.ExpiresAt); err != nil || time.Until(at) > 5*time.Minute || time.Until(at) < 4*time.Minute {
		t.Errorf("%s %v", p.ExpiresAt, err)
	}
	c.reply(id, `{"decision":"accept"}`)
	var r protocol.ExecResult
	if c.result(2, &r); !c.ran("ran") || r.Approval.Decision != "accept" || r.Guard.Decision != "ask" {
		t.Errorf("%+v", r)
	}
}

func TestApprovalIsNotAskedOfAClientThatDoesNotSaySo(t *testing.T) {
	c := connected(t, `{"exec":{"approval":false}}`, "")
	c.request(2, "exec", `{"command":"touch ran"}`)
	c.fails(2, -31002, "approvalRequired")
	if len(c.all()) != 1 || c.ran("ran") {
		t.Error(c.dump())
	}
}

// Anything but a decision that was offered, in its exact form, is a decline.
func TestApprovalAnswers(t *testing.T) {
	c := asking(t, "")
	for i, tt := range []struct{ answer, by string }{
		{`"result":{"decision":"decline"}`, "client"},
		{`"result":{"decision":"decline","message":"no"}`, "client"},
		{`"error":{"code":-32601,"message":"no such method"}`, "unsupported"},
		{`"error":{"code":-32603,"message":"oops"}`, "client"},
		{`"error":{"code":0,"message":""}`, "client"},
		{`"error":null`, "malformed"},
		{`"result":null`, "malformed"},
		{`"result":"accept"`, "malformed"},
		{`"result":true`, "malformed"},
		{`"result":["accept"]`, "malformed"},
		{`"result":{}`, "malformed"},
		{`"result":{"decision":null}`, "malformed"},
		{`"result":{"decision":1}`, "malformed"},
		{`"result":{"decision":"Accept"}`, "malformed"},
		{`"result":{"Decision":"accept"}`, "malformed"},
		{`"result":{"decision":"accept "}`, "malformed"},
		{`"result":{"decision":"allow"}`, "malformed"},
		{`"result":{"decision":"decline","decision":"accept"}`, "malformed"},
		{`"result":{"decision":"accept","always":true}`, "malformed"},
		{`"result":{"decision":"accept","message":null}`, "malformed"},
		{`"result":{"decision":"accept","command":"touch other"}`, "malformed"},
		{`"result":{"decision":"accept"},"result":{"decision":"accept"}`, "malformed"},
		{`"result":{"decision":"accept"},"error":{"code":1,"message":"x"}`, "malformed"},
		{`"result":{"decision":"acceptForSession"}`, "malformed"}, // not offered: there is an expansion
		{`"result":{"decision":"edit"}`, "malformed"},
		{`"result":{"decision":"edit","command":""}`, "malformed"},
		{`"result":{"decision":"edit","argv":["true"]}`, "malformed"},
		{`"result":{"decision":"edit","command":"true","argv":["true"]}`, "malformed"},
		{`"result":{"decision":"edit","command":"true\u0000"}`, "malformed"},
	} {
		c.forget()
		c.request(10+i, "exec", `{"command":"touch ran \"$X\""}`)
		id, _ := c.question(1)
		c.body(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, id, tt.answer))
		if data := c.fails(10+i, -31003, "approvalDeclined"); data["by"] != tt.by || data["retryable"] != false || data["verdict"] == nil {
			t.Errorf("%s: %v", tt.answer, data)
		}
		if c.ran("ran") {
			t.Fatalf("%s: it ran", tt.answer)
		}
	}
}

func TestApprovalDeclineCarriesThePersonsWords(t *testing.T) {
	c := asking(t, "")
	c.request(2, "exec", `{"command":"touch ran"}`)
	id, _ := c.question(1)
	c.reply(id, `{"decision":"decline","message":"use mkdir"}`)
	if data := c.fails(2, -31003, "approvalDeclined"); data["message"] != "use mkdir" {
		t.Errorf("%v", data)
	}
}

func TestApprovalEdit(t *testing.T) {
	c := asking(t, "")
	c.request(2, "exec", `{"command":"touch ran"}`)
	id, _ := c.question(1)
	c.reply(id, `{"decision":"edit","command":"echo edited"}`)
	var r protocol.ExecResult
	if c.result(2, &r); stdout(r) != "edited\n" || c.ran("ran") || r.Approval.Decision != "edit" || r.Approval.Command != "echo edited" {
		t.Errorf("%+v", r)
	}
}

// guard/check asks nobody, even where somebody could be asked.
func TestApprovalIsNotAskedByACheck(t *testing.T) {
	c := asking(t, "")
	c.request(2, "guard/check", `{"checks":[{"command":"touch ran"}]}`)
	var r protocol.CheckResult
	if c.result(2, &r); !r.Verdicts[0].WouldAsk || len(c.all()) != 1 {
		t.Error(c.dump())
	}
}
