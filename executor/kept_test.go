package executor

import (
	"bytes"
	"os"
	"testing"
)

func TestFewBytesAreKeptWithoutAFile(t *testing.T) {
	r := newRig(t, keeping)
	res, _ := r.must(Request{ID: "few", Command: "head -c 4096 /dev/zero"})
	if n := r.spoolFiles(); n != 0 || res.Output[Stdout].TotalBytes != fewBytes {
		t.Errorf("%d files, %+v", n, res.Output[Stdout])
	}
	if got := r.readAll("few", Stdout, ReadRequest{}); !bytes.Equal(got, make([]byte, fewBytes)) {
		t.Errorf("%d bytes", len(got))
	}
	r.must(Request{ID: "more", Command: "head -c 4097 /dev/zero"})
	if n := r.spoolFiles(); n != 1 {
		t.Errorf("%d files", n)
	}
}

// What was read is the same bytes however many there were when the file was made.
func TestBytesMoveFromMemoryIntoTheFile(t *testing.T) {
	var all []byte
	s := &spool{dir: t.TempDir(), max: 1 << 20, tail: 100, budget: &budget{limit: 1 << 20}}
	defer s.close()
	for i := range 700 {
		part := bytes.Repeat([]byte{byte(i)}, i%23)
		s.append(part)
		all = append(all, part...)
		got := make([]byte, len(all))
		if n, _, err := s.read(got, 0); err != nil || n != len(all) || !bytes.Equal(got, all) {
			t.Fatalf("after %d bytes: %d, %v", len(all), n, err)
		}
	}
	if s.file == nil || s.few != nil {
		t.Error("the bytes are not in the file")
	}
}

// A ring of few bytes needs no file either.
func TestRingInMemory(t *testing.T) {
	s := &spool{dir: "/nonexistent", max: 100, tail: 40, budget: &budget{limit: 1000}}
	defer s.close()
	var all []byte
	for i := range 200 {
		b := []byte{byte(i), byte(i >> 8), 'x'}
		s.append(b)
		all = append(all, b...)
	}
	got := make([]byte, 200)
	n, _, err := s.read(got, 0)
	if err != nil || !bytes.Equal(got[:n], all[:60]) {
		t.Errorf("head %q, %v", got[:n], err)
	}
	if n, _, err = s.read(got, int64(len(all)-40)); err != nil || !bytes.Equal(got[:n], all[len(all)-40:]) {
		t.Errorf("ring %q, %v", got[:n], err)
	}
}

// What is in memory when no file can be made is not lost with it.
func TestFewBytesOutliveADiskThatFails(t *testing.T) {
	s := &spool{dir: "/nonexistent", max: 1 << 20, tail: 100, budget: &budget{limit: 1 << 20}}
	defer s.close()
	s.append([]byte("hello"))
	if whole := s.append(make([]byte, fewBytes)); whole || s.err() == nil {
		t.Errorf("whole %v, %v", whole, s.err())
	}
	got := make([]byte, 10)
	if n, next, err := s.read(got, 0); err != nil || string(got[:n]) != "hello" || next != 5 {
		t.Errorf("%q up to %d, %v", got[:n], next, err)
	}
	if s.gone() != fewBytes || s.budget.used() != 5 {
		t.Errorf("%d gone, %d reserved", s.gone(), s.budget.used())
	}
	if err := s.swap(func(f *os.File) (*os.File, error) { return f, nil }); err == nil {
		t.Error("published without a file")
	}
}

// A ring has gone round more often than it holds bytes when the disk fails: what is
// reserved is what it holds.
func TestARingOnADiskThatFailsReservesNoMore(t *testing.T) {
	b := &budget{limit: 1 << 20}
	s := &spool{dir: t.TempDir(), max: 10_000, tail: 4_000, budget: b}
	for range 100 {
		s.append(make([]byte, 5_000))
	}
	if err := s.file.Close(); err != nil {
		t.Fatal(err)
	}
	if s.append(make([]byte, 5_000)); s.err() == nil || b.used() != 10_000 {
		t.Errorf("%v, %d bytes reserved", s.err(), b.used())
	}
	if s.close(); b.used() != 0 {
		t.Errorf("%d bytes reserved at the end", b.used())
	}
}
