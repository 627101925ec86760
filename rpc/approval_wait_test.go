package rpc

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

func TestApprovalExpiresAndIsWithdrawn(t *testing.T) {
	c := asking(t, `"approvals":{"timeoutMs":100}`)
	c.request(2, "exec", `{"command":"touch ran"}`)
	id, _ := c.question(1)
	if data := c.fails(2, -31003, "approvalDeclined"); data["by"] != "timeout" {
		t.Errorf("%v", data)
	}
	if m := c.asked("$/cancelRequest", 1); string(m.Params) != `{"id":`+id+`}` {
		t.Errorf("%s", m.Params)
	}
	c.reply(id, `{"decision":"accept"}`) // too late
	var s protocol.StatusResult
	c.request(3, "server/status", "{}")
	if c.result(3, &s); s.AnswersIgnored != 1 || c.ran("ran") {
		t.Errorf("%+v", s)
	}
}

func TestApprovalCancelWhileWaiting(t *testing.T) {
	for name, cancel := range map[string]func(*client){
		"$/cancelRequest": func(c *client) { c.notify("$/cancelRequest", `{"id":2}`) },
		"exec/cancel":     func(c *client) { c.request(3, "exec/cancel", `{"execId":"a"}`) },
		"progress":        func(c *client) { c.notify("window/workDoneProgress/cancel", `{"token":"w"}`) },
		"the person": func(c *client) {
			id, _ := c.question(1)
			c.reply(id, `{"decision":"cancel"}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := asking(t, "")
			c.request(2, "exec", `{"execId":"a","command":"touch ran","workDoneToken":"w"}`)
			id, _ := c.question(1)
			cancel(c)
			if data := c.fails(2, -32800, "cancelled"); data["phase"] != "awaitingApproval" {
				t.Errorf("%v", data)
			}
			if name != "the person" {
				if m := c.asked("$/cancelRequest", 1); string(m.Params) != `{"id":`+id+`}` {
					t.Errorf("%s", m.Params)
				}
			}
			if name == "exec/cancel" {
				var r protocol.CancelResult
				if c.result(3, &r); r != (protocol.CancelResult{State: "awaitingApproval", Signalled: true}) {
					t.Errorf("%+v", r)
				}
			}
			c.reply(id, `{"decision":"accept"}`) // late or twice
			lives(c)
			if c.ran("ran") {
				t.Error("it ran")
			}
		})
	}
}

func TestApprovalAtShutdown(t *testing.T) {
	c := asking(t, "")
	c.request(2, "exec", `{"command":"touch ran"}`)
	id, _ := c.question(1)
	c.request(3, "shutdown", "null")
	if data := c.fails(2, -32802, "serverCancelled"); data["phase"] != "awaitingApproval" {
		t.Errorf("%v", data)
	}
	if m := c.asked("$/cancelRequest", 1); string(m.Params) != `{"id":`+id+`}` {
		t.Errorf("%s", m.Params)
	}
	last := c.answer(3)
	if all := c.all(); string(last.Result) != "null" || string(all[len(all)-1].ID) != "3" {
		t.Errorf("null isn't last: %s", c.dump())
	}
	c.notify("exit", "null")
	if code := c.exited(); code != 0 || c.ran("ran") {
		t.Errorf("exit %d", code)
	}
}

func TestApprovalAtEndOfInput(t *testing.T) {
	c := asking(t, "")
	c.request(2, "exec", `{"command":"touch ran"}`)
	c.question(1)
	_ = c.in.Close()
	if code := c.exited(); code != 1 || c.ran("ran") {
		t.Errorf("exit %d", code)
	}
}

// A person takes their time; nobody else waits for them, nor does the reader.
func TestApprovalHoldsUpNothingElse(t *testing.T) {
	c := asking(t, "", func(o *Options) { o.Config.Limits.MaxConcurrent, o.Config.Limits.MaxQueued = 1, 1 })
	c.request(2, "exec", `{"execId":"a","command":"touch a","description":"first"}`)
	c.request(3, "exec", `{"execId":"b","command":"touch b"}`)
	_, p := c.question(1)
	id, q := c.question(2)
	if p.ExecID == "b" { // the two run beside each other
		id, _ = c.question(1)
	}
	if r := c.exec(4, `{"command":"echo hi"}`); stdout(r) != "hi\n" {
		t.Errorf("%+v %s", r, q.ExecID)
	}
	c.request(5, "exec/list", "{}")
	var l protocol.ListResult
	if c.result(5, &l); len(l.Execs) != 2 || l.Execs[0].State != "awaitingApproval" || l.Execs[0].SandboxMode != "workspace-write" || l.Execs[0].Cwd != resolved(t, c.ws) {
		t.Errorf("%+v", l)
	}
	c.request(6, "server/status", "{}")
	var s protocol.StatusResult
	if c.result(6, &s); s.Execs.AwaitingApproval != 2 || s.Execs.Queued != 0 || s.Execs.Running != 0 {
		t.Errorf("%+v", s.Execs)
	}
	c.reply(id, `{"decision":"accept"}`)
	c.result(3, new(protocol.ExecResult))
	if !c.ran("b") || c.ran("a") {
		t.Error("the other one ran")
	}
}

func TestApprovalsPendingAreLimited(t *testing.T) {
	c := asking(t, "")
	const most = 32
	for i := range most {
		c.request(100+i, "exec", fmt.Sprintf(`{"command":"touch %d"}`, i))
	}
	c.question(most)
	c.request(2, "exec", `{"command":"touch ran"}`)
	if data := c.fails(2, -31013, "serverBusy"); data["retryable"] != true || !strings.Contains(c.answer(2).Error.Message, "32 commands wait for a person") {
		t.Errorf("%v", data)
	}
	c.notify("$/cancelRequest", `{"id":100}`)
	c.answer(100)
	c.request(3, "exec", `{"command":"touch ran"}`)
	c.question(most + 1)
}

// The server's ids are its own: a client's request with the same one, and an
// answer to one that nobody asked, mean something else.
func TestApprovalIdsAreNotTheClients(t *testing.T) {
	c := asking(t, "")
	c.request(2, "exec", `{"execId":"a","command":"touch ran"}`)
	id, _ := c.question(1)
	if !strings.HasPrefix(id, `"pillion-`) {
		t.Errorf("id %s", id)
	}
	c.body(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"exec/list","params":{}}`, id))
	var l protocol.ListResult
	m := c.wait("list", answers(id))
	if err := json.Unmarshal(m.Result, &l); err != nil || len(l.Execs) != 1 {
		t.Errorf("%s", m.Result)
	}
	c.notify("$/cancelRequest", `{"id":`+id+`}`) // of no request of the client's
	for _, other := range []string{`"pillion-0"`, `"pillion-999"`, `1`, `2`, `null`, `""`} {
		c.reply(other, `{"decision":"accept"}`)
	}
	lives(c)
	if c.ran("ran") {
		t.Fatal("it ran")
	}
	c.reply(id, `{"decision":"accept"}`)
	c.result(2, new(protocol.ExecResult))
	c.reply(id, `{"decision":"accept"}`) // twice
	c.request(3, "server/status", "{}")
	var s protocol.StatusResult
	if c.result(3, &s); s.AnswersIgnored != 7 || !c.ran("ran") {
		t.Errorf("%d ignored", s.AnswersIgnored)
	}
}

// Answer, expiry and cancel at the same moment: one response, and what it says
// is what happened.
func TestApprovalAnswerExpiryAndCancelRace(t *testing.T) {
	const rounds = 500
	c := asking(t, `"approvals":{"timeoutMs":1}`)
	for i := range rounds {
		// As far apart as the expiry is away, in every order.
		id := 1000 + i
		name := fmt.Sprintf("ran-%d", i)
		c.request(id, "exec", fmt.Sprintf(`{"execId":"e%d","command":"touch %s"}`, i, name))
		if i%3 == 0 {
			time.Sleep(time.Duration(i%7) * 200 * time.Microsecond)
			c.notify("$/cancelRequest", fmt.Sprintf(`{"id":%d}`, id))
		}
		// The answer may come before the question: then it is none.
		c.reply(fmt.Sprintf(`"pillion-%d"`, i+1), `{"decision":"accept"}`)
	}
	outcomes := map[string]int{}
	for i := range rounds {
		m := c.answer(1000 + i)
		outcome := "ran"
		if m.Error != nil {
			var data protocol.ErrorData
			if err := json.Unmarshal(m.Error.Data, &data); err != nil {
				t.Fatal(err)
			}
			outcome = string(data.Kind)
		}
		outcomes[outcome]++
		if ran := c.ran(fmt.Sprintf("ran-%d", i)); ran && outcome != "ran" {
			t.Errorf("%d: %s, but it ran", i, outcome)
		}
	}
	lives(c)
	seen := map[string]int{}
	for _, m := range c.all() {
		if m.Method == "" {
			seen[string(m.ID)]++
		}
	}
	for id, n := range seen {
		if n != 1 {
			t.Errorf("%d responses to %s", n, id)
		}
	}
	t.Logf("%v", outcomes)
}

// While the client reads nothing, its cancel still gets through.
func TestApprovalOfAClientThatDoesNotRead(t *testing.T) {
	c := asking(t, "")
	c.gate.Lock()
	c.request(2, "exec", `{"execId":"a","command":"touch ran"}`)
	c.notify("$/cancelRequest", `{"id":2}`)
	c.request(3, "server/status", "{}")
	c.gate.Unlock()
	c.failure(c.answer(2), -32800, "cancelled")
	c.result(3, new(protocol.StatusResult))
}
