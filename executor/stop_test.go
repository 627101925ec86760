package executor

import (
	"errors"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/test/long"
)

// soon waits until a command has written its first bytes.
func (r *rig) soon(req Request) (*Run, *record, <-chan *Result) {
	r.t.Helper()
	run, err := r.admit(req)
	if err != nil {
		r.t.Fatal(err)
	}
	up := make(chan struct{})
	rec := &record{t: r.t, out: map[Stream]*strings.Builder{}}
	rec.onOut = sync.OnceFunc(func() { close(up) })
	got := make(chan *Result, 1)
	go func() {
		res, err := run.Do(rec)
		if err != nil {
			r.t.Error(err)
		}
		got <- res
	}()
	select {
	case <-up:
	case <-time.After(time.Minute):
		r.t.Fatal("no output")
	}
	return run, rec, got
}

func TestCancelEndsTheWholeTree(t *testing.T) {
	r := newRig(t, nil)
	run, _, got := r.soon(streamed("echo up; sleep 98701 & setsid sleep 98701 & (setsid sh -c 'sleep 98701 & sleep 98701' &); wait"))
	if len(aliveWith("98701")) == 0 {
		t.Fatal("the tree is not up")
	}
	if state, did := run.Cancel(Cancelled, false); state != StateRunning || !did {
		t.Errorf("cancel: %s %v", state, did)
	}
	res := <-got
	if res.Reason != Cancelled || !res.Cancelled || res.Signal != "SIGTERM" || res.ExitCode != nil {
		t.Errorf("result %+v", res)
	}
	if left := aliveWith("98701"); len(left) > 0 {
		t.Errorf("alive: %v", left)
	}
	if state, did := run.Cancel(Cancelled, false); state != StateFinished || did {
		t.Errorf("second cancel: %s %v", state, did)
	}
}

func TestCancelKillsWhatIgnoresTERMAfterTheGrace(t *testing.T) {
	r := newRig(t, nil)
	req := streamed("trap '' TERM; echo up; while :; do sleep 0.05; done")
	req.KillGrace = 200 * time.Millisecond
	run, _, got := r.soon(req)
	begin := time.Now()
	run.Cancel(Cancelled, false)
	res := <-got
	if res.Signal != "SIGKILL" || time.Since(begin) < 150*time.Millisecond {
		t.Errorf("signal %s after %s", res.Signal, time.Since(begin))
	}
	req.KillGrace = time.Minute
	run, _, got = r.soon(req)
	run.Cancel(Cancelled, true)
	if res := <-got; res.Signal != "SIGKILL" {
		t.Errorf("forced: %+v", res)
	}
}

func TestTimeoutKeepsTheRealExitCode(t *testing.T) {
	r := newRig(t, nil)
	res := r.late(sh("trap 'exit 0' TERM; echo up; while :; do sleep 0.05; done"), begun)
	if res.Reason != TimedOut || !res.TimedOut || res.ExitCode == nil || *res.ExitCode != 0 {
		t.Errorf("result %+v", res)
	}
}

// begun reports that a command has come to its first output.
func begun(res *Result) bool { return res.Output[Stdout].TotalBytes > 0 }

func TestGrandchildHoldingThePipeIsEndedAndListed(t *testing.T) {
	t.Parallel()
	long.Test(t)
	r := newRig(t, nil)
	for name, script := range map[string]string{
		"silent":       "echo hi; sleep 98702 &",
		"setsid":       "echo hi; setsid sleep 98702 &",
		"double fork":  "echo hi; (setsid sh -c 'sleep 98702 & wait' &)",
		"chatty":       "echo hi; (while :; do echo more; sleep 0.05; done; : 98702) &",
		"closed pipes": "echo hi; sh -c 'exec >/dev/null 2>&1; touch closed; exec sleep 98702' & until [ -e closed ]; do :; done",
	} {
		begin := time.Now()
		res, _ := r.must(sh(script))
		if took := time.Since(begin); took > atOnce {
			t.Errorf("%s took %s", name, took)
		}
		if res.Reason != Exited || *res.ExitCode != 0 || len(res.Background) == 0 || res.Background[0].Fate != "killed" {
			t.Errorf("%s: %+v", name, res)
		}
		if !strings.HasPrefix(string(res.Output[Stdout].Inline), "hi\n") {
			t.Errorf("%s: output %q", name, res.Output[Stdout].Inline)
		}
		if wantEOF := name == "closed pipes"; res.Output[Stdout].EOF != wantEOF {
			t.Errorf("%s: eof %v", name, res.Output[Stdout].EOF)
		}
		if left := aliveWith("98702"); len(left) > 0 {
			t.Errorf("%s: alive %v", name, left)
		}
	}
}

