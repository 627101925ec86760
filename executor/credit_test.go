package executor

import (
	"crypto/sha256"
	"strings"
	"sync"
	"testing"
	"time"
)

// acker is a client with a window: it acknowledges as it likes, and fails the test
// if more is on the way than it allowed.
type acker struct {
	*record
	run    *Run
	window int64

	mu    sync.Mutex
	got   int64
	acked int64
	most  int64 // on the way at once

	each func(a *acker) // called for every chunk
}

func (a *acker) Output(c Chunk) error {
	a.mu.Lock()
	a.got += int64(len(c.Bytes))
	a.most = max(a.most, a.got-a.acked)
	if a.got-a.acked > a.window {
		a.t.Errorf("%d bytes are on the way, the window is %d", a.got-a.acked, a.window)
	}
	a.mu.Unlock()
	if a.each != nil {
		a.each(a)
	}
	return a.record.Output(c)
}

// ack acknowledges everything up to n.
func (a *acker) ack(n int64) bool {
	a.mu.Lock()
	a.acked = max(a.acked, n)
	a.mu.Unlock()
	return a.run.engine.Ack(a.run.ID(), n)
}

func (a *acker) received() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.got
}

// await waits until n bytes have come.
func (a *acker) await(n int64) {
	a.t.Helper()
	for begin := time.Now(); a.received() < n; time.Sleep(5 * time.Millisecond) {
		if time.Since(begin) > time.Minute {
			a.t.Fatalf("%d of %d bytes", a.received(), n)
		}
	}
}

func (a *acker) ackAll() { a.ack(a.received()) }

// windowed starts a command with a window.
func (r *rig) windowed(window int64, req Request, each func(*acker)) (*acker, <-chan *Result) {
	r.t.Helper()
	req.Output.Stream, req.Output.Window = true, window
	run, err := r.admit(req)
	if err != nil {
		r.t.Fatal(err)
	}
	a := &acker{record: &record{t: r.t, out: map[Stream]*strings.Builder{}}, run: run, window: window, each: each}
	got := make(chan *Result, 1)
	go func() {
		res, err := run.Do(a)
		if err != nil {
			r.t.Error(err)
		}
		got <- res
	}()
	return a, got
}

func waiting(wait time.Duration) func(*Config) {
	return func(c *Config) { keeping(c); c.Limits.AckWait = wait }
}

func TestWindowIsNeverExceededAndEverythingArrives(t *testing.T) {
	r := newRig(t, waiting(time.Minute))
	for _, window := range []int64{1, 3, 64, 1000, 100_000} {
		n := 60_000
		if window < 1000 {
			n = 200
		}
		req := sh("seq 1 " + map[bool]string{true: "200", false: "60000"}[n == 200] + "; printf '€😀é€' >&2")
		a, got := r.windowed(window, req, (*acker).ackAll)
		res := <-got
		want := exactSeq(n)
		if sha256.Sum256([]byte(a.text(Stdout))) != sha256.Sum256(want) || a.text(Stderr) != "€😀é€" || len(a.gaps) > 0 {
			t.Errorf("window %d: %d bytes, %q, %+v", window, len(a.text(Stdout)), a.text(Stderr), a.gaps)
		}
		if a.most > window || res.Output[Stdout].StreamedBytes != int64(len(want)) {
			t.Errorf("window %d: %d on the way; %+v", window, a.most, res.Output[Stdout])
		}
	}
}

// A chunk is cut to the window, and a character only where the window is smaller
// than it.
func TestWindowCutsChunks(t *testing.T) {
	r := newRig(t, waiting(time.Minute))
	for _, window := range []int64{2, 10} {
		a, got := r.windowed(window, sh("printf '€€€€€€€€'"), (*acker).ackAll)
		<-got
		if a.text(Stdout) != strings.Repeat("€", 8) {
			t.Errorf("%q", a.text(Stdout))
		}
		for _, c := range a.chunks {
			if int64(len(c.Bytes)) > window || c.Text != (window == 10) {
				t.Errorf("window %d: %q text=%v", window, c.Bytes, c.Text)
			}
		}
	}
}

func TestAckThatIsLostHeals(t *testing.T) {
	r := newRig(t, waiting(time.Minute))
	n := 0
	a, got := r.windowed(10_000, sh("seq 1 60000"), func(a *acker) {
		if n++; n%3 == 0 || a.received() >= 9_000 { // the others are lost
			a.ackAll()
		}
	})
	<-got
	if a.text(Stdout) != string(exactSeq(60000)) {
		t.Errorf("%d bytes, %+v", len(a.text(Stdout)), a.gaps)
	}
}

func TestAckThatSaysNothingNewIsIgnored(t *testing.T) {
	c := newCredit(100, time.Minute)
	c.spend(80)
	for _, tt := range []struct {
		n  int64
		ok bool
	}{{-1, false}, {81, false}, {1 << 62, false}, {50, true}, {50, true}, {49, false}, {0, false}, {80, true}} {
		if got := c.ack(tt.n); got != tt.ok {
			t.Errorf("%d: %v", tt.n, got)
		}
	}
	if n, idle := c.left(1000); n != 100 || !idle {
		t.Errorf("%d left", n)
	}
	r := newRig(t, keeping)
	r.echo("a")
	if r.e.Ack("a", 2) || r.e.Ack("never", 0) {
		t.Error("there was nothing to acknowledge")
	}
}

