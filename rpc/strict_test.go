package rpc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/rpc/display"
)

func TestExecParamsAreStrict(t *testing.T) {
	for _, tt := range []struct{ params, path, expected, member string }{
		{`{"command":"true","sandBox":{}}`, "/sandBox", "spelled exactly", "unknown"},
		{`{"command":"ls","Command":"rm -rf /"}`, "/Command", "spelled exactly", "unknown"},
		{`{"Command":"ls"}`, "/Command", "spelled exactly", "unknown"},
		{`{"command":"ls","command":"rm -rf /"}`, "/command", "once", "duplicate"},
		{`{"command":"ls","sandbox":{"mode":"read-only","mode":"off"}}`, "/sandbox/mode", "once", "duplicate"},
		{`{"command":"ls","env":{"A":"1","\u0041":"2"}}`, "/env/A", "once", "duplicate"},
		{`{"command":"ls","sandbox":{"network":"deny","networks":1}}`, "/sandbox/networks", "spelled", "unknown"},
		{`{"command":"ls\u0000rm"}`, "/command", "NUL", ""},
		{`{"argv":["ls","a\u0000"]}`, "/argv/1", "NUL", ""},
		{`{"command":"ls","env":{"A":"a\u0000"}}`, "/env/A", "NUL", ""},
		{`{"command":null}`, "/command", "leave the member out", ""},
		{`{"command":"ls","sandbox":null}`, "/sandbox", "leave", ""},
		{`{"command":"ls","sandbox":{"mode":null}}`, "/sandbox/mode", "leave", ""},
		{`{"command":7}`, "/command", "a string", ""},
		{`{"argv":"ls"}`, "/argv", "an array", ""},
		{`{"command":"ls","timeoutMs":1.5}`, "/timeoutMs", "an integer", ""},
		{`{"command":"ls","timeoutMs":"1"}`, "/timeoutMs", "an integer", ""},
		{`{"command":"ls","timeoutMs":0}`, "/timeoutMs", "1 to", ""},
		{`{"command":"ls","timeoutMs":-1}`, "/timeoutMs", "1 to", ""},
		{`{"command":"ls","killGraceMs":-1}`, "/killGraceMs", "1 to", ""},
		{`{"command":"ls","output":{"maxChunkBytes":99999999999999999}}`, "/output/maxChunkBytes", "1 to", ""},
		{`{"command":"ls","sandbox":{"mode":"readonly"}}`, "/sandbox/mode", "one of", ""},
		{`{"command":"ls","envInherit":"some"}`, "/envInherit", "one of", ""},
		{`{"command":"ls","output":{"encoding":"latin1"}}`, "/output/encoding", "one of", ""},
		{`{"command":"ls","execId":"a b"}`, "/execId", "1 to 128", ""},
		{`{"command":"ls","stdin":{}}`, "/stdin", "exactly one", ""},
		{`{"command":"ls","stdin":{"text":"a","data":"YQ=="}}`, "/stdin/data", "exactly one", ""},
		{`{"command":"ls","stdin":{"data":"%%"}}`, "/stdin/data", "base64", ""},
		{`{"command":"ls","output":{"stream":true}}`, "/output/stream", "partialResultToken", ""},
		{`{"command":"ls","partialResultToken":1.5}`, "/partialResultToken", "a string or an integer", ""},
		{`{"command":"ls","workDoneToken":{}}`, "/workDoneToken", "a string or an integer", ""},
		{`{"command":"ls","cwd":"http://host/x"}`, "/cwd", "a file: URI", ""},
		{`{"command":"ls","env":{"A=B":"1"}}`, "/env/A=B", "a name", ""},
		{`{"command":"ls","argv":["ls"]}`, "/argv", "exactly one", ""},
		{`{}`, "/command", "exactly one", ""},
		{`["ls"]`, "", "an object", ""},
		{`{"command":"ls","pty":{"rows":0,"cols":1}}`, "/pty/rows", "1 to 10000", ""},
		{`{"command":"ls","pty":{"rows":1,"cols":1},"onBackground":"leave","sandbox":{"name":"x"}}`, "/onBackground", "kill", ""},
		{`{"command":"ls","output":{"lag":"wait"}}`, "/output/lag", "does not serve", "unknown"},
		{`{"command":"ls","output":{"onSpoolFull":"Block"}}`, "/output/onSpoolFull", "one of dropMiddle", ""},
		{`{"command":"ls","output":{"spoolMaxBytes":-1}}`, "/output/spoolMaxBytes", "1 to", ""},
		{`{"command":"ls","output":{"onSpoolFull":"block","spoolTailBytes":1}}`, "/output/spoolTailBytes", "dropMiddle", ""},
		{`{"command":"ls","output":{"window":-5}}`, "/output/window", "1 to", ""},
		{`{"command":"ls","output":{"window":5}}`, "/output/window", "capabilities.exec.ack", ""},
		{`{"command":"ls","output":{"saveAs":"../x"}}`, "/output/saveAs", "A-Za-z0-9._-", ""},
		{`{"command":"ls","output":{"saveAs":null}}`, "/output/saveAs", "a value", ""},
		{`{"command":"ls","approval":{}}`, "/approval", "announced exec.approvalRetry", ""},
		{`{"command":"ls","approval":null}`, "/approval", "leave the member out", ""},
		{`{"command":"ls","approval":{"state":"x","decision":"accept","always":true}}`, "/approval/always", "spelled exactly", "unknown"},
		{`{"command":"ls","approval":{"state":"x","decision":true}}`, "/approval/decision", "a string", ""},
		{`{"commands":[]}`, "/commands", "1 to 64 commands", ""},
		{`{"argv":[]}`, "/argv", "exactly one", ""},
		{`{"command":"ls","pty":{"rows":1}}`, "/pty/cols", "1 to 10000", ""},
		{`{"command":"ls","env":{"a/b~=":"1"}}`, "/env/a~1b~0=", "a name", ""},
		{`{"command":"ls","workDoneToken":1,"partialResultToken":1}`, "/partialResultToken", "of its own", ""},
		{`{"command":"ls","killGraceMs":0}`, "/killGraceMs", "milliseconds", ""},
		{`{"command":"ls","sandbox":{"writable":[".","nosuch"]}}`, "/sandbox/writable/1", "a directory that exists", ""},
		{`{"commands":["ls"],"command":"ls"}`, "/commands", "exactly one", ""},
		{`{"commands":["ls",7]}`, "/commands/1", "a string", ""},
		{`{"command":"ls","ignoreErrors":true}`, "/ignoreErrors", "commands", ""},
	} {
		c := shared(t)
		id := nextID()
		c.request(id, "exec", tt.params)
		data := c.fails(id, -32602, "invalidParams")
		if data["path"] != tt.path || !strings.Contains(fmt.Sprint(data["expected"]), tt.expected) || data["got"] == "" {
			t.Errorf("%s: %v", tt.params, data)
		}
		if tt.member != "" && data[tt.member] == nil {
			t.Errorf("%s: no %s in %v", tt.params, tt.member, data)
		}
	}
}

