package executor

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/executor/spool"
)

// limitedTo is a streamed request with a spool of its own.
func limitedTo(max int64, onFull, script string) Request {
	req := streamed(script)
	req.Output.SpoolMaxBytes, req.Output.OnSpoolFull = max, onFull
	return req
}

func TestARequestLowersTheSpoolAndNeverRaisesIt(t *testing.T) {
	l := &life{Run: &Run{engine: &Engine{conf: Config{Limits: Limits{SpoolMaxBytes: 1000, SpoolTailBytes: 400}}, core: &core{}}}}
	for _, tt := range []struct{ askMax, askTail, max, tail int64 }{
		{0, 0, 1000, 400},
		{5000, 5000, 1000, 400},
		{600, 0, 600, 300},
		{600, 100, 600, 100},
		{1, 0, 1, 0},
		{900, 900, 900, 400},
		{0, 7, 1000, 7},
	} {
		s := l.spoolOf(OutputRequest{SpoolMaxBytes: tt.askMax, SpoolTailBytes: tt.askTail})
		if s.Max != tt.max || s.Tail != tt.tail {
			t.Errorf("%+v: %d with a ring of %d", tt, s.Max, s.Tail)
		}
	}
}

func TestDropMiddleOfOneRequestNamesItsHole(t *testing.T) {
	r := newRig(t, keeping)
	req := limitedTo(3000, DropMiddle, "seq 1 3000; echo fine >&2")
	req.ID, req.Output.SpoolTailBytes = "a", 1000
	want := exactSeq(3000)
	res, rec := r.must(req)
	o := res.Output[Stdout]
	if o.TotalBytes != int64(len(want)) || res.Reason != Exited || o.StreamedBytes+o.DroppedBytes != o.TotalBytes {
		t.Errorf("%+v", o)
	}
	for _, g := range rec.gaps {
		if g.Reason != spool.GapSpool || g.Stream != Stdout {
			t.Errorf("%+v", g)
		}
	}
	p := r.mustRead("a", Stdout, ReadRequest{Offset: 2500})
	q := r.mustRead("a", Stdout, ReadRequest{Offset: 2000})
	if p.Offset != o.TotalBytes-1000 || q.Offset != p.Offset || !bytes.Equal(p.Bytes, want[len(want)-1000:]) {
		t.Errorf("ring from %d: %q", p.Offset, p.Bytes)
	}
	if p := r.mustRead("a", Stdout, ReadRequest{}); !bytes.Equal(p.Bytes, want[:2000]) {
		t.Errorf("head of %d bytes", len(p.Bytes))
	}
}

// soonFull starts a command and waits until its stream is stuck.
func (r *rig) soonFull(req Request) (*Run, *record, <-chan *Result) {
	r.t.Helper()
	run, rec, got := r.soon(req)
	r.e.mu.Lock()
	kept := run.streams[0].spool
	r.e.mu.Unlock()
	for end := time.Now().Add(time.Minute); kept.Room(1) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatal("it is not stuck")
		}
	}
	return run, rec, got
}

// slowly runs a command whose client reads nothing before it has written that much, or
// its spool is closed.
func (r *rig) slowly(req Request, size int64) (*Result, *record) {
	r.t.Helper()
	run, err := r.admit(req)
	if err != nil {
		r.t.Fatal(err)
	}
	rec := &record{t: r.t, out: map[Stream]*strings.Builder{}, stall: make(chan struct{})}
	go func() {
		defer close(rec.stall)
		<-run.up
		r.e.mu.Lock()
		s := run.streams[0].spool
		r.e.mu.Unlock()
		for end := time.Now().Add(time.Minute); s.Size() < size && !s.Closed() && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
	}()
	res, err := run.Do(rec)
	if err != nil {
		r.t.Fatal(err)
	}
	rec.check(res)
	return res, rec
}