func TestCancelWhileQueuedStartsNothing(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Limits.MaxConcurrent = 1 })
	first, _, got := r.soon(streamed("echo up; sleep 600"))
	run, err := r.admit(sh("touch started"))
	if err != nil {
		t.Fatal(err)
	}
	fail, queued := make(chan error, 1), make(chan struct{})
	go func() { _, err := run.Do(queuedSink{&record{t: t}, queued}); fail <- err }()
	<-queued
	if state, did := r.e.Cancel(run.ID(), 0, false); state != StateQueued || !did {
		t.Errorf("cancel: %s %v", state, did)
	}
	var c *CancelledError
	if err := <-fail; !errors.As(err, &c) || c.Phase != "queued" || c.Why != Cancelled {
		t.Errorf("queued run: %v", err)
	}
	first.Cancel(Cancelled, true)
	<-got
	if _, err := os.Stat(r.ws + "/started"); err == nil {
		t.Error("it ran")
	}
	r.must(sh("true"))
}

func TestStopEndsEverythingAndRefusesMore(t *testing.T) {
	r := newRig(t, nil)
	_, _, a := r.soon(streamed("echo up; sleep 98703"))
	_, _, b := r.soon(streamed("trap '' TERM; echo up; sleep 98703; sleep 98703"))
	begin := time.Now()
	r.e.Stop(Shutdown, 300*time.Millisecond)
	if took := time.Since(begin); took > atOnce {
		t.Errorf("stop took %s", took)
	}
	if left := aliveWith("98703"); len(left) > 0 {
		t.Errorf("alive: %v", left)
	}
	for _, c := range []<-chan *Result{a, b} {
		if res := <-c; res.Reason != Shutdown {
			t.Errorf("reason %s", res.Reason)
		}
	}
	var c *CancelledError
	if _, err := r.admit(sh("true")); !errors.As(err, &c) || c.Why != Shutdown {
		t.Errorf("after stop: %v", err)
	}
}

// The client that stopped reading blocks its own output only: commands are
// killed and slots handed on while Output waits.
func TestStalledSinkHoldsUpNothingElse(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Limits.MaxConcurrent = 1 })
	run, err := r.admit(streamed("yes 98704"))
	if err != nil {
		t.Fatal(err)
	}
	rec := &record{t: t, out: map[Stream]*strings.Builder{}, stall: make(chan struct{})}
	got := make(chan *Result, 1)
	go func() { res, _ := run.Do(rec); got <- res }()
	for len(aliveWith("98704")) == 0 {
		time.Sleep(5 * time.Millisecond)
	}
	run.Cancel(Cancelled, false)
	for begin := time.Now(); len(aliveWith("98704")) > 0; time.Sleep(5 * time.Millisecond) {
		if time.Since(begin) > atOnce {
			t.Fatal("the flood survived its cancel")
		}
	}
	r.must(sh("true")) // the only slot is free again
	close(rec.stall)
	if res := <-got; res.Reason != Cancelled {
		t.Errorf("result %+v", res)
	}
}

// A bug of ours while a command runs ends the command and is its result: an
// error would say that nothing was started.
func TestAPanicAfterTheStartIsAResult(t *testing.T) {
	r := newRig(t, nil)
	run, err := r.admit(streamed("echo up; sleep 98705"))
	if err != nil {
		t.Fatal(err)
	}
	rec := &record{t: t, out: map[Stream]*strings.Builder{}, onOut: func() { panic("a bug in the sink") }}
	res, err := run.Do(rec)
	if err != nil || res.Reason != InternalError || len(aliveWith("98705")) != 0 {
		t.Errorf("result %+v, error %v, alive %v", res, err, aliveWith("98705"))
	}
	r.must(sh("true"))
}

