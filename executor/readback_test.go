package executor

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/pillion-sidecar/pillion/executor/spool"
)

func keeping(c *Config) { c.Limits.Retention, c.Limits.RetainedExecs = time.Minute, 64 }

// read does one Read of a command's stream.
func (r *rig) read(id string, name Stream, q ReadRequest) (Piece, error) {
	r.t.Helper()
	rd, err := r.e.Reader(id, name)
	if err != nil {
		return Piece{}, err
	}
	defer rd.Close()
	if q.Max == 0 {
		q.Max = 64 << 10
	}
	return rd.Read(r.t.Context(), q)
}

func (r *rig) mustRead(id string, name Stream, q ReadRequest) Piece {
	r.t.Helper()
	p, err := r.read(id, name, q)
	if err != nil {
		r.t.Fatal(err)
	}
	return p
}

// readAll follows the offsets to the end of the stream.
func (r *rig) readAll(id string, name Stream, q ReadRequest) []byte {
	r.t.Helper()
	var all []byte
	for {
		p := r.mustRead(id, name, q)
		if p.Offset != q.Offset || len(p.Gaps) > 0 || p.Text && !utf8.Valid(p.Bytes) {
			r.t.Fatalf("asked for %d: %+v", q.Offset, p)
		}
		all = append(all, p.Bytes...)
		q.Offset += int64(len(p.Bytes))
		if p.EOF {
			return all
		}
		if len(p.Bytes) == 0 && q.Wait == 0 {
			r.t.Fatalf("no end at %d: %+v", q.Offset, p)
		}
	}
}

func TestReadReturnsEveryByteThatTheBudgetKeptBack(t *testing.T) {
	r := newRig(t, keeping)
	req := streamed("seq 1 60000; seq 1 1000 >&2")
	req.ID, req.Output.StreamMaxBytes = "a", 100_000
	res, rec := r.must(req)
	want := exactSeq(60000)
	if g := rec.gaps; len(g) != 1 || g[0].From != 100_000 || g[0].To != int64(len(want)) || res.Expires.IsZero() {
		t.Errorf("gaps %+v, expires %s", g, res.Expires)
	}
	for _, size := range []int{1000, 64 << 10, 1 << 20} {
		if got := r.readAll("a", Stdout, ReadRequest{Max: size}); sha256.Sum256(got) != sha256.Sum256(want) {
			t.Errorf("by %d: %d bytes, want %d", size, len(got), len(want))
		}
	}
	if got := r.readAll("a", Stderr, ReadRequest{}); !bytes.Equal(got, exactSeq(1000)) {
		t.Errorf("stderr: %d bytes", len(got))
	}
}

func TestReadOfARunningCommandFollowsIt(t *testing.T) {
	r := newRig(t, keeping)
	_, _, got := r.soon(Request{ID: "a", Command: "for i in 1 2 3 4 5; do echo $i; sleep 0.05; done", Output: OutputRequest{Stream: true}})
	if all := r.readAll("a", Stdout, ReadRequest{Wait: time.Minute}); string(all) != "1\n2\n3\n4\n5\n" {
		t.Errorf("%q", all)
	}
	<-got
	if p := r.mustRead("a", Stdout, ReadRequest{Offset: 8}); string(p.Bytes) != "5\n" || !p.EOF || p.Running || p.Total != 10 || p.First != 0 {
		t.Errorf("%+v", p)
	}
}

func TestReadNegativeOffsetCountsFromTheEnd(t *testing.T) {
	r := newRig(t, keeping)
	r.must(Request{ID: "a", Command: "printf 'one\\ntwo\\n'"})
	for off, want := range map[int64]string{-4: "two\n", -100: "one\ntwo\n", 4: "two\n", 8: "", 100: ""} {
		p := r.mustRead("a", Stdout, ReadRequest{Offset: off})
		if string(p.Bytes) != want || !p.EOF || p.Total != 8 || off < 100 && p.Offset != 8-int64(len(want)) {
			t.Errorf("%d: %+v", off, p)
		}
	}
}

