package rpc

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

func TestCancelRunning(t *testing.T) {
	for name, cancel := range map[string]func(*client){
		"exec/cancel":     func(c *client) { c.request(3, "exec/cancel", `{"execId":"a","reason":"x"}`) },
		"$/cancelRequest": func(c *client) { c.notify("$/cancelRequest", `{"id":2}`) },
		"progress":        func(c *client) { c.notify("window/workDoneProgress/cancel", `{"token":"w"}`) },
	} {
		t.Run(name, func(t *testing.T) {
			c := ready(t)
			c.request(2, "exec", `{"execId":"a","command":"sleep 600","partialResultToken":"t","workDoneToken":"w"}`)
			c.event("started")
			cancel(c)
			var r protocol.ExecResult
			c.result(2, &r)
			if r.Reason != "cancelled" || !r.Cancelled || r.ExitCode != nil || *r.Signal != "SIGTERM" {
				t.Errorf("%+v", r)
			}
			if name == "exec/cancel" {
				var got protocol.CancelResult
				if c.result(3, &got); got != (protocol.CancelResult{State: "running", Signalled: true}) {
					t.Errorf("%+v", got)
				}
			}
		})
	}
}

// A cancel right after its request finds it: registration is in order.
func TestCancelRightBehind(t *testing.T) {
	c := ready(t)
	for i := range 50 {
		id := 100 + i
		c.request(id, "exec", `{"command":"sleep 600"}`)
		c.notify("$/cancelRequest", fmt.Sprintf(`{"id":%d}`, id))
	}
	for i := range 50 {
		m := c.answer(100 + i)
		if m.Error == nil && !strings.Contains(string(m.Result), `"reason":"cancelled"`) {
			t.Fatalf("%s", m.Result)
		}
		if m.Error != nil {
			c.failure(m, -32800, "cancelled")
		}
	}
}

func TestCancelUnknownAndFinished(t *testing.T) {
	c := ready(t)
	c.exec(2, `{"execId":"a","command":"true"}`)
	for i, tt := range [][2]string{{"a", "finished"}, {"nobody", "unknown"}} {
		id, state := tt[0], tt[1]
		c.request(3+i, "exec/cancel", fmt.Sprintf(`{"execId":%q}`, id))
		var r protocol.CancelResult
		if c.result(3+i, &r); r != (protocol.CancelResult{State: executor.State(state), Signalled: false}) {
			t.Errorf("%s: %+v", id, r)
		}
	}
	c.notify("$/cancelRequest", `{"id":2}`)
	c.notify("$/cancelRequest", `{"id":"nobody"}`)
	lives(c)
}

func TestCancelIsStrict(t *testing.T) {
	c := ready(t)
	for i, params := range []string{`{"execID":"a"}`, `{}`, `{"execId":"a","graceMs":-1}`, `{"execId":"a","graceMs":60001}`, `{"execId":"a","grace":1}`, `{"execId":null}`} {
		c.request(3+i, "exec/cancel", params)
		c.fails(3+i, -32602, "invalidParams")
	}
}

func TestListAndStatus(t *testing.T) {
	c := ready(t)
	c.request(2, "exec", `{"execId":"a","command":"sleep 600","description":"nap","partialResultToken":"t"}`)
	c.event("started")
	c.request(3, "exec/list", "{}")
	var l protocol.ListResult
	c.result(3, &l)
	if len(l.Execs) != 1 {
		t.Fatalf("%+v", l)
	}
	i := l.Execs[0]
	if i.ExecID != "a" || string(i.RequestID.JSON()) != "2" || i.State != "running" || i.Description != "nap" || i.PID == 0 || i.Cwd != resolved(t, c.ws) {
		t.Errorf("%+v", i)
	}
	c.request(4, "server/status", `{"probe":true}`)
	var s protocol.StatusResult
	c.result(4, &s)
	if s.Execs.Running != 1 || s.RSSBytes < 1<<20 || s.Bytes.In == 0 || s.Bytes.Out == 0 || s.Guard.Checks == 0 || len(s.Sandbox.Modes) == 0 {
		t.Errorf("%+v", s)
	}
	c.request(5, "exec/cancel", `{"execId":"a"}`)
	c.answer(2)
}

func TestShutdownDrains(t *testing.T) {
	c := ready(t, func(o *Options) { o.Config.Limits.MaxConcurrent = 2; o.Config.ShutdownGrace = 300 * time.Millisecond })
	c.request(2, "exec", `{"command":"sleep 600","partialResultToken":"a"}`)
	c.event("started")
	c.request(3, "exec", `{"command":"trap '' TERM; echo up; while :; do sleep 600; done","partialResultToken":"b"}`)
	c.event("output")
	c.request(4, "exec", `{"command":"sleep 600","workDoneToken":"w"}`)
	c.wait("queue report", func(m message) bool { return strings.Contains(string(m.Params), "queued") })
	began := time.Now()
	c.request(5, "shutdown", "null")
	c.request(6, "exec", `{"command":"true"}`)
	if m := c.answer(5); string(m.Result) != "null" {
		t.Errorf("%+v", m)
	}
	if d := time.Since(began); d > atOnce {
		t.Errorf("took %s", d)
	}
	all := c.all()
	if string(all[len(all)-1].ID) != "5" {
		t.Errorf("null isn't last: %s", c.dump())
	}
	for id := 2; id <= 3; id++ {
		var r protocol.ExecResult
		if c.result(id, &r); r.Reason != "shutdown" {
			t.Errorf("%+v", r)
		}
	}
	c.fails(4, -32802, "serverCancelled")
	c.fails(6, -32600, "invalidRequest")
	c.notify("exit", "null")
	if code := c.exited(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

func TestExitWhileDrainingKills(t *testing.T) {
	c := ready(t, func(o *Options) { o.Config.ShutdownGrace = time.Minute })
	c.request(2, "exec", `{"command":"trap '' TERM; echo up; while :; do sleep 600; done","partialResultToken":"b"}`)
	c.event("output")
	c.request(3, "shutdown", "null")
	c.notify("exit", "null")
	began := time.Now()
	if code := c.exited(); code != 0 || time.Since(began) > atOnce {
		t.Errorf("exit %d after %s", code, time.Since(began))
	}
}

// The editor died: no process of ours may survive it.
func TestEndOfInputKillsTheTrees(t *testing.T) {
	c := ready(t)
	// $! would be a number of the command's own pid namespace: what is looked for
	// on the host is an argument nobody else has.
	nap := fmt.Sprintf("600.%09d", os.Getpid())
	c.request(2, "exec", fmt.Sprintf(`{"command":"trap '' TERM; (trap '' TERM; sleep %s; sleep 600) & sleep 0.2; echo up; wait","partialResultToken":"b"}`, nap))
	c.event("output")
	if !listed(t, nap) {
		t.Fatal("the background job does not run")
	}
	began := time.Now()
	_ = c.in.Close()
	if code := c.exited(); code != 1 {
		t.Errorf("exit %d", code)
	}
	if d := time.Since(began); d > atOnce || listed(t, nap) {
		t.Errorf("took %s; alive: %v", d, listed(t, nap))
	}
}

// listed looks for a process by one of its arguments.
func listed(t *testing.T, arg string) bool {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(files) == 0 {
		t.Fatalf("no processes: %v", err)
	}
	return slices.ContainsFunc(files, func(path string) bool {
		args, _ := os.ReadFile(path) // it may have ended
		return bytes.Contains(args, []byte(arg))
	})
}
