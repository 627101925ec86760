package spool

import (
	"bytes"
	"os"
	"testing"
)

// What was read is the same bytes however many there were when the file was made.
func TestBytesMoveFromMemoryIntoTheFile(t *testing.T) {
	var all []byte
	s := &Spool{Dir: t.TempDir(), Max: 1 << 20, Tail: 100, Budget: &Budget{Limit: 1 << 20}}
	defer s.Close()
	for i := range 700 {
		part := bytes.Repeat([]byte{byte(i)}, i%23)
		s.Append(part)
		all = append(all, part...)
		got := make([]byte, len(all))
		if n, _, err := s.Read(got, 0); err != nil || n != len(all) || !bytes.Equal(got, all) {
			t.Fatalf("after %d bytes: %d, %v", len(all), n, err)
		}
	}
	if s.file == nil || s.few != nil {
		t.Error("the bytes are not in the file")
	}
}

// A ring of few bytes needs no file either.
func TestRingInMemory(t *testing.T) {
	s := &Spool{Dir: "/nonexistent", Max: 100, Tail: 40, Budget: &Budget{Limit: 1000}}
	defer s.Close()
	var all []byte
	for i := range 200 {
		b := []byte{byte(i), byte(i >> 8), 'x'}
		s.Append(b)
		all = append(all, b...)
	}
	got := make([]byte, 200)
	n, _, err := s.Read(got, 0)
	if err != nil || !bytes.Equal(got[:n], all[:60]) {
		t.Errorf("head %q, %v", got[:n], err)
	}
	if n, _, err = s.Read(got, int64(len(all)-40)); err != nil || !bytes.Equal(got[:n], all[len(all)-40:]) {
		t.Errorf("ring %q, %v", got[:n], err)
	}
}

// What is in memory when no file can be made is not lost with it.
func TestFewBytesOutliveADiskThatFails(t *testing.T) {
	s := &Spool{Dir: "/nonexistent", Max: 1 << 20, Tail: 100, Budget: &Budget{Limit: 1 << 20}}
	defer s.Close()
	s.Append([]byte("hello"))
	if whole := s.Append(make([]byte, FewBytes)); whole || s.Err() == nil {
		t.Errorf("whole %v, %v", whole, s.Err())
	}
	got := make([]byte, 10)
	if n, next, err := s.Read(got, 0); err != nil || string(got[:n]) != "hello" || next != 5 {
		t.Errorf("%q up to %d, %v", got[:n], next, err)
	}
	if s.Gone() != FewBytes || s.Budget.Used() != 5 {
		t.Errorf("%d gone, %d reserved", s.Gone(), s.Budget.Used())
	}
	if err := s.Swap(func(f *os.File) (*os.File, error) { return f, nil }); err == nil {
		t.Error("published without a file")
	}
}

// A ring has gone round more often than it holds bytes when the disk fails: what is
// reserved is what it holds.
func TestARingOnADiskThatFailsReservesNoMore(t *testing.T) {
	b := &Budget{Limit: 1 << 20}
	s := &Spool{Dir: t.TempDir(), Max: 10_000, Tail: 4_000, Budget: b}
	for range 100 {
		s.Append(make([]byte, 5_000))
	}
	if err := s.file.Close(); err != nil {
		t.Fatal(err)
	}
	if s.Append(make([]byte, 5_000)); s.Err() == nil || b.Used() != 10_000 {
		t.Errorf("%v, %d bytes reserved", s.Err(), b.Used())
	}
	if s.Close(); b.Used() != 0 {
		t.Errorf("%d bytes reserved at the end", b.Used())
	}
}
