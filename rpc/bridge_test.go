package rpc

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

func bridging(t *testing.T, capabilities string) *client {
	t.Helper()
	return connected(t, capabilities, `"executeCommand":true`)
}

// command sends a workspace/executeCommand with one argument and more members.
func (c *client) command(id int, name, argument, more string) {
	c.t.Helper()
	c.request(id, "workspace/executeCommand", fmt.Sprintf(`{"command":%q,"arguments":[%s]%s}`, name, argument, more))
}

func TestBridgeIsOffUnlessAskedFor(t *testing.T) {
	c := start(t)
	c.request(1, "initialize", `{"capabilities":{"workspace":{"executeCommand":{"dynamicRegistration":true}}}}`)
	if m := c.answer(1); strings.Contains(string(m.Result), "executeCommand") {
		t.Errorf("%s", m.Result)
	}
	c.notify("initialized", "{}")
	c.command(2, "pillion.exec", `{"command":"true"}`, "")
	c.fails(2, -32601, "methodNotFound")
}

func TestBridgeAnnouncesItsCommands(t *testing.T) {
	c := start(t)
	c.request(1, "initialize", `{"capabilities":{},"initializationOptions":{"executeCommand":true}}`)
	var r protocol.InitializeResult
	c.result(1, &r)
	if p := r.Capabilities.ExecuteCommand; p == nil || !slices.Equal(p.Commands, []string{"pillion.check", "pillion.exec", "pillion.exec.cancel"}) || !p.WorkDoneProgress {
		t.Errorf("%+v", p)
	}
}

// The argument is decoded like the params it stands for, and errors say where.
func TestBridgeIsStrict(t *testing.T) {
	c := bridging(t, `{}`)
	for i, tt := range []struct{ params, path string }{
		{`{"command":"pillion.run","arguments":[{"command":"ls"}]}`, "/command"},
		{`{"command":"Pillion.exec","arguments":[{"command":"ls"}]}`, "/command"},
		{`{"command":"pillion.exec"}`, "/arguments"},
		{`{"command":"pillion.exec","arguments":[]}`, "/arguments"},
		{`{"command":"pillion.exec","arguments":null}`, "/arguments"},
		{`{"command":"pillion.exec","arguments":{"command":"ls"}}`, "/arguments"},
		{`{"command":"pillion.exec","arguments":[{"command":"ls"},{}]}`, "/arguments"},
		{`{"command":"pillion.exec","arguments":[null]}`, "/arguments/0"},
		{`{"command":"pillion.exec","arguments":["ls"]}`, "/arguments/0"},
		{`{"command":"pillion.exec","arguments":[{"command":"ls","sandBox":{}}]}`, "/arguments/0/sandBox"},
		{`{"command":"pillion.exec","arguments":[{"command":"ls","Command":"rm -rf /"}]}`, "/arguments/0/Command"},
		{`{"command":"pillion.exec","arguments":[{"command":"ls","command":"rm -rf /"}]}`, "/arguments/0/command"},
		{`{"command":"pillion.exec","arguments":[{"command":"ls\u0000"}]}`, "/arguments/0/command"},
		{`{"command":"pillion.exec","arguments":[{"command":"ls","sandbox":null}]}`, "/arguments/0/sandbox"},
		{`{"command":"pillion.exec","arguments":[{"command":"ls","sandbox":{"mode":"off"}}]}`, "/arguments/0/sandbox/mode"},
		{`{"command":"pillion.exec","arguments":[{"command":"ls","cwd":"http://x/"}]}`, "/arguments/0/cwd"},
		{`{"command":"pillion.exec","arguments":[{"command":"ls"}],"sandbox":{}}`, "/sandbox"},
		{`{"command":"pillion.exec","arguments":[{"command":"ls","approval":{"state":"x","decision":"accept"}}]}`, "/arguments/0/approval"},
		{`{"command":"pillion.exec","arguments":[{"command":"ls","workDoneToken":"a"}],"workDoneToken":"b"}`, "/arguments/0/workDoneToken"},
		{`{"command":"pillion.exec.cancel","arguments":[{}]}`, "/arguments/0/execId"},
		{`{"command":"pillion.exec.cancel","arguments":[{"execId":"x","id":1}]}`, "/arguments/0/id"},
		{`{"command":"pillion.check","arguments":[{"checks":[{"command":"ls","x":1}]}]}`, "/arguments/0/checks/0/x"},
		{`{"command":"pillion.check","arguments":[{"command":"ls"}]}`, "/arguments/0/command"},
	} {
		c.request(10+i, "workspace/executeCommand", tt.params)
		if data := c.fails(10+i, -32602, "invalidParams"); data["path"] != tt.path {
			t.Errorf("%s: %v", tt.params, data)
		}
	}
}

func TestBridgeJudgesLikeExec(t *testing.T) {
	c := bridging(t, `{}`)
	c.command(2, "pillion.exec", `{"execId":"x","command":"rm -rf /"}`, "")
	if data := c.fails(2, -31001, "guardDenied"); data["execId"] != "x" || data["verdict"] == nil {
		t.Errorf("%v", data)
	}
	c.command(3, "pillion.exec", `{"command":"true","timeoutMs":null}`, "")
	c.fails(3, -32602, "invalidParams")
}

// A person is asked as for an exec, but whoever sent the command never answers in
// the person's place.
func TestBridgeNeverGivesARetry(t *testing.T) {
	for _, capabilities := range []string{`{}`, `{"exec":{"approvalRetry":true}}`} {
		c := bridging(t, capabilities)
		c.command(2, "pillion.exec", `{"command":"touch ran"}`, "")
		if data := c.fails(2, -31003, "approvalDeclined"); data["by"] != "unsupported" || data["approval"] != nil {
			t.Errorf("%s: %v", capabilities, data)
		}
	}
	c := bridging(t, `{"exec":{"approval":true}}`)
	c.command(2, "pillion.exec", `{"command":"touch ran"}`, "")
	id, _ := c.question(1)
	c.reply(id, `{"decision":"accept"}`)
	if c.result(2, new(protocol.ExecResult)); !c.ran("ran") {
		t.Error("it did not run")
	}
}

// An offer for an exec is none for the bridge.
func TestBridgeTakesNoStateOfAnExec(t *testing.T) {
	c := bridging(t, `{"exec":{"approvalRetry":true}}`)
	c.request(2, "exec", `{"command":"touch ran"}`)
	offer, _ := c.fails(2, -31002, "approvalRequired")["approval"].(map[string]any)
	if offer["state"] == nil {
		t.Fatalf("%v", offer)
	}
	c.command(3, "pillion.exec", fmt.Sprintf(`{"command":"touch ran","approval":{"state":%q,"decision":"accept"}}`, offer["state"]), "")
	if c.fails(3, -32602, "invalidParams"); c.ran("ran") {
		t.Error("it ran")
	}
}

func TestBridgeTokensAreInUseLikeOthers(t *testing.T) {
	c := bridging(t, `{}`)
	c.command(2, "pillion.exec", `{"command":"sleep 600"}`, `,"workDoneToken":"w","partialResultToken":"p"`)
	c.event("started")
	c.request(3, "exec", `{"command":"true","partialResultToken":"p"}`)
	c.fails(3, -32602, "invalidParams")
	c.notify("window/workDoneProgress/cancel", `{"token":"w"}`)
	var r protocol.ExecResult
	if c.result(2, &r); !r.Cancelled {
		t.Errorf("%+v", r)
	}
}
