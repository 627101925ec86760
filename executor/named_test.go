package executor

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/test/long"
)

func leaving(name, script string) Request {
	r := sh(script)
	r.Sandbox.Name, r.OnBackground = name, Leave
	return r
}

func TestLeavingNeedsANameOfItsOwn(t *testing.T) {
	r := newRig(t, nil)
	var bad *ParamError
	for _, name := range []string{"", "default"} {
		if _, err := r.admit(leaving(name, "true")); !errors.As(err, &bad) || bad.Path != "/onBackground" {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := r.admit(leaving("a/b", "true")); !errors.As(err, &bad) || bad.Path != "/sandbox/name" {
		t.Errorf("a bad name: %v", err)
	}
	req := leaving("dev", "true")
	req.OnBackground = "keep"
	if _, err := r.admit(req); !errors.As(err, &bad) || bad.Path != "/onBackground" {
		t.Errorf("a bad word: %v", err)
	}
}

func TestWhatIsLeftIsSaidAndStopEndsIt(t *testing.T) {
	r := newRig(t, func(c *Config) { alone(t, c) })
	begin := time.Now()
	req := leaving("dev", "echo up; sleep 98751 &")
	req.ID = "the-server"
	res, _ := r.must(req)
	if len(res.Background) != 1 || res.Background[0].Fate != FateLeft || res.Reason != Exited || string(res.Output[Stdout].Inline) != "up\n" {
		t.Fatalf("%+v", res)
	}
	if took := time.Since(begin); took > atOnce {
		t.Errorf("a server that holds the pipe delayed its command by %s", took)
	}
	boxes := r.e.Sandboxes()
	if len(boxes) != 1 || len(boxes[0].Processes) != 1 || boxes[0].Processes[0].Exec != "the-server" || boxes[0].Processes[0].PID != res.Background[0].PID {
		t.Errorf("%+v", boxes)
	}
	r.e.Stop(Shutdown, 0)
	if left := aliveWith("98751"); len(left) != 0 {
		t.Errorf("alive: %v", left)
	}
}

func TestWhatWasCancelledLeavesNothing(t *testing.T) {
	r := newRig(t, nil)
	req := leaving("dev", "echo up; (trap '' TERM; sleep 98752) & sleep 98752")
	req.Output.Stream = true
	run, _, got := r.soon(req)
	run.Cancel(Cancelled, false)
	if res := <-got; res.Reason != Cancelled || len(aliveWith("98752")) != 0 {
		t.Errorf("%+v, alive %v", res, aliveWith("98752"))
	}
}

func TestTheDefaultToLeaveIsForNamedSandboxesOnly(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Leave = true })
	for name, want := range map[string]string{"": FateKilled, "dev": FateLeft} {
		req := sh("sleep 98753 >/dev/null 2>&1 &")
		req.Sandbox.Name = name
		if res, _ := r.must(req); len(res.Background) != 1 || res.Background[0].Fate != want {
			t.Errorf("%q: %+v", name, res.Background)
		}
	}
}

func TestResetNamesTheCommandsThatRun(t *testing.T) {
	r := newRig(t, nil)
	req := streamed("echo up; sleep 98754")
	req.ID, req.Sandbox.Name = "busy", "dev"
	_, _, got := r.soon(req)
	var use *InUseError
	if _, err := r.e.Reset("dev", false); !errors.As(err, &use) || len(use.Execs) != 1 || use.Execs[0] != "busy" {
		t.Fatalf("%v", err)
	}
	if killed, err := r.e.Reset("dev", true); killed != 0 || err != nil {
		t.Errorf("forced: %d, %v", killed, err)
	}
	if res := <-got; res.Reason != Cancelled || res.Signal != "SIGKILL" {
		t.Errorf("%+v", res)
	}
	if _, err := r.e.Reset("no/name", false); err == nil {
		t.Error("a name that can't be")
	}
	r.must(leaving("dev", "true"))
}

// Commands that come while their sandbox is reset run before or after it, in one
// or the other, and none fails.
func TestCommandsDuringResets(t *testing.T) {
	long.Test(t)
	r := newRig(t, nil)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 20 {
			req := sh("echo x >> $TMPDIR/f")
			req.Sandbox.Name = "dev"
			if res, _, err := r.run(req); err != nil || res.Reason == Exited && *res.ExitCode != 0 {
				t.Errorf("%+v, %v", res, err)
			}
		}
	}()
	for {
		select {
		case <-done:
			return
		default:
		}
		var use *InUseError
		if _, err := r.e.Reset("dev", false); err != nil && !errors.As(err, &use) {
			t.Error(err)
		}
	}
}

func TestTooManySandboxesInUseIsBusy(t *testing.T) {
	r := newRig(t, nil)
	var busy *BusyError
	for i := range 17 {
		_, _, err := r.run(leaving(fmt.Sprintf("s%d", i), "sleep 98755 >/dev/null 2>&1 &"))
		if i < 16 && err != nil || i == 16 && (!errors.As(err, &busy) || busy.Full == nil || busy.RetryAfter <= 0) {
			t.Fatalf("%d: %v", i, err)
		}
	}
	if killed, err := r.e.Reset("s3", false); killed != 1 || err != nil {
		t.Errorf("%d, %v", killed, err)
	}
	r.must(leaving("s16", "true"))
}

// Two folders' policies under one name are two sandboxes: a shared name shares
// nothing across policies.
func TestOneNameOfTwoPoliciesIsTwoSandboxes(t *testing.T) {
	r := newRig(t, func(c *Config) { alone(t, c) })
	r.must(leaving("dev", "echo x > $TMPDIR/f"))
	req := leaving("dev", "cat $TMPDIR/f 2>/dev/null")
	req.Sandbox.Mode = sandbox.ReadOnly
	if res, _ := r.must(req); len(res.Output[Stdout].Inline) != 0 {
		t.Errorf("%q", res.Output[Stdout].Inline)
	}
	if got := r.e.Sandboxes(); len(got) != 2 || got[0].PolicyHash == got[1].PolicyHash {
		t.Errorf("%+v", got)
	}
}
