package executor

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestSequenceCancelledInTheMiddle(t *testing.T) {
	r := newRig(t, nil)
	req := inTurn("true", "echo up; sleep 98763", "touch ran")
	req.Output.Stream, req.IgnoreErrors = true, true
	run, _, got := r.soon(req)
	run.Cancel(Cancelled, false)
	res := <-got
	if reasons(res) != "0, SIGTERM cancelled, skipped" || res.Reason != Cancelled || res.Signal != "SIGTERM" || !res.Cancelled || r.has("ran") || len(aliveWith("98763")) > 0 {
		t.Errorf("%s, %+v", reasons(res), res)
	}
}

// A command that traps SIGTERM and exits with 0 was cancelled all the same.
func TestSequenceDoesNotGoOnAfterATrap(t *testing.T) {
	r := newRig(t, nil)
	req := inTurn("trap 'exit 0' TERM; echo up; while :; do sleep 0.02; done", "touch ran")
	req.Output.Stream = true
	run, _, got := r.soon(req)
	run.Cancel(Cancelled, false)
	if res := <-got; reasons(res) != "0 cancelled, skipped" || res.Reason != Cancelled || r.has("ran") {
		t.Errorf("%s", reasons(res))
	}
}

func TestSequenceHasOneTimeoutForAll(t *testing.T) {
	r := newRig(t, nil)
	req := inTurn("sleep 0.3", "sleep 0.3", "sleep 0.3", "sleep 0.3", "touch ran")
	req.Timeout, req.IgnoreErrors = 500*time.Millisecond, true
	res, _ := r.must(req)
	if res.Reason != TimedOut || !res.TimedOut || r.has("ran") || res.Steps[4].Reason != Skipped || !strings.Contains(reasons(res), "timedOut") || res.Duration < req.Timeout {
		t.Errorf("%s after %s", reasons(res), res.Duration)
	}
}

func TestSequenceEndsWithShutdown(t *testing.T) {
	r := newRig(t, nil)
	req := inTurn("echo up; sleep 98764", "touch ran")
	req.Output.Stream = true
	_, _, got := r.soon(req)
	r.e.Stop(Shutdown, 300*time.Millisecond)
	if res := <-got; res.Reason != Shutdown || r.has("ran") || len(aliveWith("98764")) > 0 {
		t.Errorf("%s", reasons(res))
	}
}

// Whenever the cancel comes, between two commands as well: once it is there no
// command begins, and every one of them has its row.
func TestSequenceCancelRace(t *testing.T) {
	r := newRig(t, nil)
	var wg sync.WaitGroup
	var mu sync.Mutex
	seen := map[int]int{}
	for worker := range 2 {
		wg.Go(func() {
			for round := range 30 {
				name := func(i int) string { return fmt.Sprintf("m-%d-%d-%d", worker, round, i) }
				var commands []string
				for i := range 8 {
					commands = append(commands, "touch "+name(i))
				}
				run, err := r.admit(inTurn(commands...))
				if err != nil {
					t.Error(err)
					return
				}
				cancel := time.AfterFunc(time.Duration(rand.IntN(60))*time.Millisecond, func() { run.Cancel(Cancelled, false) })
				res, err := run.Do(&record{t: t})
				cancel.Stop()
				if err != nil {
					continue // before the first
				}
				ran := 0
				for i, s := range res.Steps {
					if s.Reason == Skipped && r.has(name(i)) {
						t.Errorf("command %d ran and was skipped: %s", i, reasons(res))
					}
					if s.Reason == Skipped {
						continue
					}
					if ran != i {
						t.Errorf("a command behind a skipped one: %s", reasons(res))
					}
					ran++
				}
				if ran < 8 && res.Reason != Cancelled {
					t.Errorf("%d of 8 and %s", ran, res.Reason)
				}
				mu.Lock()
				seen[ran]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	t.Logf("commands that ran: %v", seen)
}

// A reset with force ends the sequence, also between two commands: it never goes
// on in another sandbox.
func TestSequenceDuringResets(t *testing.T) {
	r := newRig(t, nil)
	for range 10 {
		req := inTurn("echo x > $TMPDIR/f", "cat $TMPDIR/f", "cat $TMPDIR/f", "cat $TMPDIR/f")
		req.Sandbox.Name = "dev"
		reset := time.AfterFunc(time.Duration(rand.IntN(40))*time.Millisecond, func() { _, _ = r.e.Reset("dev", true) })
		res, _, err := r.run(req)
		reset.Stop()
		if err == nil && strings.Contains(reasons(res), "1") { // cat did not find what the first one wrote
			t.Errorf("%s %s", res.Reason, reasons(res))
		}
	}
}

func TestSequenceSummaryShowsEachCommand(t *testing.T) {
	r := newRig(t, nil)
	for form, want := range map[string]string{
		SummaryPlain:    "$ echo a; echo e >&2; exit 3\na\ne\nExit code: 3\n$ echo b\nb\n$ exit 4\nExit code: 4",
		SummaryDenylist: "$ echo a; echo e >&2; exit 3\na\nSTDERR:\ne\nExit code: exit status 3\n$ echo b\nb\n$ exit 4\nExit code: exit status 4",
		SummaryLayered:  "$ echo a; echo e >&2; exit 3\na\n[stderr]\ne\n[exit code: 3]\n$ echo b\nb\n$ exit 4\n[exit code: 4]",
	} {
		req := inTurn("echo a; echo e >&2; exit 3", "echo b", "exit 4")
		req.IgnoreErrors, req.Output.Summary.Form = true, form
		if res, _ := r.must(req); res.Summary != want {
			t.Errorf("%s: %q\nwant %q", form, res.Summary, want)
		}
	}
	req := inTurn("echo a", "echo b; sleep 600", "true")
	req.Output.Summary.Form = SummaryDenylist
	res := r.late(req, func(res *Result) bool { return res.Output[Stdout].TotalBytes == 4 })
	const want = "$ echo a\na\n$ echo b; sleep 600\nb\n$ true\n(not run)\nCommand timed out after "
	if after, ok := strings.CutPrefix(res.Summary, want); !ok || !strings.HasSuffix(after, "s") {
		t.Errorf("%q", res.Summary)
	}
}

// The first command may be over, and the second one begun, before the client learns that
// there is a first one; the race detector sees whether it matters.
func TestSequenceGoesOnBeforeItIsAnnounced(t *testing.T) {
	r := newRig(t, nil)
	run, err := r.admit(inTurn("echo $$", "touch second"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.e.forget(run)
	rec := &record{t: t}
	p, err := run.ready(rec)
	if err != nil {
		t.Fatal(err)
	}
	l, err := run.spawn(p, run.release)
	if err != nil {
		t.Fatal(err)
	}
	for !r.has("second") { // the life is not looked at meanwhile
		time.Sleep(time.Millisecond)
	}
	if res := l.follow(rec); reasons(res) != "0, 0" || res.PID == 0 || res.PID != rec.started.PID {
		t.Errorf("%s, pid %d, announced %d", reasons(res), res.PID, rec.started.PID)
	}
}
