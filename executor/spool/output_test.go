package spool

import (
	"bytes"
	"strings"
	"testing"
)

func TestSpoolKeepsHeadAndNewestBytes(t *testing.T) {
	s := &Spool{Dir: t.TempDir(), Max: 100, Tail: 40, Budget: &Budget{Limit: 1000}}
	defer s.Close()
	var all []byte
	for i := range 50 {
		p := []byte(strings.Repeat(string(rune('a'+i%26)), 7))
		all = append(all, p...)
		s.Append(p)
	}
	got := make([]byte, 400)
	n, next, err := s.Read(got, 0)
	if err != nil || n != 60 || !bytes.Equal(got[:n], all[:60]) {
		t.Fatalf("head: %d %v", n, err)
	}
	n, next, err = s.Read(got, next)
	if n != 0 || next != int64(len(all)-40) || err != nil {
		t.Fatalf("gap: n %d next %d", n, next)
	}
	var tail []byte
	for n, next, err = s.Read(got, next); n > 0; n, next, err = s.Read(got, next) {
		tail = append(tail, got[:n]...)
	}
	if err != nil || !bytes.Equal(tail, all[len(all)-40:]) {
		t.Errorf("tail %q", tail)
	}
}

func TestSpoolsShareTheirBudget(t *testing.T) {
	b := &Budget{Limit: 100}
	one := &Spool{Dir: t.TempDir(), Max: 1000, Tail: 10, Budget: b}
	two := &Spool{Dir: t.TempDir(), Max: 1000, Tail: 10, Budget: b}
	for _, s := range []*Spool{one, two} {
		s.Append(make([]byte, 80))
	}
	// What is kept last becomes the ring: it needs no room of its own.
	if one.full || !two.full || two.head != 10 || two.Tail != 10 || two.Size() != 80 {
		t.Errorf("heads: %v %v at %d", one.full, two.full, two.head)
	}
	one.Close()
	two.Close()
	if b.Used() != 0 {
		t.Errorf("%d bytes still reserved", b.Used())
	}
}

func TestASpoolWithoutARingKeepsTheHead(t *testing.T) {
	s := &Spool{Dir: t.TempDir(), Max: 1, Budget: &Budget{Limit: 1000}}
	defer s.Close()
	s.Append([]byte("hello"))
	s.Append([]byte("world"))
	b := make([]byte, 10)
	n, next, err := s.Read(b, 0)
	if err != nil || string(b[:n]) != "h" || s.Size() != 10 {
		t.Errorf("%q of %d, %v", b[:n], s.Size(), err)
	}
	if n, next, err = s.Read(b, next); n != 0 || next != 10 || err != nil {
		t.Errorf("hole: %d %d %v", n, next, err)
	}
}

// What a stream had is what can be read and what is gone.
func TestSpoolCountsWhatIsGone(t *testing.T) {
	for name, s := range map[string]*Spool{
		"all kept": {Max: 1000, Tail: 40}, "a hole": {Max: 100, Tail: 40}, "no ring": {Max: 1}, "no budget": {Max: 1000, Tail: 40, Budget: &Budget{Limit: 10}},
		"a disk that fails": {Dir: "/dev/null/none", Max: 1000, Tail: 40},
	} {
		if s.Dir == "" {
			s.Dir = t.TempDir()
		}
		if s.Budget == nil {
			s.Budget = &Budget{Limit: 1000}
		}
		kept, off, buf := int64(0), int64(0), make([]byte, 7)
		for range 30 {
			s.Append([]byte("0123456"))
		}
		for off < s.Size() {
			n, next, err := s.Read(buf, off)
			if err != nil || next <= off {
				t.Fatalf("%s: %d at %d, %v", name, next, off, err)
			}
			kept, off = kept+int64(n), next
		}
		if s.Gone() != s.Size()-kept {
			t.Errorf("%s: %d gone of %d, %d kept", name, s.Gone(), s.Size(), kept)
		}
		s.Close()
	}
}
