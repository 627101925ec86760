package rpc

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/rpc/convert"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// many is a guard/check of n commands that take the guard a while.
func many(n int) string {
	check := fmt.Sprintf(`{"command":%q}`, strings.Repeat("ls -l | wc; ", 80))
	return `{"checks":[` + strings.TrimSuffix(strings.Repeat(check+",", n), ",") + `]}`
}

func TestACancelledCheckIsAnswered(t *testing.T) {
	c := ready(t)
	c.request(2, "guard/check", many(maxChecks))
	c.notify("$/cancelRequest", `{"id":2}`)
	data := c.fails(2, -32800, "cancelled")
	if data["phase"] != "guard" {
		t.Errorf("%v", data)
	}
}

// Commands run, and other checks are answered, while a long request is judged.
func TestALongCheckHoldsNobodyUp(t *testing.T) {
	c := ready(t)
	c.request(2, "guard/check", many(maxChecks))
	c.request(3, "guard/check", `{"checks":[{"command":"ls"}]}`)
	c.request(4, "exec", `{"command":"true"}`)
	c.result(3, new(protocol.CheckResult))
	for _, m := range c.all() {
		if string(m.ID) == "2" {
			t.Error("the long one was answered first")
		}
	}
	c.result(4, new(protocol.ExecResult))
	c.notify("$/cancelRequest", `{"id":2}`)
	c.answer(2)
}

func TestShutdownEndsAChecking(t *testing.T) {
	c := ready(t)
	c.request(2, "guard/check", many(maxChecks))
	c.request(3, "shutdown", "null")
	c.fails(2, -32802, "serverCancelled")
	c.answer(3)
}

func TestChecksAreBounded(t *testing.T) {
	c := ready(t)
	c.request(2, "guard/check", many(maxChecks+1))
	if data := c.fails(2, -32602, "invalidParams"); data["path"] != "/checks" {
		t.Errorf("%v", data)
	}
	big := fmt.Sprintf(`{"argv":["echo",%q]}`, strings.Repeat("x", 60<<10))
	c.request(3, "guard/check", `{"checks":[`+strings.TrimSuffix(strings.Repeat(big+",", 20), ",")+`]}`)
	if data := c.fails(3, -32602, "invalidParams"); data["path"] != "/checks" {
		t.Errorf("%v", data)
	}
}

func TestTooManyChecksAtOnceAreRefused(t *testing.T) {
	s := &server{checks: newInFlight("guard/check", maxWaiting)}
	for i := range maxWaiting {
		if _, _, err := s.enter(jsonrpc.NewNumberID(int64(i)), func() {}); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err := s.enter(jsonrpc.NewNumberID(-1), func() {})
	var wire *convert.Refusal
	if !errors.As(err, &wire) || wire.Code != protocol.CodeServerBusy {
		t.Errorf("%v", err)
	}
	s.done(s.checks, jsonrpc.NewNumberID(0))
	if _, _, err := s.enter(jsonrpc.NewNumberID(-1), func() {}); err != nil {
		t.Error(err)
	}
}

// Whatever comes as params: no panic, and every accepted check is one that exec
// would accept, too.
func FuzzCheckParams(f *testing.F) {
	for _, seed := range []string{
		`{"checks":[{"command":"ls"},{"argv":["a"]}]}`, `{"checks":[{"command":"ls","timeoutMs":null}]}`, `{"checks":null}`,
		`{"checks":[{"command":"ls","partialResultToken":1}]}`, `{"checks":[[]]}`, `{"checks":[{}],"checks":[]}`, `{"checks":{}}`, `[]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		requests, err := checkRequests(in)
		if err != nil {
			return
		}
		if len(requests) < 1 || len(requests) > maxChecks {
			t.Errorf("%d checks", len(requests))
		}
		for _, r := range requests {
			if strings.ContainsRune(r.Command+strings.Join(r.Argv, ""), 0) {
				t.Errorf("a NUL got through: %q", in)
			}
		}
	})
}

// The library uses a request's context again when the request is answered: what
// was derived from it must not look at it any more.
func TestManyQuickChecksEndNothing(t *testing.T) {
	c := ready(t)
	for i := range 3000 {
		c.request(100+i, "guard/check", `{"checks":[{"command":"ls"}]}`)
	}
	c.answer(100 + 2999)
	lives(c)
}