func TestBlockKeepsTheCommandWaitingAndLosesNothing(t *testing.T) {
	r := newRig(t, keeping)
	req := limitedTo(100_000, Block, "seq 1 1000000; touch went-on")
	req.ID = "a"
	run, rec, got := r.soonFull(req)
	time.Sleep(100 * time.Millisecond)
	if _, err := os.Stat(r.ws + "/went-on"); err == nil {
		t.Error("the command went on")
	}
	if n := r.e.Stats().SpoolBytes; n > 100_000 {
		t.Errorf("%d bytes", n)
	}
	r.readSome("a", 100_000) // takes nothing away
	begin := time.Now()
	run.Cancel(Cancelled, false)
	res := <-got
	if took := time.Since(begin); took > atOnce {
		t.Errorf("the cancel took %s", took)
	}
	// What the pipe held is there, too: all that the command could write.
	o := res.Output[Stdout]
	if res.Reason != Cancelled || o.TotalBytes < 100_000 || o.TotalBytes > 100_000+spool.PipeMost || len(o.Gaps) > 0 || !o.EOF {
		t.Errorf("%s %+v", res.Reason, o)
	}
	want := exactSeq(1_000_000)[:o.TotalBytes]
	if rec.text(Stdout) != string(want) || !bytes.Equal(r.readAll("a", Stdout, ReadRequest{Max: 1 << 20}), want) {
		t.Error("other bytes")
	}
}

func (r *rig) readSome(id string, n int) {
	r.t.Helper()
	if p := r.mustRead(id, Stdout, ReadRequest{Max: n}); len(p.Bytes) != n {
		r.t.Errorf("%d bytes", len(p.Bytes))
	}
}

func TestBlockEndsAtTheTimeout(t *testing.T) {
	r := newRig(t, nil)
	req := limitedTo(1000, Block, "trap '' TERM; while :; do seq 1 100000; done")
	req.KillGrace = 100 * time.Millisecond
	res := r.late(req, begun)
	if res.Reason != TimedOut || res.Signal != "SIGKILL" || res.Duration > atOnce || res.Duration < 200*time.Millisecond {
		t.Errorf("%s after %s: %+v", res.Reason, res.Duration, res)
	}
}

// Bytes that fit into the pipe do not hold the command up, and are not lost.
func TestBlockOfACommandThatEndsByItselfIsWhole(t *testing.T) {
	r := newRig(t, nil)
	for _, n := range []string{"1000", "1001", "3000"} {
		res, rec := r.must(limitedTo(1000, Block, "head -c "+n+" /dev/zero | tr '\\0' x; echo e >&2"))
		if res.Reason != Exited || *res.ExitCode != 0 || len(rec.gaps) > 0 || !res.Output[Stdout].EOF || !res.Output[Stderr].EOF {
			t.Errorf("%s: %+v", n, res)
		}
		if got := rec.text(Stdout); got != strings.Repeat("x", len(got)) || len(got) != int(res.Output[Stdout].TotalBytes) || len(got) < 1000 {
			t.Errorf("%s: %d bytes", n, len(got))
		}
	}
}

// A grandchild that waits for room does not keep the result.
func TestBlockOfAGrandchildEndsWithTheCommand(t *testing.T) {
	r := newRig(t, nil)
	_, _, got := r.soonFull(limitedTo(1000, Block, "(seq 1 1000000 &); until [ -e go ]; do sleep 0.01; done"))
	begin := time.Now()
	r.touch("go")
	if res := <-got; res.Reason != Exited || time.Since(begin) > atOnce {
		t.Errorf("%+v after %s", res, time.Since(begin))
	}
}

func TestBlockOfATerminalEnds(t *testing.T) {
	r := newRig(t, nil)
	req := limitedTo(1000, Block, "seq 1 100000")
	req.Terminal = &Terminal{Rows: 24, Cols: 80}
	run, _, got := r.soonFull(req)
	run.Cancel(Cancelled, false)
	if res := <-got; res.Reason != Cancelled || res.Output[Pty].TotalBytes < 1000 {
		t.Errorf("%+v", res)
	}
}