// Whichever of exit, timeout and cancel is recorded first is the reason; there
// is exactly one, and always a result or an error.
func TestCauseRace(t *testing.T) {
	r := newRig(t, nil)
	var mu sync.Mutex
	seen := map[Reason]int{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 25 {
				req := sh("sleep 0.005")
				req.Timeout = time.Duration(5+rand.IntN(15)) * time.Millisecond
				run, err := r.admit(req)
				if err != nil {
					t.Error(err)
					return
				}
				cancel := time.AfterFunc(time.Duration(5+rand.IntN(20))*time.Millisecond, func() { run.Cancel(Cancelled, false) })
				res, err := run.Do(&record{t: t})
				cancel.Stop()
				reason := Cancelled
				if err == nil {
					reason = res.Reason
				}
				mu.Lock()
				seen[reason]++
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	if n := seen[Exited] + seen[TimedOut] + seen[Cancelled]; n != 200 {
		t.Errorf("reasons %v", seen)
	}
	t.Logf("reasons %v", seen)
}

// A forced cancel is SIGKILL and nothing before it: what handles SIGTERM would run on.
func TestForcedCancelIsNoRequest(t *testing.T) {
	r := newRig(t, nil)
	for range 40 {
		run, _, got := r.soon(streamed("echo up; exec sleep 98757"))
		run.Cancel(Cancelled, true)
		if res := <-got; res.Signal != "SIGKILL" || res.Reason != Cancelled {
			t.Fatalf("%s, %s", res.Reason, res.Signal)
		}
	}
}

// A command that was given a long grace must not hold up a shutdown, nor a second
// cancel that is less patient.
func TestGraceIsTheShortestThatWasGiven(t *testing.T) {
	stubborn := streamed("trap '' TERM; echo up; while :; do sleep 0.05; done")
	stubborn.ID, stubborn.KillGrace = "a", time.Minute
	for name, hurry := range map[string]func(r *rig){
		"shutdown": func(r *rig) { r.e.Stop(Shutdown, 100*time.Millisecond) },
		"cancel":   func(r *rig) { r.e.Cancel("a", 100*time.Millisecond, false) },
		"force":    func(r *rig) { r.e.Cancel("a", 0, true) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, nil)
			_, _, got := r.soon(stubborn)
			r.e.Cancel("a", 0, false)
			began := time.Now()
			hurry(r)
			if res := <-got; res.Signal != "SIGKILL" || res.Reason != Cancelled || time.Since(began) > atOnce {
				t.Errorf("%s by %s after %s", res.Reason, res.Signal, time.Since(began))
			}
		})
	}
}

func TestALongerGraceComesTooLate(t *testing.T) {
	r := newRig(t, nil)
	req := streamed("trap '' TERM; echo up; while :; do sleep 0.05; done")
	req.ID = "a"
	_, _, got := r.soon(req)
	began := time.Now()
	r.e.Cancel("a", 200*time.Millisecond, false)
	r.e.Cancel("a", time.Minute, false)
	if res := <-got; res.Signal != "SIGKILL" || time.Since(began) > atOnce {
		t.Errorf("%s after %s", res.Signal, time.Since(began))
	}
}

// The default limit is for commands that nobody watches; one that was asked for holds.
func TestACommandOnAPersonsTerminalHasNoDefaultTimeLimit(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Limits.DefaultTimeout = time.Millisecond })
	for _, c := range []struct {
		watched bool
		timeout time.Duration
		want    Reason
	}{{false, 0, TimedOut}, {true, 0, Exited}, {true, time.Millisecond, TimedOut}} {
		res, _ := r.must(Request{Command: "sleep 1", Watched: c.watched, Timeout: c.timeout})
		if res.Reason != c.want {
			t.Errorf("%+v: %s", c, res.Reason)
		}
	}
}
