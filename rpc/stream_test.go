package rpc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/test/long"
)

func lives(c *client) {
	c.t.Helper()
	c.request(99, "server/status", "{}")
	c.result(99, new(protocol.StatusResult))
}

func null(kind string) func(message) bool {
	return func(m message) bool { return string(m.ID) == "null" && strings.Contains(string(m.Error.Data), kind) }
}

// The library ends the connection on each of these.
func TestMalformedMessagesAreAnswered(t *testing.T) {
	c := ready(t)
	for _, tt := range []struct {
		body string
		code int
		kind string
	}{
		{`{"jsonrpc":"2.0",`, -32700, "parseError"},
		{`[{"jsonrpc":"2.0","id":5,"method":"server/status"},{"jsonrpc":"2.0","id":6,"method":"exit"}]`, -32600, "invalidRequest"},
		{`{"jsonrpc":"2.0","id":1.5,"method":"server/status"}`, -32600, "invalidRequest"},
		{strings.Repeat("[", 65) + strings.Repeat("]", 65), -32600, "invalidRequest"},
	} {
		c.forget()
		c.body(tt.body)
		c.failure(c.wait(tt.body, null(tt.kind)), tt.code, tt.kind)
		lives(c)
	}
	if all := c.all(); len(all) != 2 {
		t.Errorf("a batch needs one answer: %s", c.dump())
	}
}

func TestZeroLengthBody(t *testing.T) {
	c := ready(t)
	c.body("")
	c.failure(c.wait("answer", null("parseError")), -32700, "parseError")
	lives(c)
}

func TestOtherCharset(t *testing.T) {
	c := ready(t)
	c.raw("Content-Length: 4\r\nContent-Type: application/json; charset=utf-16\r\n\r\na\x00b\x00")
	c.failure(c.wait("answer", null("invalidRequest")), -32600, "invalidRequest")
	lives(c)
}

func TestHugeMessageThenAGoodOne(t *testing.T) {
	c := ready(t)
	for head, id := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"method":"exec","params":{"command":"`:       "7",
		`{"jsonrpc":"2.0","method":"exec","id":7,"params":{"command":"`:       "7",
		`{"jsonrpc":"2.0","method":"exec","params":{"command":"`:              "null",
		`{"jsonrpc":"2.0","params":{"command":"` + strings.Repeat("x", 5<<10): "null",
	} {
		c.forget()
		c.body(head + strings.Repeat("x", 20<<20) + `"},"id":7}`)
		data := c.failure(c.wait("answer to "+head[:50], answers(id)), -32600, "messageTooLarge")
		if data["limit"] != float64(protocol.MaxMessageBytes) || data["got"].(float64) < 20<<20 {
			t.Errorf("%v", data)
		}
		lives(c)
	}
}

func TestBadHeaderEndsTheServer(t *testing.T) {
	for _, raw := range []string{
		"Content-Length: -1\r\n\r\n", "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", "{}\r\n", "X: " + strings.Repeat("x", 9000),
	} {
		c := ready(t)
		c.raw(raw)
		if code := c.exited(); code != 1 {
			t.Errorf("%.40q: exit %d", raw, code)
		}
		if data := c.failure(c.wait("the reason", answers("null")), -32700, "parseError"); !strings.Contains(fmt.Sprint(data["detail"]), "bad frame") {
			t.Errorf("%.40q: %v", raw, data)
		}
		if !strings.Contains(c.log.String(), "bad frame") {
			t.Errorf("%.40q: not logged: %s", raw, c.log)
		}
	}
}

// The second answer would be taken for the first request's.
func TestDuplicateIDInFlight(t *testing.T) {
	c := ready(t)
	c.request(7, "exec", `{"execId":"a","command":"sleep 600","partialResultToken":"t"}`)
	c.event("started")
	c.request(7, "exec", `{"execId":"b","command":"echo hijack"}`)
	c.request(7, "server/status", `{}`)
	c.failure(c.wait("refusal", null("in flight")), -32600, "invalidRequest")
	c.request(8, "exec/cancel", `{"execId":"a"}`)
	var r protocol.ExecResult
	c.result(7, &r)
	if r.ExecID != "a" || r.Reason != "cancelled" {
		t.Errorf("%+v", r)
	}
	c.forget()
	c.request(7, "server/status", `{}`) // free again
	c.result(7, new(protocol.StatusResult))
}

func TestIDsAreEchoed(t *testing.T) {
	c := ready(t)
	for _, id := range []string{`0`, `-7`, `9007199254740993`, `"a b"`, `""`, `"é\"\\"`} {
		c.body(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"server/status"}`, id))
		c.wait("answer to "+id, answers(id))
	}
}

func TestAnswersOfTheClientAreIgnored(t *testing.T) {
	c := ready(t)
	c.body(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	c.body(`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}`)
	lives(c)
	if len(c.all()) != 1 {
		t.Error(c.dump())
	}
}

// What a client sends can come back longer: control characters are spelled out, and
// more than once. Its own limit would then end the connection.
func TestAnswersFitIntoAMessage(t *testing.T) {
	long.Test(t)
	c := ready(t)
	huge := strings.Repeat(`\u0001`, 2<<20)
	c.request(7, "exec", `{"command":"true","sandbox":{"writable":["`+huge+`"]}}`)
	data := c.failure(c.wait("answer", answers("7")), -32600, "messageTooLarge")
	if data["limit"] != float64(protocol.MaxMessageBytes) || data["got"].(float64) <= protocol.MaxMessageBytes {
		t.Errorf("%v", data)
	}
	c.forget()
	for name, params := range map[string]string{
		"member": `{"command":"true","` + huge + `":1}`, "value": `{"command":"true","shell":"` + huge + `"}`,
		"directory": `{"command":"true","cwd":"` + huge + `"}`, "token": `{"command":"true","partialResultToken":"` + huge + `"}`,
	} {
		c.request(8, "exec", params)
		m := c.wait(name, answers("8"))
		if c.failure(m, -32602, "invalidParams"); len(m.Error.Message)+len(m.Error.Data) > 256<<10 {
			t.Errorf("%s: %d and %d bytes", name, len(m.Error.Message), len(m.Error.Data))
		}
		c.forget()
	}
	lives(c)
}

// An id is in every answer, and a list has those of many requests.
func TestIDsHaveABound(t *testing.T) {
	c := ready(t)
	id := `"` + strings.Repeat("x", jsonrpc.MaxEcho-2) + `"`
	c.body(`{"jsonrpc":"2.0","id":` + id + `,"method":"server/status"}`)
	if m := c.wait("answer", answers(id)); m.Error != nil {
		t.Errorf("%+v", m.Error)
	}
	c.forget()
	c.body(`{"jsonrpc":"2.0","id":"x` + id[1:] + `,"method":"exec","params":{"command":"touch ran"}}`)
	c.failure(c.wait("refusal", null("an id has")), -32600, "invalidRequest")
	lives(c)
}
