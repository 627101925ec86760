//go:build unix

package rpc

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
	in := framing.packets(r, MaxMessageBytes)
	for range n {
		p, err := in.next()
		must(t, err)
		all = append(all, string(p.body))
	}
	return all
}

// An answer leaves without the Writer's goroutine, which is not even running.
func TestDirectAnswerNeedsNoOtherGoroutine(t *testing.T) {
	r, out := pipe(t)
	defer r.Close()
	defer out.Close()
	w := newWriter(out, FramingHeader, func(err error) { t.Error(err) })
	must(t, w.send(text("one")))
	must(t, w.send(text("two")))
	if got := fmt.Sprint(bodies(t, r, FramingHeader, 2)); got != "[one two]" || w.queued() != 0 {
		t.Errorf("%s, %d wait", got, w.queued())
	}
}

// So does a small piece of output; a large one is the Writer's, which writes it while
// the next is being made.
func TestDirectOutputIsSmall(t *testing.T) {
	r, out := pipe(t)
	defer r.Close()
	defer out.Close()
	w := newWriter(out, FramingHeader, func(err error) { t.Error(err) })
	l := w.lane()
	must(t, l.send(text("drop")))
	l.join() // waits for nothing
	if got := fmt.Sprint(bodies(t, r, FramingHeader, 1)); got != "[drop]" || w.queued() != 0 {
		t.Errorf("%s, %d wait", got, w.queued())
	}
	must(t, w.lane().send(text(strings.Repeat("x", directMost))))
	if w.queued() != 1 {
		t.Errorf("%d wait", w.queued())
	}
}

// A pipe that takes a part of a frame gets the rest of it before anything else.
func TestDirectLeavesTheRestOfAFrameInFront(t *testing.T) {
	for _, framing := range []Framing{FramingHeader, FramingLines} {
		r, out := pipe(t)
		w := newWriter(out, framing, func(err error) { t.Error(err) })
		long := strings.Repeat("long ", 100_000) + "!" // more than any pipe holds
		must(t, w.send(text(long)))
		must(t, w.send(text("after")))
		l := w.lane()
		must(t, l.send(text("bulk")))
		if w.queued() != 3 {
			t.Fatalf("%d wait", w.queued())
		}
		var scope conc.WaitGroup
		scope.Go(w.run)
		got := bodies(t, r, framing, 3)
		w.close()
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
	r, out := pipe(t)
	defer r.Close()
	defer out.Close()
	w := newWriter(out, FramingHeader, func(err error) { t.Error(err) })
	var writer, senders conc.WaitGroup
	writer.Go(w.run)
	const each, many = 300, 8
	for n := range many {
		senders.Go(func() {
			l := w.lane()
			for i := range each {
				w.waitRoom()
				must(t, w.send(text(fmt.Sprintf("%d:%d %s", n, i, strings.Repeat("x", i*10)))))
				must(t, l.send(text("bulk")))
			}
			l.join()
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
	w.close()
	writer.Wait()
	for n := range many {
		if last[fmt.Sprint(n)] != each {
			t.Errorf("%d of sender %d", last[fmt.Sprint(n)], n)
		}
	}
}

// A client that is gone is noticed by the Writer, once.
func TestDirectLeavesErrorsToTheWriter(t *testing.T) {
	r, out := pipe(t)
	defer out.Close()
	must(t, r.Close())
	gone := make(chan error, 10)
	w := newWriter(out, FramingHeader, func(err error) { gone <- err })
	must(t, w.send(text("lost")))
	must(t, w.send(text("lost, too")))
	w.run()
	if err := w.send(text("later")); err == nil || len(gone) != 1 {
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