func TestReadFromTheEndBeginsWithACharacter(t *testing.T) {
	for off, want := range map[int64]string{-1: "", -2: "", -3: "€", -4: "€", -5: "€", -6: "€€", -7: "a€€", -99: "a€€"} {
		s := over(t, &spool.Spool{Max: 100, Tail: 10}, "a€€")
		p, err := s.piece(s.start(ReadRequest{Offset: off}), ReadRequest{Max: 100})
		if err != nil || string(p.Bytes) != want || !p.EOF || p.Offset != 7-int64(len(want)) {
			t.Errorf("%d: %+v %v", off, p, err)
		}
		q := ReadRequest{Offset: off, Max: 100, Base64: true}
		if p, _ := s.piece(s.start(q), q); len(p.Bytes) != int(min(-off, 7)) || p.Text {
			t.Errorf("%d as base64: %+v", off, p)
		}
	}
	for text, want := range map[string]string{"\x82\x82a": "\x82a", "\xff\x82a": "\x82a", "\xf0\x9f\x98": "\x9f\x98"} {
		s := over(t, &spool.Spool{Max: 100, Tail: 10}, text)
		if p, _ := s.piece(s.start(ReadRequest{Offset: -2}), ReadRequest{Max: 100}); string(p.Bytes) != want || p.Text {
			t.Errorf("%q: %+v", text, p)
		}
	}
}

// over is a stream that has ended with these bytes.
func over(t *testing.T, s *spool.Spool, text string) *stream {
	t.Helper()
	s.Dir = t.TempDir()
	if s.Budget == nil {
		s.Budget = &spool.Budget{Limit: 1 << 30}
	}
	t.Cleanup(s.Close)
	s.Append([]byte(text))
	out := &stream{name: Stdout, spool: s, over: make(chan struct{})}
	close(out.over)
	return out
}

// Whatever the bytes and however small the pieces, they end and add up.
func TestReadNeverStandsStill(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	parts := []string{"a", "é", "€", "😀", "\xff", "\x82", "\xe2", "\xe2\x82", "\xf0\x9f\x98", "\x00", "\n"}
	for range 200 {
		var b strings.Builder
		for range rnd.IntN(40) {
			b.WriteString(parts[rnd.IntN(len(parts))])
		}
		s := over(t, &spool.Spool{Max: 1000, Tail: 100}, b.String())
		for size := 1; size < 9; size++ {
			var all []byte
			for steps := 0; ; steps++ {
				p, err := s.piece(int64(len(all)), ReadRequest{Max: size})
				if err != nil || len(p.Bytes) > size || len(p.Bytes) > 0 && p.Text != utf8.Valid(p.Bytes) || steps > b.Len() {
					t.Fatalf("%q by %d at %d: %+v %v", b.String(), size, len(all), p, err)
				}
				all = append(all, p.Bytes...)
				if p.EOF {
					break
				}
			}
			if string(all) != b.String() {
				t.Fatalf("%q by %d: %q", b.String(), size, all)
			}
		}
	}
}

func TestReadIsTextWhereItIsValid(t *testing.T) {
	s := over(t, &spool.Spool{Max: 100, Tail: 10}, "€€\xffa")
	for _, tt := range []struct {
		q    ReadRequest
		want string
		text bool
	}{
		{ReadRequest{Max: 5}, "€", true},
		{ReadRequest{Max: 6}, "€€", true},
		{ReadRequest{Max: 2}, "\xe2\x82", false},
		{ReadRequest{Max: 100}, "€€\xffa", false},
		{ReadRequest{Max: 5, Base64: true}, "€\xe2\x82", false},
	} {
		if p, err := s.piece(0, tt.q); err != nil || string(p.Bytes) != tt.want || p.Text != tt.text {
			t.Errorf("%+v: %q %v %v", tt.q, p.Bytes, p.Text, err)
		}
	}
}

func TestReadHoldsHalfACharacterBackUntilTheRestComes(t *testing.T) {
	r := newRig(t, keeping)
	_, _, got := r.soon(Request{ID: "a", Command: `printf 'a\342\202'; while [ ! -e go ]; do sleep 0.01; done; printf '\254\342'`, Output: OutputRequest{Stream: true, Base64: true}})
	p := r.mustRead("a", Stdout, ReadRequest{Wait: time.Minute})
	if string(p.Bytes) != "a" || !p.Text || p.EOF || !p.Running {
		t.Errorf("%+v", p)
	}
	if p := r.mustRead("a", Stdout, ReadRequest{Offset: 1, Wait: 50 * time.Millisecond}); len(p.Bytes) > 0 || p.Offset != 1 {
		t.Errorf("%+v", p)
	}
	r.touch("go")
	if p = r.mustRead("a", Stdout, ReadRequest{Offset: 1, Wait: time.Minute}); !strings.HasPrefix(string(p.Bytes), "€") {
		t.Errorf("%+v", p)
	}
	<-got
	if p = r.mustRead("a", Stdout, ReadRequest{Offset: 4}); string(p.Bytes) != "\xe2" || p.Text || !p.EOF {
		t.Errorf("%+v", p)
	}
}

