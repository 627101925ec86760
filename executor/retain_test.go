package executor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// spoolFiles counts this process's open files in the spool directory, which have
// no name there.
func (r *rig) spoolFiles() int {
	r.t.Helper()
	n := 0
	fds, _ := filepath.Glob("/proc/self/fd/*")
	for _, fd := range fds {
		if to, err := os.Readlink(fd); err == nil && strings.HasPrefix(to, r.e.conf.SpoolDir) {
			n++
		}
	}
	return n
}

func (r *rig) expired(id string) *ExpiredError {
	r.t.Helper()
	var e *ExpiredError
	if _, err := r.read(id, Stdout, ReadRequest{}); !errors.As(err, &e) {
		r.t.Errorf("%s: %v, want that it has expired", id, err)
		return &ExpiredError{}
	}
	return e
}

func (r *rig) unknown(id string) {
	r.t.Helper()
	var e *UnknownError
	if _, err := r.read(id, Stdout, ReadRequest{}); !errors.As(err, &e) || e.ID != id {
		r.t.Errorf("%s: %v, want that it is unknown", id, err)
	}
}

// echo runs a command whose stdout is its id, kept in memory, and whose stderr is a
// file.
func (r *rig) echo(id string) *Result {
	r.t.Helper()
	res, _ := r.must(Request{ID: id, Command: "echo " + id + "; head -c 5000 /dev/zero >&2"})
	return res
}

func TestRetentionKeepsOutputForItsTime(t *testing.T) {
	r := newRig(t, keeping)
	end := time.Now()
	res := r.echo("a")
	if res.Expires.Before(end.Add(time.Minute)) || res.Expires.After(time.Now().Add(time.Minute)) {
		t.Errorf("expires %s, ended after %s", res.Expires, end)
	}
	if p := r.mustRead("a", Stdout, ReadRequest{}); string(p.Bytes) != "a\n" || p.Running {
		t.Errorf("%+v", p)
	}
	if n := r.spoolFiles(); n != 1 {
		t.Errorf("%d files", n)
	}
	r = newRig(t, func(c *Config) { c.Limits.Retention, c.Limits.RetainedExecs = 200*time.Millisecond, 64 })
	res = r.echo("a")
	for deadline := time.Now().Add(time.Minute); r.spoolFiles() > 0; {
		if time.Now().After(deadline) {
			t.Fatal("the output stays")
		}
		time.Sleep(10 * time.Millisecond)
	}
	if time.Now().Before(res.Expires) {
		t.Error("evicted too early")
	}
	if e := r.expired("a"); e.Total != 2 || e.At.Before(res.Expires) {
		t.Errorf("%+v", e)
	}
	r.echo("a") // its id is free again
	r.unknown("never")
}

// Only output is kept. What the request brought was kept with it: up to a message's
// limit of input for each of the commands whose output is.
func TestRetentionKeepsNoInput(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Limits.Retention, c.Limits.RetainedExecs = time.Minute, 64 })
	const each, n = 4 << 20, 8
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	r.must(sh("true"))
	before := heap()
	for i := range n {
		req := streamed("echo x")
		if req.Stdin = make([]byte, each); i%2 == 0 {
			req.Output.OnSpoolFull = Terminate
		}
		r.must(req)
	}
	// What wrote the last inputs may still be about to end.
	for begin := time.Now(); heap()-before > each*n/4; time.Sleep(5 * time.Millisecond) {
		if time.Since(begin) > atOnce {
			t.Fatalf("%d KiB of %d are kept", (heap()-before)>>10, each*n>>10)
		}
	}
	if kept := r.e.shelf.kept.len(); kept != n+1 {
		t.Errorf("the output of %d commands is kept", kept)
	}
}

func TestRetentionOfZeroKeepsNothing(t *testing.T) {
	for _, none := range []func(*Config){
		func(c *Config) { c.Limits.Retention, c.Limits.RetainedExecs = 0, 64 },
		func(c *Config) { c.Limits.Retention, c.Limits.RetainedExecs = time.Minute, 0 },
	} {
		r := newRig(t, none)
		if res := r.echo("a"); !res.Expires.IsZero() {
			t.Errorf("expires %s", res.Expires)
		}
		r.expired("a")
		r.echo("a")
		if n := r.spoolFiles(); n != 0 || len(r.e.List(true)) != 0 {
			t.Errorf("%d files", n)
		}
	}
}

func TestRetainedOldestIsEvictedFirst(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Limits.Retention, c.Limits.RetainedExecs = time.Minute, 2 })
	for _, id := range []string{"a", "b", "c"} {
		r.echo(id)
	}
	r.expired("a")
	if got := r.readAll("b", Stdout, ReadRequest{}); string(got) != "b\n" {
		t.Errorf("%q", got)
	}
	c := r.e.conf
	c.Limits.RetainedExecs = 1
	r.e.With(c)
	r.expired("b")
	r.mustRead("c", Stdout, ReadRequest{})
	if n := r.spoolFiles(); n != 1 {
		t.Errorf("%d files", n)
	}
}

// Output that can still be read is worth less than output that is being written.
func TestRetainedOutputMakesRoomForARunningCommand(t *testing.T) {
	r := newRig(t, func(c *Config) { keeping(c); c.Limits.SpoolTotalBytes = 300_000 })
	for _, id := range []string{"a", "b"} {
		r.must(Request{ID: id, Command: "head -c 120000 /dev/zero"})
	}
	r.echo("small")
	res, _ := r.must(Request{ID: "c", Command: "head -c 170000 /dev/zero"})
	r.expired("a")
	for id, want := range map[string]int{"b": 120_000, "c": 170_000, "small": 6} {
		if got := r.readAll(id, Stdout, ReadRequest{}); len(got) != want {
			t.Errorf("%s: %d bytes", id, len(got))
		}
	}
	if s := r.e.Stats(); s.SpoolBytes > 300_000 || res.Expires.IsZero() {
		t.Errorf("%+v", s)
	}
	r.must(Request{ID: "d", Command: "head -c 299000 /dev/zero"})
	for _, id := range []string{"b", "c"} {
		r.expired(id)
	}
	if got := r.readAll("d", Stdout, ReadRequest{}); len(got) != 299_000 {
		t.Errorf("d: %d bytes", len(got))
	}
}