func TestWindowHoldsUpNoCancelAndNoTimeout(t *testing.T) {
	r := newRig(t, waiting(time.Minute))
	r.e.conf.Limits.DrainMax = 200 * time.Millisecond
	a, got := r.windowed(1000, sh("yes"), nil)
	a.await(1000)
	begin := time.Now()
	a.run.Cancel(Cancelled, false)
	res := <-got
	if took := time.Since(begin); res.Reason != Cancelled || took > atOnce {
		t.Errorf("%s after %s", res.Reason, took)
	}
	o := res.Output[Stdout]
	if len(a.gaps) != 1 || a.gaps[0].Reason != "slowClient" || a.gaps[0].From != 1000 || a.gaps[0].To != o.TotalBytes || o.StreamedBytes != 1000 {
		t.Errorf("%+v %+v", a.gaps, o)
	}
	req := sh("yes")
	r.e.conf.Limits.AckWait = 300 * time.Millisecond
	for full := false; !full; req.Timeout *= 2 { // where the machine stood still, it had no time
		req.Timeout = max(req.Timeout, 200*time.Millisecond)
		a, got = r.windowed(1000, req, nil)
		res = <-got
		full = a.received() == 1000 || req.Timeout > time.Minute
	}
	if res.Reason != TimedOut || res.Duration > atOnce || a.received() != 1000 {
		t.Errorf("%+v", res)
	}
}

// A client that never acknowledges gets the result all the same, and can read the rest.
func TestWindowOfAClientThatNeverAcksEnds(t *testing.T) {
	r := newRig(t, waiting(100*time.Millisecond))
	req := sh("seq 1 60000")
	req.ID = "a"
	a, got := r.windowed(5000, req, nil)
	res := <-got
	want := exactSeq(60000)
	if res.Reason != Exited || a.received() != 5000 || len(a.gaps) != 1 || a.gaps[0].Reason != "slowClient" || a.gaps[0].To != int64(len(want)) {
		t.Errorf("%d bytes, %+v", a.received(), a.gaps)
	}
	if all := r.readAll("a", Stdout, ReadRequest{Max: 1 << 20}); sha256.Sum256(all) != sha256.Sum256(want) {
		t.Errorf("%d bytes to read", len(all))
	}
}

func TestWindowAndShutdownWaitForNobody(t *testing.T) {
	r := newRig(t, waiting(time.Minute))
	running, one := r.windowed(1000, sh("yes"), nil)
	over, two := r.windowed(1000, sh("seq 1 1000"), nil)
	running.await(1000)
	over.await(1000)
	for r.e.Stats().Running > 1 {
		time.Sleep(5 * time.Millisecond)
	}
	begin := time.Now()
	r.e.Stop(Shutdown, time.Second)
	if a, b := (<-one).Reason, (<-two).Reason; a != Shutdown || b != Exited || time.Since(begin) > atOnce {
		t.Errorf("%s, %s after %s", a, b, time.Since(begin))
	}
	for _, a := range []*acker{running, over} {
		if len(a.gaps) != 1 || a.gaps[0].Reason != "slowClient" {
			t.Errorf("%+v", a.gaps)
		}
	}
}

// A command that waits for acks has ended: its slot is the next one's, and a cancel
// ends the waiting.
func TestWindowHoldsUpNoOtherCommand(t *testing.T) {
	r := newRig(t, func(c *Config) {
		waiting(time.Minute)(c)
		c.Limits.MaxConcurrent, c.Limits.DrainMax = 1, 100*time.Millisecond
	})
	a, got := r.windowed(1000, sh("seq 1 1000"), nil)
	a.await(1000)
	if res, _ := r.must(sh("echo next")); string(res.Output[Stdout].Inline) != "next\n" {
		t.Errorf("%+v", res)
	}
	if state, did := a.run.Cancel(Cancelled, false); state != StateRunning || did {
		t.Errorf("%s %v", state, did)
	}
	if res := <-got; res.Reason != Exited || len(a.gaps) != 1 {
		t.Errorf("%+v", res)
	}
}

// The rest of the budget is a gap of its own kind, also in front of a closed window.
func TestWindowAndBudgetAreNamedApart(t *testing.T) {
	r := newRig(t, waiting(50*time.Millisecond))
	req := sh("seq 1 1000")
	req.Output.StreamMaxBytes = 1000
	a, got := r.windowed(1000, req, nil)
	<-got
	if len(a.gaps) != 1 || a.gaps[0].Reason != "streamBudget" {
		t.Errorf("%+v", a.gaps)
	}
	req.Output.StreamMaxBytes = 2000
	a, got = r.windowed(1000, req, nil)
	<-got
	if len(a.gaps) != 1 || a.gaps[0].Reason != "slowClient" || a.gaps[0].From != 1000 {
		t.Errorf("%+v", a.gaps)
	}
}

// A hole costs no credit: it goes out in front of what waits for some.
func TestWindowLetsGapsPass(t *testing.T) {
	r := newRig(t, waiting(100*time.Millisecond))
	req := sh("seq 1 100000")
	req.Output.SpoolMaxBytes, req.Output.SpoolTailBytes = 1000, 100
	a, got := r.windowed(900, req, nil)
	res := <-got
	if o := res.Output[Stdout]; o.StreamedBytes > 1000 || len(a.gaps) == 0 || o.StreamedBytes+o.DroppedBytes != o.TotalBytes {
		t.Errorf("%+v %+v", o, a.gaps)
	}
}
