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

// read copies bytes of the stream from offset off, all that p has room for up to
// a hole or the end. When those at off are gone it returns 0 and where the next
// kept byte is.
func (s *spool) read(p []byte, off int64) (n int, next int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, next, err = s.readRun(p, off)
	for err == nil && 0 < n && n < len(p) {
		more, _, later := s.readRun(p[n:], next)
		if later != nil || more == 0 {
			break
		}
		n, next = n+more, next+int64(more)
	}
	return n, next, err
}

// readRun is read up to where the file goes on at another place.
func (s *spool) readRun(p []byte, off int64) (n int, next int64, err error) {
	if off >= s.total {
		return 0, off, nil
	}
	if s.failed != nil && off >= s.lost {
		return 0, s.total, nil
	}
	at, avail := off, s.total-off
	if s.full {
		if oldest := s.oldest(); off >= s.head && off < oldest {
			return 0, oldest, nil
		}
		if off < s.head {
			avail = s.head - off
		} else {
			ring := (off - s.head) % s.tail
			at, avail = s.head+ring, min(avail, s.tail-ring)
		}
	}
	if s.failed != nil {
		avail = min(avail, s.lost-off)
	}
	n, err = s.readAt(p[:min(int64(len(p)), avail)], at)
	return n, off + int64(n), err
}

// lacks says that bytes from off on were written and are not kept.
func (s *spool) lacks(off int64) bool {
	n, next, err := s.read(make([]byte, 1), off)
	return err == nil && n == 0 && next > off
}

// oldest is the offset of the first byte in the ring.
func (s *spool) oldest() int64 { return max(s.head, s.total-s.tail) }

// gone is how many bytes of the stream were not kept.
func (s *spool) gone() (n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	end := s.total
	if s.failed != nil {
		end = s.lost
	}
	if s.full {
		n = min(s.oldest(), end) - s.head
	}
	return n + s.total - end
}

func (s *spool) size() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total
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

// hole is what is not kept, [from, to), at this moment; both are the end if there
// is none.
func (s *spool) hole() (from, to, total int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.full && s.failed == nil && s.oldest() > s.head:
		return s.head, s.oldest(), s.total
	case s.failed != nil && s.full:
		return s.head, s.total, s.total
	case s.failed != nil:
		return s.lost, s.total, s.total
	}
	return s.total, s.total, s.total
}

// first is the offset of the first byte that is kept.
func (s *spool) first() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.failed != nil && s.lost == 0:
		return s.total
	case s.full && s.head == 0:
		return s.oldest()
	}
	return 0
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
