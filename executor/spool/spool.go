package spool

import (
	"cmp"
	"os"
	"sync"
)

// Spool keeps one stream's bytes, few in memory and more in an unlinked file: the head
// whole, and of what does not fit the newest bytes in a ring after it, or none. Nothing of
// it is left when the sidecar dies.
type Spool struct {
	Dir    string
	Max    int64  // bytes kept
	Tail   int64  // of those, the ring
	OnFull string // DropMiddle unless it says otherwise: only then there is a ring
	Budget *Budget

	mu     sync.Mutex
	few    []byte   // until there is a file
	file   *os.File // made when its bytes are not few any more
	total  int64    // bytes written so far
	head   int64    // where the head ends once full is set
	full   bool
	why    string // there was no room, "" is its own limit
	taken  int64  // bytes reserved from the budget
	failed error  // of the disk; bytes from lost on are only counted
	lost   int64
	lifted bool // Block does not hold any more

	readers int  // that hold it open
	closing bool // with the last of them
}

// Append takes p over and reports whether the stream is whole so far. When the
// disk fails the command goes on: what can't be kept is counted, so that it can be
// named.
func (s *Spool) Append(p []byte) (whole bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(p) > 0 && s.failed == nil {
		p = p[s.write(p):]
		s.lost = s.total
	}
	s.total += int64(len(p))
	return !s.full && s.failed == nil
}

// write stores one run of bytes that is contiguous in the file.
func (s *Spool) write(p []byte) int {
	if !s.full {
		room := s.reserve(int64(len(p)))
		if room == 0 {
			s.fill()
			return 0
		}
		return s.put(p[:room], s.total)
	}
	if s.Tail == 0 { // a very small spool has no ring
		s.total += int64(len(p))
		return len(p)
	}
	at := (s.total - s.head) % s.Tail
	return s.put(p[:min(int64(len(p)), s.Tail-at)], s.head+at)
}

// reserve makes room after the head, and says for how many of want bytes.
func (s *Spool) reserve(want int64) int64 {
	if short := min(want, s.Max-s.total) - (s.taken - s.total); short > 0 {
		got, why := s.Budget.take(short)
		if s.taken += got; got == 0 {
			s.why = why
		}
	}
	return min(want, s.taken-s.total)
}

// fill ends the head. Its newest bytes are the ring from now on, which so needs
// no room of its own: there may be none.
func (s *Spool) fill() {
	s.giveBack()
	ring := s.Tail
	switch {
	case s.OnFull == Block, s.OnFull == Terminate:
		ring = 0
	case s.total < s.Max: // it was not its own limit
		ring = min(ring, s.total/2)
	}
	s.full, s.Tail, s.head = true, ring, s.total-ring
}

// Settle gives back what room has reserved and nothing was written to.
func (s *Spool) Settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.full && s.failed == nil {
		s.giveBack()
	}
}

func (s *Spool) giveBack() {
	s.Budget.put(s.taken - s.total)
	s.taken = s.total
}

func (s *Spool) put(p []byte, at int64) int {
	n, err := s.writeAt(p, at)
	s.total += int64(n)
	s.fail(err)
	return n
}

// fail takes an error of the disk, or none. A disk that is full is a full spool.
func (s *Spool) fail(err error) {
	switch {
	case err == nil:
	case noSpace(err) && !s.full:
		s.why = GapDisk
		s.fill()
	default:
		s.failed = err
		if !s.full { // a ring has given it back, and its total is more than it holds
			s.giveBack()
		}
	}
}

// Err is the disk's error, if it failed.
func (s *Spool) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// Reason is why bytes are not kept.
func (s *Spool) Reason() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return cmp.Or(s.why, GapSpool)
}

// Closed says that no byte which is still to come will be kept.
func (s *Spool) Closed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed != nil || s.full && s.Tail == 0
}

// Spare is the disk space that closing it would free at once.
func (s *Spool) Spare() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.readers > 0 {
		return 0
	}
	return s.taken
}

// Hold keeps the bytes readable until drop, if they still are.
func (s *Spool) Hold() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing && s.readers == 0 {
		return false
	}
	s.readers++
	return true
}

// Drop ends a Hold.
func (s *Spool) Drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readers--
	if s.closing && s.readers == 0 {
		s.free()
	}
}

// Close frees the bytes, as soon as they have no reader.
func (s *Spool) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closing = true
	if s.readers == 0 {
		s.free()
	}
}

func (s *Spool) free() {
	s.Budget.put(s.taken)
	s.taken, s.few = 0, nil
	if s.file != nil {
		_ = s.file.Close()
		s.file = nil
	}
}