func TestReadNamesTheHoleOfAFullSpool(t *testing.T) {
	var all strings.Builder
	for i := range 100 {
		fmt.Fprintf(&all, "%03d,", i)
	}
	text := all.String() // 400 bytes: head 60, hole, ring 40
	s := over(t, &spool.Spool{Max: 100, Tail: 40}, text)
	for size := 1; size < 70; size++ {
		at, gaps := int64(0), 0
		for steps := 0; steps < 300; steps++ {
			p, err := s.piece(at, ReadRequest{Max: size})
			if err != nil || string(p.Bytes) != text[p.Offset:p.Offset+int64(len(p.Bytes))] || p.First != 0 || p.Total != 400 {
				t.Fatalf("by %d at %d: %+v %v", size, at, p, err)
			}
			if p.Offset != at {
				if len(p.Gaps) != 1 || p.Gaps[0].From != at || p.Gaps[0].To != p.Offset || at != 60 || p.Offset != 360 {
					t.Fatalf("by %d at %d: %+v", size, at, p)
				}
				gaps++
			}
			if at = p.Offset + int64(len(p.Bytes)); p.EOF {
				break
			}
		}
		if at != 400 || gaps != 1 {
			t.Errorf("by %d: to %d with %d gaps", size, at, gaps)
		}
	}
	if p, err := s.piece(100, ReadRequest{Max: 5}); err != nil || len(p.Gaps) != 1 || p.Gaps[0].From != 100 || p.Offset != 360 {
		t.Errorf("inside the hole: %+v %v", p, err)
	}
}

func TestReadOfWhatNoDiskKeptIsOneGap(t *testing.T) {
	s := &stream{name: Stdout, spool: &spool.Spool{Dir: "/nonexistent", Max: 1 << 20, Tail: 40, Budget: &spool.Budget{Limit: 1 << 20}}, over: make(chan struct{})}
	s.spool.Append(make([]byte, 5000))
	close(s.over)
	if p, err := s.piece(0, ReadRequest{Max: 100}); err != nil || len(p.Gaps) != 1 || p.Gaps[0].To != 5000 || p.Offset != 5000 || !p.EOF || p.First != 5000 {
		t.Errorf("%+v %v", p, err)
	}
}

func TestReadWithoutWaitingReturnsAtOnce(t *testing.T) {
	r := newRig(t, keeping)
	run, _, got := r.soon(Request{ID: "a", Command: "echo up; sleep 600", Output: OutputRequest{Stream: true}})
	if p := r.mustRead("a", Stdout, ReadRequest{Offset: 3}); len(p.Bytes) > 0 || p.EOF || !p.Running || p.Total != 3 {
		t.Errorf("%+v", p)
	}
	begin := time.Now()
	if p := r.mustRead("a", Stdout, ReadRequest{Offset: 3, Wait: 100 * time.Millisecond}); len(p.Bytes) > 0 || p.EOF || time.Since(begin) < 90*time.Millisecond {
		t.Errorf("after %s: %+v", time.Since(begin), p)
	}
	run.Cancel(Cancelled, true)
	<-got
}

func TestReadWaitEndsWithTheCommand(t *testing.T) {
	r := newRig(t, keeping)
	run, _, got := r.soon(Request{ID: "a", Command: "echo up; sleep 600", Output: OutputRequest{Stream: true}})
	done := make(chan Piece, 2)
	for _, name := range []Stream{Stdout, Stderr} {
		go func() {
			p, err := r.read("a", name, ReadRequest{Offset: 3, Wait: time.Minute})
			if err != nil {
				t.Error(err)
			}
			done <- p
		}()
	}
	time.Sleep(50 * time.Millisecond)
	run.Cancel(Cancelled, true)
	for range 2 {
		if p := <-done; !p.EOF || len(p.Bytes) > 0 {
			t.Errorf("%+v", p)
		}
	}
	<-got
}

func TestReadWaitIsCancellable(t *testing.T) {
	r := newRig(t, keeping)
	run, _, got := r.soon(Request{ID: "a", Command: "echo up; sleep 600", Output: OutputRequest{Stream: true}})
	ctx, stop := context.WithCancel(t.Context())
	rd, err := r.e.Reader("a", Stdout)
	if err != nil {
		t.Fatal(err)
	}
	defer rd.Close()
	time.AfterFunc(50*time.Millisecond, stop)
	var cancelled *CancelledError
	if _, err := rd.Read(ctx, ReadRequest{Offset: 3, Max: 10, Wait: time.Minute}); !errors.As(err, &cancelled) || cancelled.Why != Cancelled {
		t.Errorf("%v", err)
	}
	run.Cancel(Cancelled, true)
	<-got
}