var (
	sharedClient = map[*testing.T]*client{}
	lastID       = 1000
)

// shared is one ready server for all rows of a table.
func shared(t *testing.T) *client {
	t.Helper()
	if sharedClient[t] == nil {
		sharedClient[t] = ready(t)
	}
	return sharedClient[t]
}

func nextID() int { lastID++; return lastID }

// A value of env may be a password; no error and no log line repeats it.
func TestEnvIsNeverRepeated(t *testing.T) {
	c := ready(t)
	for i, params := range []string{
		`{"command":"true","env":{"A":"hunter2"},"unknown":1}`,
		`{"command":"true","env":{"A":["hunter2"]}}`,
		`{"command":"true","env":{"A":"hunter2\u0000"}}`,
		`{"command":"true","env":{"A":"hunter2","A":"hunter2"}}`,
		`{"argv":["./nosuch"],"env":{"A":"hunter2"}}`,
		`{"command":"true","env":{"A":"hunter2"}}`,
	} {
		c.request(10+i, "exec", params)
		c.answer(10 + i)
	}
	if strings.Contains(c.dump()+c.log.String(), "hunter2") {
		t.Errorf("%s\n%s", c.dump(), c.log)
	}
}

func TestDisplay(t *testing.T) {
	for in, want := range map[string]string{
		"echo é":                          "echo é",
		"a\u202eb\x1b[2Kc\n":              `a\u202eb\u001b[2Kc\n`,
		"\xff":                            "\uFFFD",
		strings.Repeat("x", 300) + " |sh": strings.Repeat("x", 100) + " … " + strings.Repeat("x", 96) + " |sh",
	} {
		if got := display.Line(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}
