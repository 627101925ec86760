package executor

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/executor/spool"
)

// slowPipe is a command's end of its input that reads on request.
type slowPipe struct {
	r *io.PipeReader
	w *io.PipeWriter
}

func fedInput(text []byte) (*input, slowPipe, func()) {
	r, w := io.Pipe()
	in := newInput(text, true)
	in.begin()
	var fed sync.WaitGroup
	fed.Go(func() { in.feed(w) })
	return in, slowPipe{r, w}, func() { in.end(WriteFinished); _ = r.Close(); fed.Wait() }
}

func put(t *testing.T, in *input, w *Write) WriteResult {
	t.Helper()
	if err := in.admit("x", w); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	res, err := w.Wait(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// Every byte of writes of every size arrives once, in order, also when some are
// repeated, as a client does that lost an answer.
func TestInputIsByteExact(t *testing.T) {
	in, pipe, stop := fedInput([]byte("first"))
	defer stop()
	sent, got := sha256.New(), sha256.New()
	sent.Write([]byte("first"))
	var total int64 = 5
	done := make(chan int64)
	go func() { n, _ := io.Copy(got, pipe.r); done <- n }()
	for i := range 200 {
		data := bytes.Repeat([]byte{byte(i)}, rand.IntN(100_000))
		sent.Write(data)
		w := &Write{Data: data, Offset: total, Close: i == 199}
		res := put(t, in, w)
		if total += int64(len(data)); res.State != WriteAccepted || res.Offset != total || res.Accepted != int64(len(data)) {
			t.Fatalf("%d: %+v, want %d", i, res, total)
		}
		if i%3 == 0 && i < 199 {
			if res := put(t, in, &Write{Data: data, Offset: total - int64(len(data))}); res.Accepted != 0 || res.Offset != total {
				t.Fatalf("repeated: %+v", res)
			}
		}
	}
	if n := <-done; n != total || !bytes.Equal(sent.Sum(nil), got.Sum(nil)) {
		t.Errorf("%d of %d bytes, or others", n, total)
	}
}

// A command that does not read makes the write wait, and nothing grow; the queue after it
// is bounded.
func TestAWriteWaitsForAReader(t *testing.T) {
	in, pipe, stop := fedInput(nil)
	defer stop()
	big := &Write{Data: make([]byte, 3*inputQueue), Offset: -1}
	if err := in.admit("x", big); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	second := &Write{Data: []byte("behind"), Offset: -1}
	var full *StdinFullError
	if err := in.admit("x", second); !errors.As(err, &full) {
		t.Errorf("behind three times the queue: %v", err)
	}
	res, err := big.Wait(ctx) // its client gives up: what was taken stays
	if err != nil || res.Accepted == 0 || res.Accepted > inputQueue+spool.ReadSize {
		t.Errorf("%+v, %v", res, err)
	}
	go func() { _, _ = io.Copy(io.Discard, pipe.r) }()
	if res := put(t, in, &Write{Data: []byte("more"), Offset: res.Offset}); res.State != WriteAccepted {
		t.Errorf("%+v", res)
	}
}

func TestAWriteThatNothingWasTakenOfCanBeCancelled(t *testing.T) {
	in, _, stop := fedInput(nil)
	defer stop()
	if err := in.admit("x", &Write{Data: make([]byte, inputQueue+spool.ReadSize), Offset: -1}); err != nil {
		t.Fatal(err)
	}
	w := &Write{Data: []byte("x"), Offset: -1}
	if err := in.admit("x", w); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var cancelled *CancelledError
	if _, err := w.Wait(ctx); !errors.As(err, &cancelled) {
		t.Errorf("%v", err)
	}
}

// Cancelled in the same moment, it has no input to be withdrawn from.
func TestAWriteToACommandThatHasEndedIsAnsweredAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for range 100 {
		w := &Write{Data: []byte("late"), Offset: -1}
		w.finish()
		if res, err := w.Wait(ctx); err != nil || res.State != WriteFinished || res.Accepted != 0 {
			t.Fatalf("%+v, %v", res, err)
		}
	}
}

func TestBeforeTheStartLittleIsQueued(t *testing.T) {
	in := newInput(nil, true)
	if res := put(t, in, &Write{Data: make([]byte, inputEarly), Offset: -1}); res.State != WriteAccepted {
		t.Errorf("%+v", res)
	}
	var full *StdinFullError
	if err := in.admit("x", &Write{Data: []byte("x"), Offset: -1}); !errors.As(err, &full) {
		t.Errorf("%v", err)
	}
}

func TestTheInputOfACommandThatEndsIsFinished(t *testing.T) {
	r := newRig(t, nil)
	run, err := r.e.Admit(Request{ID: "a", Command: "read x; exit 3", StdinOpen: true}, r.f, 1)
	if err != nil {
		t.Fatal(err)
	}
	w := &Write{Data: []byte("y\n"), Offset: -1} // before it has started
	if err := r.e.Write("a", w); err != nil {
		t.Fatal(err)
	}
	res, err := run.Do(&record{})
	if err != nil || res.ExitCode == nil || *res.ExitCode != 3 {
		t.Fatalf("%+v, %v", res, err)
	}
	if done, err := w.Wait(context.Background()); err != nil || done.State != WriteAccepted || done.Accepted != 2 {
		t.Errorf("%+v, %v", done, err)
	}
	late := &Write{Data: []byte("late"), Offset: -1}
	if err := run.input.admit("a", late); err != nil {
		t.Fatal(err)
	}
	if done, err := late.Wait(context.Background()); err != nil || done.State != WriteFinished || done.Accepted != 0 {
		t.Errorf("%+v, %v", done, err)
	}
}

// Two commands, one of which does not read: the other one's input is not held up.
func TestAStuckInputHoldsNobodyUp(t *testing.T) {
	r := newRig(t, nil)
	type end struct {
		res *Result
		err error
	}
	begun := make(chan bool, 1)
	begin := func(id, command string) chan end {
		run, err := r.e.Admit(Request{ID: id, Command: command, StdinOpen: true, Output: OutputRequest{Stream: id == "stuck"}}, r.f, 1)
		if err != nil {
			t.Fatal(err)
		}
		ends := make(chan end, 1)
		rec := &record{t: t, out: map[Stream]*strings.Builder{}, onOut: func() { begun <- true }}
		go func() { res, err := run.Do(rec); ends <- end{res, err} }()
		return ends
	}
	stuck := begin("stuck", "echo up; sleep 600")
	<-begun // cancelled before that, it would be an error
	well := begin("well", "wc -c")
	for i := range 40 {
		_ = r.e.Write("stuck", &Write{Data: make([]byte, 1<<16), Offset: -1})
		w := &Write{Data: []byte(strings.Repeat("x", 1000)), Offset: -1, Close: i == 39}
		if err := r.e.Write("well", w); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case e := <-well:
		if got := string(e.res.Output[Stdout].Inline); e.err != nil || got != fmt.Sprintln(40_000) {
			t.Errorf("%q, %v", got, e.err)
		}
	case <-time.After(time.Minute):
		t.Error("held up")
	}
	if n := r.e.CancelAll(); n != 1 {
		t.Errorf("%d cancelled", n)
	}
	if e := <-stuck; e.err != nil || e.res.Reason != Cancelled {
		t.Errorf("%+v", e)
	}
}
