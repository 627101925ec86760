package rpc

import (
	"fmt"
	"testing"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

func TestInitializeTakesAPolicy(t *testing.T) {
	c := start(t)
	writePolicy(t, c.ws, "[limits]\nmaxConcurrent = 2\n")
	options := `{"policy":{"rules":{"program/unknown":"allow"},"rule":[{"id":"deploy","decision":"deny","prefix":["make",["deploy","release"]],"not_match":["make"]}],
		"limits":{"maxConcurrent":5,"maxQueued":7},"sandbox":{"mode":"read-only"}}}`
	c.request(1, "initialize", fmt.Sprintf(`{"capabilities":{},"workspaceFolders":[{"uri":%q}],"initializationOptions":%s}`, "file://"+c.ws, options))
	var r protocol.InitializeResult
	c.result(1, &r)
	if l := r.Capabilities.Limits; l.MaxConcurrent != 2 || l.MaxQueued != 7 {
		t.Errorf("%+v", l)
	}
	if hash := testConfig(t).Guard.Hash(); r.Capabilities.GuardProvider.Policy.Hash == hash {
		t.Error("initialize reports the hash of another policy")
	}
	c.notify("initialized", "{}")
	c.request(2, "exec", `{"command":"make release"}`)
	c.fails(2, -31001, "guardDenied")
	var e protocol.ExecResult
	c.request(3, "exec", `{"command":"true"}`)
	c.result(3, &e)
	if e.Sandbox.Mode != "read-only" {
		t.Errorf("%+v", e.Sandbox)
	}
}

func TestInitializeNamesWhatIsWrongWithAPolicy(t *testing.T) {
	c := start(t)
	for i, o := range []struct{ policy, path string }{
		{`{"rule":[{"id":"x","decision":"deny","prefix":["make",[1]]}]}`, "/initializationOptions/policy/rule/0/prefix/1"},
		{`{"rule":[{"id":"x","decision":"deny","prefix":["make"],"match":["ls"]}]}`, "/initializationOptions/policy/rule/0/match/0"},
		{`{"rules":{"fs/none":"deny"}}`, "/initializationOptions/policy/rules/fs~1none"},
		{`{"Rules":{}}`, "/initializationOptions/policy/Rules"},
		{`{"sandbox":{"network":"allow"}}`, "/initializationOptions/policy/sandbox/network"},
	} {
		c.request(i+1, "initialize", fmt.Sprintf(`{"capabilities":{},"initializationOptions":{"policy":%s}}`, o.policy))
		if data := c.fails(i+1, -32602, "invalidParams"); data["path"] != o.path {
			t.Errorf("%v, want %s", data, o.path)
		}
	}
}
