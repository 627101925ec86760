package jsonrpc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/sourcegraph/conc"
)

// stalling is a client that reads one frame for each tick.
type stalling struct {
	tick chan struct{}
	got  chan string
	err  error
}

func newStalling() *stalling {
	return &stalling{tick: make(chan struct{}, 10000), got: make(chan string, 10000)}
}

func (s *stalling) Write(p []byte) (int, error) {
	s.got <- string(p)
	<-s.tick
	return len(p), s.err
}

// body is what one Write brought: exactly one frame.
func (s *stalling) body(t *testing.T) string {
	t.Helper()
	select {
	case p := <-s.got:
		r := bufio.NewReader(strings.NewReader(p))
		h, err := readHeader(r)
		rest, _ := io.ReadAll(r)
		if err != nil || int64(len(rest)) != h.length {
			t.Fatalf("not one frame: %q", p)
		}
		return string(rest)
	case <-time.After(patience):
		t.Fatal("nothing written")
		return ""
	}
}

func text(s string) *Frame {
	f := NewFrame()
	f.Buf = append(f.Buf, s...)
	return f
}

func runWriter(t *testing.T, out io.Writer) (*Writer, *conc.WaitGroup) {
	t.Helper()
	w := NewWriter(out, FramingHeader, func(error) {})
	scope := new(conc.WaitGroup)
	scope.Go(w.Run)
	return w, scope
}

func TestFrameIsOneBuffer(t *testing.T) {
	f := text(strings.Repeat("x", 1234))
	if got := string(f.seal()); got != "Content-Length: 1234\r\n\r\n"+strings.Repeat("x", 1234) {
		t.Fatalf("%.60q", got)
	}
}

func TestControlBeforeBulkAndBulkInTurn(t *testing.T) {
	out := newStalling()
	w, scope := runWriter(t, out)
	first := w.Lane()
	must(t, first.Send(text("first 0"))) // taken at once, and stuck
	for len(out.got) == 0 {
		time.Sleep(time.Millisecond)
	}
	a, b := w.Lane(), w.Lane()
	var senders conc.WaitGroup
	for name, l := range map[string]*Lane{"a": a, "b": b} {
		senders.Go(func() {
			for i := range 3 {
				must(t, l.Send(text(fmt.Sprint(name, " ", i))))
			}
		})
	}
	for w.Queued() < 2 {
		time.Sleep(time.Millisecond)
	}
	must(t, w.Send(text("control")))
	var order []string
	for i := range 8 {
		order = append(order, out.body(t))
		// The lane that was served gets in line again while it has more.
		for end := time.Now().Add(patience); w.Queued() < min(2, 7-i) && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		out.tick <- struct{}{}
	}
	senders.Wait()
	w.Close()
	scope.Wait()
	if order[0] != "first 0" || order[1] != "control" {
		t.Fatalf("control came late: %q", order)
	}
	for i := 2; i < 8; i += 2 {
		if order[i][2] != order[i+1][2] || order[i][0] == order[i+1][0] {
			t.Fatalf("not in turn: %q", order)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// A lane holds one frame however long the client doesn't read.
func TestLaneHoldsOneFrame(t *testing.T) {
	out := newStalling()
	w, scope := runWriter(t, out)
	l := w.Lane()
	sent := make(chan int, 100)
	var sender conc.WaitGroup
	sender.Go(func() {
		for i := range 10 {
			if l.Send(text("x")) != nil {
				return
			}
			sent <- i
		}
	})
	for began := time.Now(); len(sent) < 2 && time.Since(began) < patience; {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(50 * time.Millisecond)
	if n := len(sent); n != 2 { // one being written, one queued
		t.Errorf("%d frames accepted", n)
	}
	w.RefuseLanes()
	sender.Wait()
	close(out.tick)
	w.Close()
	scope.Wait()
}

func TestJoinWaitsForTheLane(t *testing.T) {
	out := newStalling()
	w, scope := runWriter(t, out)
	l := w.Lane()
	must(t, l.Send(text("1")))
	must(t, l.Send(text("2")))
	joined := make(chan struct{})
	var waiter conc.WaitGroup
	waiter.Go(func() {
		l.Join()
		must(t, w.Send(text("answer")))
		close(joined)
	})
	time.Sleep(20 * time.Millisecond)
	select {
	case <-joined:
		t.Error("joined while a frame was queued")
	default:
	}
	close(out.tick)
	for _, want := range []string{"1", "2", "answer"} {
		if got := out.body(t); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	waiter.Wait()
	w.Close()
	scope.Wait()
	if len(w.lanes) != 0 {
		t.Error("the lane is still known")
	}
}

func TestFirstWriteErrorIsTheLast(t *testing.T) {
	out := newStalling()
	out.err = errors.New("EPIPE")
	gone := make(chan error, 10)
	w := NewWriter(out, FramingHeader, func(err error) { gone <- err })
	l := w.Lane()
	var scope conc.WaitGroup
	scope.Go(w.Run)
	must(t, w.Send(text("1")))
	must(t, w.Send(text("2")))
	out.tick <- struct{}{}
	if err := <-gone; !errors.Is(err, out.err) {
		t.Error(err)
	}
	scope.Wait()
	if err := w.Send(text("3")); !errors.Is(err, errGone) {
		t.Error(err)
	}
	if err := l.Send(text("4")); !errors.Is(err, errGone) {
		t.Error(err)
	}
	w.waitRoom()
	if len(out.got) != 1 || len(gone) != 0 {
		t.Errorf("%d writes after an error", len(out.got)-1)
	}
}

// Answers to a client that doesn't read are bounded by stopping to read from it.
func TestReaderWaitsForRoom(t *testing.T) {
	for name, f := range map[string]func() *Frame{
		"frames": func() *Frame { return text("x") },
		"bytes":  func() *Frame { return text(strings.Repeat("x", maxControlBytes/10)) },
	} {
		t.Run(name, func(t *testing.T) {
			out := newStalling()
			w, scope := runWriter(t, out)
			must(t, w.Send(text("stuck")))
			out.body(t)
			n := 0
			for ; n < 2*maxControlFrames; n++ {
				w.mu.Lock()
				full := len(w.control) >= maxControlFrames || w.bytes >= maxControlBytes
				w.mu.Unlock()
				if full {
					break
				}
				must(t, w.Send(f()))
			}
			if n > maxControlFrames+1 {
				t.Fatalf("%d frames", n)
			}
			room := make(chan struct{})
			scope.Go(func() { w.waitRoom(); close(room) })
			time.Sleep(20 * time.Millisecond)
			select {
			case <-room:
				t.Error("didn't wait")
			default:
			}
			close(out.tick)
			<-room
			w.Close()
			scope.Wait()
		})
	}
}

func TestStalledTellsHowLong(t *testing.T) {
	out := newStalling()
	w, scope := runWriter(t, out)
	must(t, w.Send(text("x")))
	time.Sleep(30 * time.Millisecond)
	if d := w.Stalled(); d < 10*time.Millisecond {
		t.Errorf("stalled %s", d)
	}
	close(out.tick)
	w.Close()
	scope.Wait()
	if d := w.Stalled(); d != 0 {
		t.Errorf("stalled %s after the end", d)
	}
}

func TestBigFramesDontStayInThePool(t *testing.T) {
	f := NewFrame()
	f.Buf = append(f.Buf, bytes.Repeat([]byte("x"), 2*keepFrame)...)
	f.Free()
	for range 10 {
		if g := NewFrame(); cap(g.Buf) > keepFrame {
			t.Fatal(cap(g.Buf))
		}
	}
}