func TestReadOfAQueuedCommandWaitsForItsStart(t *testing.T) {
	r := newRig(t, keeping)
	one, err := r.admit(Request{ID: "one", Command: "echo hello"})
	if err != nil {
		t.Fatal(err)
	}
	two, err := r.admit(Request{ID: "two", Command: "echo hello"})
	if err != nil {
		t.Fatal(err)
	}
	if p := r.mustRead("one", Stdout, ReadRequest{Offset: -5, Wait: 10 * time.Millisecond}); p.EOF || !p.Running || p.Offset != 0 {
		t.Errorf("%+v", p)
	}
	type answer struct {
		p   Piece
		err error
	}
	answers := map[string]chan answer{"one": make(chan answer, 1), "two": make(chan answer, 1)}
	for id, c := range answers {
		rd, err := r.e.Reader(id, Stdout)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			defer rd.Close()
			p, err := rd.Read(t.Context(), ReadRequest{Max: 10, Wait: time.Minute})
			c <- answer{p, err}
		}()
	}
	two.Cancel(Cancelled, false)
	if _, err := two.Do(&record{t: t}); err == nil {
		t.Error("it ran")
	}
	var unknown *UnknownError
	if a := <-answers["two"]; !errors.As(a.err, &unknown) {
		t.Errorf("never started: %+v", a)
	}
	if _, err := one.Do(&record{t: t}); err != nil {
		t.Error(err)
	}
	if a := <-answers["one"]; a.err != nil || string(a.p.Bytes) != "hello\n" {
		t.Errorf("started: %+v", a)
	}
}

func TestReadOfMergedStreamsHasOneName(t *testing.T) {
	r := newRig(t, keeping)
	r.must(Request{ID: "a", Command: "echo out; echo err >&2", Output: OutputRequest{Merge: true}})
	if p := r.mustRead("a", Stdout, ReadRequest{}); string(p.Bytes) != "out\nerr\n" {
		t.Errorf("%+v", p)
	}
	var wrong *ParamError
	if _, err := r.read("a", Stderr, ReadRequest{}); !errors.As(err, &wrong) || wrong.Path != "/stream" {
		t.Errorf("%v", err)
	}
}

func TestReadOfATerminalHasItsOwnName(t *testing.T) {
	r := newRig(t, keeping)
	run, err := r.admit(Request{ID: "a", Command: "echo hi", Terminal: &Terminal{Rows: 24, Cols: 80}})
	if err != nil {
		t.Fatal(err)
	}
	var wrong *ParamError
	for range 2 { // while it waits, and when it is kept
		if _, err := r.read("a", Stdout, ReadRequest{}); !errors.As(err, &wrong) || wrong.Path != "/stream" || !strings.Contains(wrong.Expected, "pty") {
			t.Errorf("%v", err)
		}
		if p := r.mustRead("a", Pty, ReadRequest{}); p.Running != (p.Total == 0) {
			t.Errorf("%+v", p)
		}
		if p := r.mustRead("a", Pty, ReadRequest{}); p.EOF {
			if string(p.Bytes) != "hi\r\n" {
				t.Errorf("%+v", p)
			}
			return
		}
		if _, err := run.Do(&record{t: t}); err != nil {
			t.Fatal(err)
		}
	}
}

// The ring turns under a reader that is too slow for it: its bytes have the offset that it
// gets, and missing ones are named.
func TestReadOfATurningRingIsTrue(t *testing.T) {
	at := func(off int64) byte { return byte(off ^ off>>8 ^ off>>16) }
	s := &stream{name: Stdout, spool: &spool.Spool{Dir: t.TempDir(), Max: 5000, Tail: 3000, Budget: &spool.Budget{Limit: 1 << 20}}, over: make(chan struct{})}
	defer s.spool.Close()
	const total = 400_000
	go func() {
		defer close(s.over)
		for off := int64(0); off < total; {
			b := make([]byte, min(1+off%997, total-off))
			for i := range b {
				b[i] = at(off + int64(i))
			}
			s.spool.Append(b)
			off += int64(len(b))
		}
	}()
	for next, eof := int64(0), false; !eof; {
		p, err := s.piece(next, ReadRequest{Max: 700, Base64: true})
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range p.Bytes {
			if c != at(p.Offset+int64(i)) {
				t.Fatalf("a wrong byte at %d", p.Offset+int64(i))
			}
		}
		if (p.Offset != next) != (len(p.Gaps) == 1) || p.Total < p.Offset+int64(len(p.Bytes)) {
			t.Fatalf("asked for %d: %d bytes at %d, gaps %v, total %d", next, len(p.Bytes), p.Offset, p.Gaps, p.Total)
		}
		next, eof = p.Offset+int64(len(p.Bytes)), p.EOF
		if eof && next != total {
			t.Fatalf("the end is at %d", next)
		}
	}
}