func TestTerminateEndsTheTreeAndKeepsExactlyTheFirstBytes(t *testing.T) {
	r := newRig(t, keeping)
	req := limitedTo(100_000, Terminate, "sleep 98702 & seq 1 100000000")
	req.ID = "a"
	res, rec := r.must(req)
	o := res.Output[Stdout]
	if res.Reason != OutputLimit || res.Signal != "SIGTERM" || res.Cancelled || res.TimedOut || o.TotalBytes <= 100_000 {
		t.Errorf("%+v", res)
	}
	if len(rec.gaps) != 1 || rec.gaps[0].From != 100_000 || rec.gaps[0].To != o.TotalBytes || rec.gaps[0].Reason != spool.GapSpool || o.StreamedBytes != 100_000 {
		t.Errorf("%+v %+v", rec.gaps, o)
	}
	want := exactSeq(100_000)[:100_000]
	p := r.mustRead("a", Stdout, ReadRequest{Max: 1 << 20})
	if rec.text(Stdout) != string(want) || sha256.Sum256(p.Bytes) != sha256.Sum256(want) {
		t.Errorf("kept %d bytes, streamed %d", len(p.Bytes), len(rec.text(Stdout)))
	}
	if p := r.mustRead("a", Stdout, ReadRequest{Offset: 100_000}); len(p.Gaps) != 1 || p.Gaps[0].From != 100_000 || !p.EOF {
		t.Errorf("%+v", p)
	}
	if left := aliveWith("98702"); len(left) > 0 {
		t.Errorf("alive: %v", left)
	}
}

// What is lost while the command comes to its end is one gap, however long that takes.
func TestTerminateNamesOneGap(t *testing.T) {
	r := newRig(t, nil)
	req := limitedTo(5000, Terminate, "trap '' TERM; while :; do seq 1 1000; sleep 0.01; done")
	req.KillGrace = 300 * time.Millisecond
	res, rec := r.must(req)
	if len(rec.gaps) != 1 || rec.gaps[0].From != 5000 || rec.gaps[0].To != res.Output[Stdout].TotalBytes || res.Signal != "SIGKILL" {
		t.Errorf("%+v %+v", rec.gaps, res)
	}
}

// A command that is just as long as the limit is whole.
func TestTerminateAtTheLimitIsNoReason(t *testing.T) {
	r := newRig(t, nil)
	res, rec := r.must(limitedTo(5000, Terminate, "head -c 5000 /dev/zero"))
	if res.Reason != Exited || len(rec.gaps) > 0 || res.Output[Stdout].StreamedBytes != 5000 {
		t.Errorf("%+v", res)
	}
}

// Whether the command ended before anybody saw that there was too much is chance;
// what is said must not be.
func TestTerminateOfACommandThatHasEndedIsStillTheReason(t *testing.T) {
	r := newRig(t, nil)
	for range 10 {
		res, rec := r.must(limitedTo(5000, Terminate, "head -c 5001 /dev/zero"))
		if res.Reason != OutputLimit || len(rec.gaps) != 1 || rec.gaps[0].To != 5001 {
			t.Fatalf("%+v %+v", res, rec.gaps)
		}
	}
}

func TestTerminateIsPerStream(t *testing.T) {
	r := newRig(t, nil)
	res, _ := r.must(limitedTo(5000, Terminate, "head -c 4000 /dev/zero; head -c 4000 /dev/zero >&2"))
	if res.Reason != Exited {
		t.Errorf("%+v", res)
	}
	res, _ = r.must(limitedTo(5000, Terminate, "echo ok; head -c 6000 /dev/zero >&2; sleep 600"))
	if res.Reason != OutputLimit || res.Output[Stdout].StreamedBytes != 3 {
		t.Errorf("%+v", res)
	}
}

func TestTerminateComesAfterAnEarlierCause(t *testing.T) {
	r := newRig(t, nil)
	run, _, got := r.soon(limitedTo(5000, Terminate, "trap 'yes | head -c 10000; exit 7' TERM; echo up; while :; do sleep 0.05; done"))
	run.Cancel(Cancelled, false)
	if res := <-got; res.Reason != Cancelled || res.Output[Stdout].DroppedBytes == 0 {
		t.Errorf("%+v", res)
	}
}

