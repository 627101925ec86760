package executor

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// busyClient takes nothing for a while: those that wait for it wait.
type busyClient struct {
	*record
	free bool
}

func (c busyClient) Free() bool { return c.free }

// Reading a pipe never waits for the client: with one that is busy, first bytes take
// the way of all others.
func TestFirstBytesOfABusyClientAreThePumps(t *testing.T) {
	r := newRig(t, nil)
	for _, free := range []bool{true, false} {
		rec := &record{t: t, out: map[Stream]*strings.Builder{}}
		rec.onOut = func() { r.touch(fmt.Sprintf("%v%d", free, len(rec.chunks))) }
		run, err := r.admit(streamed(fmt.Sprintf("for i in 1 2 3 4 5; do echo $i; until [ -e %v$i ]; do sleep 0.01; done; done", free)))
		if err != nil {
			t.Fatal(err)
		}
		res, err := run.Do(busyClient{rec, free})
		if err != nil || rec.text(Stdout) != "1\n2\n3\n4\n5\n" || len(rec.chunks) != 5 || res.Output[Stdout].StreamedBytes != 10 {
			t.Errorf("free %v: %v, %d chunks, %q", free, err, len(rec.chunks), rec.text(Stdout))
		}
	}
}

// Later bytes are gathered, whichever goroutine delivered the first ones.
func TestWhatFollowsFirstBytesIsGathered(t *testing.T) {
	r := newRig(t, nil)
	req := streamed("echo 1; until [ -e go ]; do sleep 0.01; done; for i in 2 3 4 5 6 7 8 9; do echo $i; done")
	req.Output.Flush = time.Minute // until the command ends
	run, err := r.admit(req)
	if err != nil {
		t.Fatal(err)
	}
	rec := &record{t: t, out: map[Stream]*strings.Builder{}, onOut: sync.OnceFunc(func() { r.touch("go") })}
	if _, err := run.Do(rec); err != nil {
		t.Fatal(err)
	}
	if n := len(rec.chunks); n != 2 || rec.text(Stdout) != "1\n2\n3\n4\n5\n6\n7\n8\n9\n" {
		t.Errorf("%d chunks: %q", n, rec.text(Stdout))
	}
}

type brokenClient struct{ *record }

func (brokenClient) Output(Chunk) error { panic("a bug") }

// A bug of a client's side ends the command, wherever it is met.
func TestABugInDeliveryEndsTheCommand(t *testing.T) {
	r := newRig(t, nil)
	run, err := r.admit(streamed("sleep 0.1; echo up; sleep 30"))
	if err != nil {
		t.Fatal(err)
	}
	res, err := run.Do(brokenClient{&record{t: t}})
	if err != nil || res.Reason != InternalError {
		t.Errorf("%+v %v", res, err)
	}
}