func TestRetainedIDIsADuplicate(t *testing.T) {
	r := newRig(t, keeping)
	r.echo("a")
	var dup *DuplicateError
	if _, err := r.admit(Request{ID: "a", Command: "true"}); !errors.As(err, &dup) || dup.State != StateFinished || !strings.Contains(err.Error(), "release") {
		t.Errorf("%v", err)
	}
	if state, did := r.e.Cancel("a", 0, true); state != StateFinished || did {
		t.Errorf("cancel: %s %v", state, did)
	}
}

func TestRetainedAreListedOnDemand(t *testing.T) {
	r := newRig(t, keeping)
	res := r.echo("a")
	r.echo("b")
	if l := r.e.List(false); len(l) != 0 {
		t.Errorf("%+v", l)
	}
	l := r.e.List(true)
	if len(l) != 2 || l[0].ID != "a" || l[1].ID != "b" || l[0].State != StateFinished || l[0].TotalBytes != 5002 || !l[0].Expires.Equal(res.Expires) || !strings.HasPrefix(l[0].Command, "echo a;") {
		t.Errorf("%+v", l)
	}
}

func TestReleaseFreesOutputAndID(t *testing.T) {
	r := newRig(t, keeping)
	r.echo("a")
	if !r.e.Release("a") || r.e.Release("a") || r.e.Release("never") {
		t.Error("released once, and only what there is")
	}
	r.unknown("a")
	if n := r.spoolFiles(); n != 0 || r.e.Stats().SpoolBytes != 0 {
		t.Errorf("%d files, %d bytes", n, r.e.Stats().SpoolBytes)
	}
	r.echo("a")
}

func TestReleaseLeavesARunningCommandAlone(t *testing.T) {
	r := newRig(t, keeping)
	run, _, got := r.soon(Request{ID: "a", Command: "echo up; until [ -e go ]; do sleep 0.01; done", Output: OutputRequest{Stream: true}})
	if r.e.Release("a") {
		t.Error("released")
	}
	r.touch("go")
	if res := <-got; res.Reason != Exited || run.ID() != "a" {
		t.Errorf("%+v", res)
	}
	r.mustRead("a", Stdout, ReadRequest{})
}

// Requests are applied in the order they came in: a read before a release reads.
func TestReleaseWaitsForTheReadsBeforeIt(t *testing.T) {
	r := newRig(t, keeping)
	r.must(Request{ID: "a", Command: "echo a; head -c 5000 /dev/zero"})
	rd, err := r.e.Reader("a", Stdout)
	if err != nil {
		t.Fatal(err)
	}
	if !r.e.Release("a") {
		t.Error("not released")
	}
	r.unknown("a")
	r.echo("a") // another one of that id
	if p, err := rd.Read(t.Context(), ReadRequest{Max: 2}); err != nil || string(p.Bytes) != "a\n" || p.Total != 5002 {
		t.Errorf("%+v %v", p, err)
	}
	if n := r.spoolFiles(); n != 2 {
		t.Errorf("%d files", n)
	}
	rd.Close()
	if n := r.spoolFiles(); n != 1 {
		t.Errorf("%d files after the read", n)
	}
}

func TestRetainedOutputIsFreedAtStop(t *testing.T) {
	r := newRig(t, keeping)
	for i := range 5 {
		r.echo(fmt.Sprint("e", i))
	}
	if n := r.spoolFiles(); n != 5 {
		t.Errorf("%d files", n)
	}
	_, _, got := r.soon(Request{ID: "a", Command: "echo up; sleep 600", Output: OutputRequest{Stream: true}})
	r.e.Stop(Shutdown, 0)
	if res := <-got; !res.Expires.IsZero() {
		t.Errorf("kept until %s", res.Expires)
	}
	if n := r.spoolFiles(); n != 0 || r.e.Stats().SpoolBytes != 0 {
		t.Errorf("%d files, %d bytes", n, r.e.Stats().SpoolBytes)
	}
}

func TestRetainedNothingOfACommandThatNeverStarted(t *testing.T) {
	r := newRig(t, keeping)
	if _, _, err := r.run(Request{ID: "a", Argv: []string{"no-such-program-here"}}); err == nil {
		t.Fatal("started")
	}
	r.unknown("a")
}

// Ids that have expired are remembered, but not all of a long session.
func TestRetainedIDsAreForgottenInTheEnd(t *testing.T) {
	s := new(shelf)
	for i := range maxDeparted + 10 {
		s.add(&kept{info: Info{ID: fmt.Sprint(i % (maxDeparted + 5))}})
	}
	var expired *ExpiredError
	var unknown *UnknownError
	for id, want := range map[string]any{"0": &expired, "4": &expired, "5": &unknown, "10": &expired, fmt.Sprint(maxDeparted): &expired, "x": &unknown} {
		if err := s.hold(&Reader{id: id}); !errors.As(err, want) {
			t.Errorf("%s: %v", id, err)
		}
	}
	if n := s.gone.len(); n != maxDeparted || len(s.gone.ids) != n {
		t.Errorf("%d remembered, of %d ids", n, len(s.gone.ids))
	}
}