// Where running commands alone fill the limit, no more start, and those that run
// go by their own rule.
func TestTotalCapRefusesNewCommandsAndEndsNoOther(t *testing.T) {
	r := newRig(t, func(c *Config) { keeping(c); c.Limits.SpoolTotalBytes = 300_000 })
	r.must(Request{ID: "old", Command: "head -c 50000 /dev/zero"})
	one := limitedTo(1<<30, Block, "echo up; cat /dev/zero")
	one.ID = "one"
	run, _, got := r.soonFull(one) // takes all, and the finished one's
	r.expired("old")
	var busy *BusyError
	if _, err := r.admit(sh("touch started")); !errors.As(err, &busy) || busy.RetryAfter <= 0 || !strings.Contains(err.Error(), "spoolTotalBytes") {
		t.Errorf("%v", err)
	}
	run.Cancel(Cancelled, false)
	if res := <-got; res.Reason != Cancelled || res.Output[Stdout].TotalBytes < 300_000 {
		t.Errorf("%+v", res)
	}
	r.echo("next") // what has ended makes room
	if got := r.readAll("next", Stdout, ReadRequest{}); string(got) != "next\n" {
		t.Errorf("%q", got)
	}
	if n := r.e.Stats().SpoolBytes; n > 300_000 {
		t.Errorf("%d bytes", n)
	}
}

func TestTotalCapIsSharedByRunningCommands(t *testing.T) {
	r := newRig(t, func(c *Config) { keeping(c); c.Limits.SpoolTotalBytes = 400_000 })
	run, _, got := r.soon(Request{ID: "a", Command: "head -c 250000 /dev/zero; sleep 600", Output: OutputRequest{Stream: true}})
	for r.e.Stats().SpoolBytes < 250_000 {
		time.Sleep(5 * time.Millisecond)
	}
	for onFull, want := range map[string]Reason{DropMiddle: Exited, Terminate: OutputLimit} {
		res, rec := r.slowly(limitedTo(1<<30, onFull, "head -c 250000 /dev/zero | tr '\\0' x; printf end"), 250_003)
		o := res.Output[Stdout]
		if res.Reason != want || o.DroppedBytes == 0 || len(rec.gaps) == 0 || rec.gaps[0].Reason != spool.GapSpool {
			t.Errorf("%s: %s %+v", onFull, res.Reason, o)
		}
		if tail := strings.HasSuffix(rec.text(Stdout), "end"); tail != (onFull == DropMiddle) {
			t.Errorf("%s: the newest bytes: %v", onFull, tail)
		}
	}
	run.Cancel(Cancelled, false)
	<-got
	if got := r.readAll("a", Stdout, ReadRequest{Max: 1 << 20}); len(got) != 250_000 {
		t.Errorf("the other one lost something: %d bytes", len(got))
	}
}

// What a command left and had to wait keeps the next one of a sequence from nothing.
func TestBlockHoldsForEachOfSeveralCommands(t *testing.T) {
	r := newRig(t, keeping)
	req := limitedTo(100_000, Block, "")
	req.Commands = []string{"yes & until [ -e go ]; do sleep 0.01; done", "echo last"}
	req.ID = "a"
	_, _, got := r.soonFull(req)
	r.touch("go")
	res := <-got
	o := res.Output[Stdout]
	if len(res.Steps) != 2 || *res.Steps[1].ExitCode != 0 || o.TotalBytes < 100_000 || o.TotalBytes > 100_000+spool.PipeMost || len(o.Gaps) > 0 {
		t.Errorf("%+v %+v", res.Steps, o)
	}
	at := res.Steps[1].Output[Stdout]
	if p := r.mustRead("a", Stdout, ReadRequest{Offset: at.From}); string(p.Bytes) != "last\n" {
		t.Errorf("%q at %d", p.Bytes, at.From)
	}
}
