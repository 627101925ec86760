//go:build unix

package jsonrpc

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/sourcegraph/conc"
)

// bodies reads n messages.
func bodies(t *testing.T, r io.Reader, framing Framing, n int) (all []string) {
	t.Helper()
	in := framing.Packets(r, 1<<20)
	for range n {
		p, err := in.Next()
		must(t, err)
		all = append(all, string(p.Body))
	}
	return all
}

// An answer leaves without the Writer's goroutine, which is not even running.
func TestDirectAnswerNeedsNoOtherGoroutine(t *testing.T) {
	r, out := openPipe(t)
	defer r.Close()
	defer out.Close()
	w := NewWriter(out, FramingHeader, func(err error) { t.Error(err) })
	must(t, w.Send(text("one")))
	must(t, w.Send(text("two")))
	if got := fmt.Sprint(bodies(t, r, FramingHeader, 2)); got != "[one two]" || w.Queued() != 0 {
		t.Errorf("%s, %d wait", got, w.Queued())
	}
}

// So does a small piece of output; a large one is the Writer's, which writes it while
// the next is being made.
func TestDirectOutputIsSmall(t *testing.T) {
	r, out := openPipe(t)
	defer r.Close()
	defer out.Close()
	w := NewWriter(out, FramingHeader, func(err error) { t.Error(err) })
	l := w.Lane()
	must(t, l.Send(text("drop")))
	l.Join() // waits for nothing
	if got := fmt.Sprint(bodies(t, r, FramingHeader, 1)); got != "[drop]" || w.Queued() != 0 {
		t.Errorf("%s, %d wait", got, w.Queued())
	}
	must(t, w.Lane().Send(text(strings.Repeat("x", directMost))))
	if w.Queued() != 1 {
		t.Errorf("%d wait", w.Queued())
	}
}

// A pipe that takes a part of a frame gets the rest of it before anything else.
func TestDirectLeavesTheRestOfAFrameInFront(t *testing.T) {
	for _, framing := range []Framing{FramingHeader, FramingLines} {
		r, out := openPipe(t)
		w := NewWriter(out, framing, func(err error) { t.Error(err) })
		long := strings.Repeat("long ", 100_000) + "!" // more than any pipe holds
		must(t, w.Send(text(long)))
		must(t, w.Send(text("after")))
		l := w.Lane()
		must(t, l.Send(text("bulk")))
		if w.Queued() != 3 {
			t.Fatalf("%d wait", w.Queued())
		}
		var scope conc.WaitGroup
		scope.Go(w.Run)
		got := bodies(t, r, framing, 3)
		w.Close()
		scope.Wait()
		if got[0] != long || got[1] != "after" || got[2] != "bulk" {
			t.Errorf("%s: %d bytes, %.20q, %.20q", framing, len(got[0]), got[1], got[2])
		}
		_ = r.Close()
		_ = out.Close()
	}
}

// What is sent while somebody writes directly is found by the Writer.
func TestDirectLosesNothingOfManySenders(t *testing.T) {
	r, out := openPipe(t)
	defer r.Close()
	defer out.Close()
	w := NewWriter(out, FramingHeader, func(err error) { t.Error(err) })
	var writer, senders conc.WaitGroup
	writer.Go(w.Run)
	const each, many = 300, 8
	for n := range many {
		senders.Go(func() {
			l := w.Lane()
			for i := range each {
				w.waitRoom()
				must(t, w.Send(text(fmt.Sprintf("%d:%d %s", n, i, strings.Repeat("x", i*10)))))
				must(t, l.Send(text("bulk")))
			}
			l.Join()
		})
	}
	last := map[string]int{}
	for _, b := range bodies(t, r, FramingHeader, 2*each*many) {
		var n string
		var i int
		if _, err := fmt.Sscanf(strings.Replace(b, ":", " ", 1), "%s %d", &n, &i); b == "bulk" || err != nil {
			continue
		}
		if i != last[n] {
			t.Fatalf("sender %s: %d after %d", n, i, last[n]-1)
		}
		last[n]++
	}
	senders.Wait()
	w.Close()
	writer.Wait()
	for n := range many {
		if last[fmt.Sprint(n)] != each {
			t.Errorf("%d of sender %d", last[fmt.Sprint(n)], n)
		}
	}
}

// A client that is gone is noticed by the Writer, once.
func TestDirectLeavesErrorsToTheWriter(t *testing.T) {
	r, out := openPipe(t)
	defer out.Close()
	must(t, r.Close())
	gone := make(chan error, 10)
	w := NewWriter(out, FramingHeader, func(err error) { gone <- err })
	must(t, w.Send(text("lost")))
	must(t, w.Send(text("lost, too")))
	w.Run()
	if err := w.Send(text("later")); err == nil || len(gone) != 1 {
		t.Errorf("%v; told %d times", err, len(gone))
	}
}

// A write to a file or a terminal could hold up the reader.
func TestDirectOnlyWhereNothingWaits(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	must(t, err)
	defer f.Close()
	if attempts(f) != nil || attempts(io.Discard) != nil {
		t.Error("not a pipe")
	}
}
