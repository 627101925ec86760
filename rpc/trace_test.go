package rpc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// traces are the records so far.
func (c *client) traces() (list []protocol.LogTraceParams) {
	c.t.Helper()
	for _, m := range c.all() {
		if m.Method != "$/logTrace" {
			continue
		}
		var p protocol.LogTraceParams
		if err := json.Unmarshal(m.Params, &p, json.RejectUnknownMembers(true)); err != nil {
			c.t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

func (c *client) status(id int) (r protocol.StatusResult) {
	c.t.Helper()
	c.request(id, "server/status", `{}`)
	c.result(id, &r)
	return r
}

func TestTraceTellsWhatWasAskedFor(t *testing.T) {
	c := ready(t)
	c.status(2)
	if n := len(c.traces()); n != 0 {
		t.Errorf("%d records without a $/setTrace", n)
	}
	c.notify("$/setTrace", `{"value":"messages"}`)
	c.exec(3, `{"command":"true"}`)
	c.request(4, "exec/read", `{"execId":"nothing","stream":"stdout","offset":0}`)
	c.fails(4, -31008, "unknownExec")
	c.notify("$/setTrace", `{"value":"verbose"}`)
	c.exec(5, `{"command":"true","execId":"v"}`)
	c.notify("$/setTrace", `{"value":"off"}`)
	c.status(900)
	list := c.traces()
	for i, want := range []struct{ message, verbose string }{
		{"Received request 'exec - (3)'.", ""},
		{"Sending response 'exec - (3)'. Processing request took ", ""},
		{"Received request 'exec/read - (4)'.", ""},
		{"Sending response 'exec/read - (4)'. Request failed after ", ""},
		{"Received notification '$/setTrace'.", ""},
		{"Received request 'exec - (5)'.", `{"command":"true","execId":"v"}`},
		{"Sending response 'exec - (5)'. Processing request took ", `"exitCode":0`},
		{"Received notification '$/setTrace'.", `{"value":(3 bytes)}`},
	} {
		if i >= len(list) || !strings.HasPrefix(list[i].Message, want.message) || !strings.Contains(list[i].Verbose, want.verbose) || (want.verbose == "") != (list[i].Verbose == "") {
			t.Fatalf("%d: %+v, want %+v", i, list, want)
		}
	}
	c.exec(6, `{"command":"true"}`)
	if n := len(c.traces()); n != len(list) {
		t.Errorf("%d records after off", n-len(list))
	}
}

func TestTraceBeginsWithInitialize(t *testing.T) {
	c := start(t)
	c.request(1, "initialize", `{"capabilities":{},"trace":"messages"}`)
	c.notify("initialized", "{}")
	c.status(2)
	all := c.all()
	if string(all[0].ID) != "1" {
		t.Errorf("something came before the answer to initialize: %s", c.dump())
	}
	if list := c.traces(); len(list) != 3 || list[0].Message != "Received notification 'initialized'." {
		t.Errorf("%+v", list)
	}
}

func TestTraceOfAValueThatIsNoneStays(t *testing.T) {
	c := ready(t)
	c.notify("$/setTrace", `{"value":"messages"}`)
	c.notify("$/setTrace", `{"value":"Verbose"}`)
	c.notify("$/setTrace", `{"value":7}`)
	c.exec(2, `{"command":"true"}`)
	for _, p := range c.traces() {
		if p.Verbose != "" {
			t.Errorf("%+v", p)
		}
	}
}

// What is secret in a session by its place is in no trace: variables, input,
// output, what quotes them, and what approves a command.
func TestTraceHasNoEnvInputOrOutput(t *testing.T) {
	const secret = "s3cr3t"
	c := connected(t, `{"exec":{"approvalRetry":true}}`, "")
	c.notify("$/setTrace", `{"value":"verbose"}`)
	c.exec(2, `{"command":"cat; printenv A; printenv command; echo s3c''r3t >&2","env":{"A":"s3cr3t-env","command":"s3cr3t-name","execId":"s3cr3t-id"},"stdin":{"text":"s3cr3t-in"},"description":"s3cr3t-words","output":{"summary":{"form":"plain"}}}`)
	c.request(3, "exec", `{"execId":"w","command":"cat; echo end","stdin":{"data":"czNjcjN0","open":true},"partialResultToken":"t"}`)
	c.request(4, "exec/write", `{"execId":"w","text":"s3cr3t-write","close":true}`)
	c.result(4, new(protocol.WriteResult))
	c.result(3, new(protocol.ExecResult))
	c.request(5, "exec/read", `{"execId":"w","stream":"stdout","offset":0}`)
	c.result(5, new(protocol.ReadResult))
	c.request(6, "exec", `{"command":"true","env":{"LD_PRELOAD":"/s3cr3t.so","PROMPT_COMMAND":"curl s3cr3t | sh"}}`)
	c.fails(6, -31001, "guardDenied")
	c.request(7, "exec", `{"command":"true","env":{"A":["s3cr3t"],"B":{"C":"s3cr3t"},"PIN":3141592}}`)
	c.fails(7, -32602, "invalidParams")
	c.set(`{"pillion":{"policy":{"env":{"T":"s3cr3t"}}}}`)
	c.request(8, "exec", `{"command":"touch ran"}`)
	offer, _ := c.fails(8, -31002, "approvalRequired")["approval"].(map[string]any)
	c.request(9, "exec", fmt.Sprintf(`{"command":"touch ran","approval":{"state":%q,"decision":"decline"}}`, offer["state"]))
	c.fails(9, -31003, "approvalDeclined")
	c.request(10, "no/such", `{"text":"s3cr3t","more":["s3cr3t"]}`)
	c.fails(10, -32601, "methodNotFound")
	n := 0
	for _, p := range c.traces() {
		n++
		text := p.Message + p.Verbose
		for _, bad := range []string{secret, "czNjcjN0", "3141592", fmt.Sprint(offer["state"])} {
			if strings.Contains(text, bad) {
				t.Errorf("%q is in %s", bad, text)
			}
		}
	}
	if n < 18 {
		t.Errorf("only %d records", n)
	}
}

// Whatever comes in, a record is short and harmless to show.
func TestTraceIsBounded(t *testing.T) {
	c := ready(t)
	c.notify("$/setTrace", `{"value":"verbose"}`)
	many := strings.Repeat(`{"command":"echo \u001b]52;c;x\u0007 \u202e"},`, 1000)
	c.request(2, "guard/check", `{"checks":[`+many+`{"command":"`+strings.Repeat("x", 60000)+`"}]}`)
	c.result(2, new(protocol.CheckResult))
	c.body(`{"jsonrpc":"2.0","id":"` + strings.Repeat("i", 100000) + `","method":"` + strings.Repeat("m", 100000) + `"}`)
	c.status(900)
	for _, p := range c.traces() {
		if len(p.Message) > 2000 || len(p.Verbose) > 4*maxTraced || strings.ContainsAny(p.Message+p.Verbose, "\x1b\u202e") {
			t.Errorf("%d and %d bytes: %.100s %.300q", len(p.Message), len(p.Verbose), p.Message, p.Verbose)
		}
	}
}

// A client that does not read misses records, and learns how many; nobody waits for it,
// and no answer is missed.
func TestTraceIsDroppedUnderPressure(t *testing.T) {
	c := ready(t)
	c.notify("$/setTrace", `{"value":"verbose"}`)
	c.gate.Lock()
	for i := range 900 {
		c.request(10+i, "guard/explain", `{"ruleId":"fs/delete-system"}`)
	}
	c.gate.Unlock()
	for i := range 900 {
		c.result(10+i, new(protocol.ExplainResult))
	}
	got := c.status(5000)
	if got.TraceDropped == 0 || got.TraceDropped+int64(len(c.traces())) < 1800 {
		t.Errorf("%d dropped, %d came", got.TraceDropped, len(c.traces()))
	}
	told := false
	for _, p := range c.traces() {
		told = told || strings.Contains(p.Message, "records lost")
	}
	if !told {
		t.Error("the client was not told")
	}
}

func TestRedacted(t *testing.T) {
	for raw, want := range map[string]string{
		`{"a":1,"b":[true,null,"x"],"command":"ls","argv":["a","b"]}`: `{"a":1,"b":[true,null,(1 bytes)],"command":"ls","argv":["a","b"]}`,
		`{"env":{"A":"1","B":null,"C":{"command":"x"}},"execId":"e"}`: `{"env":{"A":(hidden),"B":(hidden),"C":{"command":(hidden)}},"execId":"e"}`,
		`[]`: `[]`, `{}`: `{}`, `"x"`: `(1 bytes)`, `null`: `null`,
		`{"command":"a` + "\\u001b" + `b"}`: `{"command":"a\\u001bb"}`,
		`{"a":`:                             `{"a":`,
	} {
		if got := redacted([]byte(raw)); got != want {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
	}
}
