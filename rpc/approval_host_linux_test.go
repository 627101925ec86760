package rpc

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/test/needs"
)

func byProxy(o *Options) { o.Config.Sandbox.Network = sandbox.NetworkProxy }

// tries leaves a script that connects to the host it is given.
func (c *client) tries() {
	c.t.Helper()
	if err := os.WriteFile(filepath.Join(c.ws, "try.sh"), []byte("bash -c \"$PILLION_TUNNEL\" tunnel $1 443\n"), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

// What is shown of the command must not hide the host, nor what accepting it means.
func TestHostQuestionByMessage(t *testing.T) {
	needs.Namespaces(t)
	for button, rule := range map[string]string{"Allow": "address", "Don't allow": "not listed", "Run once": "not listed"} {
		c := connected(t, `{}`, `"approvals":{"fallback":"showMessageRequest"}`, byProxy)
		c.tries()
		c.request(2, "exec", `{"command":"sh try.sh localhost"}`)
		m := c.asked("window/showMessageRequest", 1)
		var p protocol.ShowMessageRequestParams
		if err := json.Unmarshal(m.Params, &p, json.RejectUnknownMembers(true)); err != nil {
			t.Fatal(err)
		}
		if p.Type != 2 || fmt.Sprint(p.Actions) != "[{Allow} {Don't allow}]" ||
			!strings.HasPrefix(p.Message, "Let everything in this sandbox connect to localhost:443?\nWhat the sandbox can read can be sent there.\n") || !strings.Contains(p.Message, "sh try.sh localhost\nin "+resolved(t, c.ws)) {
			t.Errorf("%+v", p)
		}
		c.body(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"title":%q}}`, m.ID, button))
		r := new(protocol.ExecResult)
		c.result(2, r)
		if len(r.Violations) != 1 || r.Violations[0].Rule != rule {
			t.Errorf("%s: %+v", button, r.Violations)
		}
	}
}

// A client that puts questions to a person itself can't while a command runs.
func TestHostIsRefusedAtOnceWhereTheClientAsksItself(t *testing.T) {
	needs.Namespaces(t)
	c := connected(t, `{"exec":{"approvalRetry":true}}`, "", byProxy)
	c.tries()
	c.request(2, "exec", `{"command":"sh try.sh one.example"}`)
	r := new(protocol.ExecResult)
	c.result(2, r)
	if len(r.Violations) != 1 || r.Violations[0].Address != "one.example:443" {
		t.Errorf("%+v", r.Violations)
	}
}

func TestTheAuditLogHasHosts(t *testing.T) {
	needs.Namespaces(t)
	c, path := audited(t, "", byProxy)
	c.tries()
	c.request(2, "exec", `{"execId":"a","command":"sh try.sh localhost; sh try.sh one.example"}`)
	id, _ := c.question(1)
	c.reply(id, `{"decision":"acceptForSession"}`)
	id, _ = c.question(2)
	c.reply(id, `{"decision":"decline","message":"no"}`)
	c.result(2, new(protocol.ExecResult))
	lines := wantTold(t, path, "session", "verdict a allow", "exec a", "grant a", "approval a acceptForSession", "approval a decline", "violation a", "violation a", "end a")
	if lines[3].Host != "localhost:443" || lines[3].GrantID == "" || lines[4].Host != "localhost:443" || lines[4].GrantID != lines[3].GrantID {
		t.Errorf("%+v %+v", lines[3], lines[4])
	}
	if l := lines[5]; l.Host != "one.example:443" || l.By != "client" || l.Message != "no" {
		t.Errorf("%+v", l)
	}
	if v := lines[7].Violation; v.Path != "one.example:443" || v.Rule != "not listed" {
		t.Errorf("%+v", v)
	}
}
