package executor

import (
	"cmp"
	"os"
	"sync"
)

// spool keeps one stream's bytes, few in memory and more in an unlinked file: the
// head whole, and of what does not fit the newest bytes in a ring behind it, or
// none. Nothing of it is left when the sidecar dies.
type spool struct {
	dir    string
	max    int64  // bytes kept
	tail   int64  // of those, the ring
	onFull string // DropMiddle unless it says otherwise: only then there is a ring
	budget *budget

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

// append takes p over and reports whether the stream is whole so far. When the
// disk fails the command goes on: what can't be kept is counted, so that it can be
// named.
func (s *spool) append(p []byte) (whole bool) {
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
func (s *spool) write(p []byte) int {
	if !s.full {
		room := s.reserve(int64(len(p)))
		if room == 0 {
			s.fill()
			return 0
		}
		return s.put(p[:room], s.total)
	}
	if s.tail == 0 { // a very small spool has no ring
		s.total += int64(len(p))
		return len(p)
	}
	at := (s.total - s.head) % s.tail
	return s.put(p[:min(int64(len(p)), s.tail-at)], s.head+at)
}

// reserve makes room behind the head, and says for how many of want bytes.
func (s *spool) reserve(want int64) int64 {
	if short := min(want, s.max-s.total) - (s.taken - s.total); short > 0 {
		got, why := s.budget.take(short)
		if s.taken += got; got == 0 {
			s.why = why
		}
	}
	return min(want, s.taken-s.total)
}

// fill ends the head. Its newest bytes are the ring from now on, which so needs
// no room of its own: there may be none.
func (s *spool) fill() {
	s.giveBack()
	ring := s.tail
	switch {
	case s.onFull == Block, s.onFull == Terminate:
		ring = 0
	case s.total < s.max: // it was not its own limit
		ring = min(ring, s.total/2)
	}
	s.full, s.tail, s.head = true, ring, s.total-ring
}

// settle gives back what room has reserved and nothing was written to.
func (s *spool) settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.full && s.failed == nil {
		s.giveBack()
	}
}

func (s *spool) giveBack() {
	s.budget.put(s.taken - s.total)
	s.taken = s.total
}

func (s *spool) put(p []byte, at int64) int {
	n, err := s.writeAt(p, at)
	s.total += int64(n)
	s.fail(err)
	return n
}

// fail takes an error of the disk, or none. A disk that is full is a full spool.
func (s *spool) fail(err error) {
	switch {
	case err == nil:
	case noSpace(err) && !s.full:
		s.why = gapDisk
		s.fill()
	default:
		s.failed = err
		if !s.full { // a ring has given it back, and its total is more than it holds
			s.giveBack()
		}
	}
}

// err is the disk's error, if it failed.
func (s *spool) err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// reason is why bytes are not kept.
func (s *spool) reason() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return cmp.Or(s.why, gapSpool)
}

// closed says that no byte which is still to come will be kept.
func (s *spool) closed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed != nil || s.full && s.tail == 0
}

// spare is the disk space that closing it would free at once.
func (s *spool) spare() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.readers > 0 {
		return 0
	}
	return s.taken
}

// hold keeps the bytes readable until drop, if they still are.
func (s *spool) hold() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing && s.readers == 0 {
		return false
	}
	s.readers++
	return true
}

func (s *spool) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readers--
	if s.closing && s.readers == 0 {
		s.free()
	}
}

// close frees the bytes, as soon as nobody reads them.
func (s *spool) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closing = true
	if s.readers == 0 {
		s.free()
	}
}

func (s *spool) free() {
	s.budget.put(s.taken)
	s.taken, s.few = 0, nil
	if s.file != nil {
		_ = s.file.Close()
		s.file = nil
	}
}
